import { isJsonObject, type JsonObject, listOf, objectOf, textOf, without } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { createdFields } from './fields.ts';
import { addListener } from './listeners.ts';
import { addMember } from './members.ts';
import { addMonitor, addPool } from './pools.ts';
import { forbidden, invalid, invalidRequest } from './refusals.ts';
import { fixedIpsOf } from '../neutron/store.ts';
import { vipPlace, vipPort } from './vips.ts';
import type { OctaviaWorld } from './world.ts';

/** Octavia takes this id for no flavor at all. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** `POST /loadbalancers`, with all that is to be below it. */
export function createLoadBalancer(world: OctaviaWorld, requester: Requester, fields: JsonObject): JsonObject {
  const { store, neutron } = world;
  const projectId = textOf(fields['project_id']) || textOf(fields['tenant_id']) || requester.projectId;
  if (projectId !== requester.projectId && !requester.isAdmin) throw forbidden();
  const place = vipPlace(neutron, requester, fields);
  checkFlavor(world, fields);
  const { availabilityZones, providers } = neutron.behaviour.octavia;
  const zone = textOf(fields['availability_zone']);
  if (zone !== '' && !availabilityZones.includes(zone)) throw invalidRequest('Invalid availability zone.');
  const provider = textOf(fields['provider']) || (providers[0] ?? '');
  if (!providers.includes(provider)) throw invalid(`Provider '${provider}' is not enabled.`);
  world.checkQuota(projectId, 'loadbalancers');
  const id = store.newId();
  // A refusal from here on leaves the new port behind.
  const port = vipPort(neutron, place, { id, projectId, provider });
  const addresses = fixedIpsOf(port);
  const addressIn = (subnetId: string) => addresses.find((one) => one.subnetId === subnetId)?.address ?? '';
  const portId = textOf(port['id']);
  const made = store.add(
    'loadbalancers',
    {
      ...without(fields, 'listeners', 'pools', 'tenant_id'),
      project_id: projectId,
      provider,
      vip_address: place.address ?? addressIn(place.subnetId),
      vip_port_id: portId,
      vip_subnet_id: place.subnetId,
      vip_network_id: place.networkId,
      vip_vnic_type: 'normal',
      ...(fields['additional_vips'] === undefined
        ? {}
        : {
            additional_vips: place.additional.map(({ subnetId }) => ({
              subnet_id: subnetId,
              ip_address: addressIn(subnetId),
              port_id: portId,
            })),
          }),
      is_port_owner: place.portId === undefined,
      provisioning_status: 'PENDING_CREATE',
      operating_status: 'OFFLINE',
    },
    id,
  );
  populate(world, made, fields);
  return made;
}

function checkFlavor(world: OctaviaWorld, { flavor_id }: JsonObject): void {
  const id = textOf(flavor_id);
  if (id === '') return;
  if (id === NIL) throw invalid(`The selected flavor is not allowed in this deployment: ${id}`);
  const flavor = world.store.find('flavors', id);
  if (flavor === undefined) throw invalidRequest('Invalid flavor_id.');
  if (flavor['enabled'] !== true) throw invalid(`The selected flavor is not allowed in this deployment: ${id}`);
}

/** Pools first, as listeners refer to them by name. */
function populate(world: OctaviaWorld, loadBalancer: JsonObject, fields: JsonObject): void {
  const projectId = textOf(loadBalancer['project_id']);
  const listeners = listOf(fields['listeners']).map((one) =>
    createdFields('listeners', one, world.minorVersion, ['loadbalancer_id']),
  );
  const pools = poolsIn(fields, listeners);
  world.checkQuota(projectId, 'pools', pools.length);
  const ids = new Map<string, string>();
  for (const one of pools) {
    const name = textOf(one['name']);
    for (const attribute of ['protocol', 'lb_algorithm']) {
      if (one[attribute] !== undefined) continue;
      throw invalidRequest(`Pool definition for '${name}' missing required attribute: ${attribute}`);
    }
    const pool = addPool(world, loadBalancer, createdFields('pools', one, world.minorVersion));
    ids.set(name, textOf(pool['id']));
    fillPool(world, projectId, pool, one);
  }
  world.checkQuota(projectId, 'listeners', listeners.length);
  for (const listener of listeners) {
    const name = textOf(objectOf(listener['default_pool'])['name']);
    const default_pool_id = ids.get(name);
    addListener(world, loadBalancer, { ...listener, ...(default_pool_id === undefined ? {} : { default_pool_id }) });
  }
}

function fillPool(world: OctaviaWorld, projectId: string, pool: JsonObject, fields: JsonObject): void {
  const monitor = fields['healthmonitor'];
  if (isJsonObject(monitor)) {
    world.checkQuota(projectId, 'healthmonitors');
    addMonitor(world, pool, createdFields('healthmonitors', monitor, world.minorVersion, ['pool_id']));
  }
  const members = listOf(fields['members']);
  world.checkQuota(projectId, 'members', members.length);
  for (const member of members) addMember(world, pool, createdFields('members', member, world.minorVersion));
}

/** All pools that are described, those within listeners included. A pool that has a name only is a reference. */
function poolsIn(fields: JsonObject, listeners: readonly JsonObject[]): readonly JsonObject[] {
  const described = listOf(fields['pools']).map(objectOf);
  const within = listeners.map((listener) => listener['default_pool']).filter(isJsonObject);
  if (within.some((pool) => textOf(pool['name']) === '')) {
    throw invalidRequest('Pools must be named when creating a fully populated loadbalancer.');
  }
  const isReference = (pool: JsonObject) => Object.keys(pool).length === 1;
  const pools = [...described, ...within.filter((pool) => !isReference(pool))];
  const names = new Set(pools.map((pool) => textOf(pool['name'])));
  if (names.size < pools.length) {
    throw invalidRequest('Pool names must be unique when creating a fully populated loadbalancer.');
  }
  for (const pool of within) {
    const name = textOf(pool['name']);
    if (names.has(name)) continue;
    throw invalidRequest(`Pool '${name}' was referenced but no full definition was found.`);
  }
  return pools;
}
