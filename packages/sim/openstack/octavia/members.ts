import { type Json, type JsonDraft, type JsonObject, listOf, objectOf, textOf, without } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { createdFields } from './fields.ts';
import { checkMember } from './providers.ts';
import { conflict, invalid, invalidRequest } from './refusals.ts';
import type { OctaviaWorld, Target } from './world.ts';

/** Where clouds keep what every machine may ask: no member can have it. */
const RESERVED = ['169.254.169.254'];
/** What a batch sets back when it does not name it; name, tags and subnet of a member stay as they are. */
const SET_BACK = ['weight', 'backup', 'admin_state_up', 'monitor_address', 'monitor_port'];

/** Adds a member that may be added; throws when it may not. */
export function addMember(world: OctaviaWorld, pool: JsonObject, fields: JsonObject): JsonObject {
  const poolId = textOf(pool['id']);
  const key = keyOf(fields);
  checkReserved(fields);
  if (world.store.membersOf(poolId).some((member) => keyOf(member) === key)) {
    const { address = '', protocol_port = 0 } = fields;
    throw conflict(
      `Another member on this pool is already using ip ${textOf(address)} on protocol_port ${JSON.stringify(protocol_port)}`,
    );
  }
  checkMember(world, objectOf(world.store.find('loadbalancers', textOf(pool['loadbalancer_id']))), fields);
  return world.store.add('members', {
    ...without(fields, 'tenant_id'),
    vnic_type: 'normal',
    project_id: pool['project_id'] ?? '',
    pool_id: poolId,
    provisioning_status: 'PENDING_CREATE',
    operating_status: world.store.monitorOf(poolId) === undefined ? 'NO_MONITOR' : 'OFFLINE',
  });
}

/** `POST /pools/ID/members`. */
export function createMember(
  world: OctaviaWorld,
  requester: Requester,
  pool: JsonObject,
  fields: JsonObject,
): JsonObject {
  checkReserved(fields);
  checkSubnet(world, requester, fields);
  world.checkQuota(textOf(pool['project_id']), 'members');
  lockPool(world, pool);
  return addMember(world, pool, fields);
}

export function changeMember(
  world: OctaviaWorld,
  pool: JsonObject,
  member: JsonObject,
  fields: JsonObject,
): JsonObject {
  lockPool(world, pool);
  return world.store.change('members', textOf(member['id']), { ...fields, provisioning_status: 'PENDING_UPDATE' });
}

/** `PUT /pools/ID/members`: what Octavia is at afterwards, or undefined when there was nothing to do. */
export function setMembers(
  world: OctaviaWorld,
  requester: Requester,
  pool: JsonObject,
  body: JsonObject | undefined,
  additiveOnly: boolean,
): readonly Target[] | undefined {
  const poolId = textOf(pool['id']);
  const wanted = listOf(body?.['members']).map((given) => ({
    given: objectOf(given),
    fields: createdFields('members', given, world.minorVersion),
  }));
  const known = new Map(world.store.membersOf(poolId).map((member) => [keyOf(member), member]));
  const isKept = new Set(wanted.map(({ fields }) => keyOf(fields)));
  const isAdditive = additiveOnly && world.minorVersion >= 11;
  const unwanted = [...known].filter(([key]) => !isKept.has(key)).map(([, member]) => member);
  lockPool(world, pool);
  if (wanted.length === 0 && unwanted.length === 0) return undefined;
  const added = wanted.filter(({ fields }) => !known.has(keyOf(fields)));
  const changed = wanted.filter(({ fields }) => known.has(keyOf(fields)));
  for (const { fields } of added) checkReserved(fields);
  if (new Set(changed.map(({ fields }) => keyOf(fields))).size < changed.length) {
    throw invalidRequest('Member must be updated only once in the same request.');
  }
  world.checkQuota(textOf(pool['project_id']), 'members', added.length - (isAdditive ? 0 : unwanted.length));
  const targets: Target[] = [];
  for (const { fields } of added) {
    checkSubnet(world, requester, fields);
    targets.push({ kind: 'members', id: textOf(addMember(world, pool, fields)['id']) });
  }
  for (const { given, fields } of changed) {
    const id = textOf(known.get(keyOf(fields))?.['id']);
    world.store.change('members', id, { ...batchChanges(given, fields), provisioning_status: 'PENDING_UPDATE' });
    targets.push({ kind: 'members', id });
  }
  for (const member of isAdditive ? [] : unwanted) {
    const id = textOf(member['id']);
    world.store.change('members', id, { provisioning_status: 'PENDING_DELETE' });
    targets.push({ kind: 'members', id });
  }
  return targets;
}

/** Pool and listeners are busy as long as one of their members is. */
export function lockPool(world: OctaviaWorld, pool: JsonObject): void {
  world.lock(textOf(pool['loadbalancer_id']), world.store.listenersWith(textOf(pool['id'])), pool);
}

function batchChanges(given: JsonObject, fields: JsonObject): JsonObject {
  const draft: JsonDraft = {};
  for (const name of SET_BACK) if (fields[name] !== undefined) draft[name] = fields[name];
  for (const name of ['name', 'tags']) if (given[name] !== undefined) draft[name] = given[name];
  return draft;
}

function checkReserved({ address }: JsonObject): void {
  if (RESERVED.includes(textOf(address))) throw invalid(`${textOf(address)} is not a valid option for member address`);
}

function checkSubnet({ neutron }: OctaviaWorld, requester: Requester, { subnet_id }: JsonObject): void {
  const id = textOf(subnet_id);
  if (id !== '' && neutron.visible(requester, 'subnets', id) === undefined) throw invalid(`Subnet ${id} not found.`);
}

function keyOf({ address, protocol_port }: { readonly [name: string]: Json }): string {
  return JSON.stringify([address, protocol_port]);
}
