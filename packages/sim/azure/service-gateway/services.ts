import { isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf, valueAt } from '../../json.ts';
import { invalid, invalidReference } from '../requests/refusal.ts';
import { lastSegment } from '../requests/target.ts';
import type { Reference } from '../resources/references.ts';
import type { ResourceStore } from '../resources/store.ts';

/** A service of a gateway. */
export interface GatewayService {
  readonly name: string;
  readonly serviceType: 'Inbound' | 'Outbound' | 'InboundOutbound';
  readonly isDefault: boolean;
  readonly pools: readonly JsonObject[];
  readonly natGatewayId: string | undefined;
  /** Azure's own services are not to be touched. */
  readonly owner: 'client' | 'azure';
}

/** Services by name in lower case. */
export type ServiceTable = ReadonlyMap<string, GatewayService>;

/** What a request makes of one service; undefined when it removes it. */
export type ServiceChanges = ReadonlyMap<string, GatewayService | undefined>;

/**
 * What updateServices changes; throws a Refusal, for the whole request, when Azure would. `isMapped` tells whether an
 * address still names a service.
 */
export function serviceChanges(
  request: JsonObject,
  table: ServiceTable,
  store: ResourceStore,
  isMapped: (serviceKey: string) => boolean,
): ServiceChanges {
  const changes = new Map<string, GatewayService | undefined>();
  if (updateAction(request['action'], 'action') === 'FullUpdate') {
    for (const [key, service] of table) if (service.owner === 'client') changes.set(key, undefined);
  }
  const named = new Set<string>();
  for (const item of listOf(request['serviceRequests'])) {
    const service = objectOf(valueAt(item, 'service'));
    const name = textOf(service['name']);
    const key = name.toLowerCase();
    if (key === '') throw invalid('InvalidRequestFormat', 'A service without a name.');
    if (named.has(key)) throw invalid('DuplicateServicesInRequest', `Service ${name} is in the request twice.`);
    named.add(key);
    const before = table.get(key);
    if (before?.owner === 'azure') throw notYours(name);
    changes.set(key, valueAt(item, 'isDelete') === true ? undefined : merged(name, service, before, store));
  }
  for (const [key, after] of changes) {
    if (after !== undefined || !table.has(key) || !isMapped(key)) continue;
    const message = `Service ${table.get(key)?.name} cannot be deleted: addresses are still mapped to it.`;
    throw invalid('ServiceWithOverlayMappingsCannotBeDeleted', message);
  }
  checkOneDefault(table, changes);
  return changes;
}

/** What the service names, for the index of references. */
export function referencesOf(gatewayId: string, { name, pools, natGatewayId }: GatewayService): readonly Reference[] {
  const targets = [...pools.map((pool) => textOf(pool['id'])), ...(natGatewayId === undefined ? [] : [natGatewayId])];
  return targets.map((target) => ({ from: `${gatewayId}/services/${name}`, to: target.toLowerCase() }));
}

/** A service as Azure lists it. */
export function renderService(service: GatewayService): JsonObject {
  const { name, serviceType, isDefault, pools, natGatewayId } = service;
  return {
    name,
    properties: {
      serviceType,
      isDefault,
      loadBalancerBackendPools: pools,
      ...(natGatewayId === undefined ? {} : { publicNatGatewayId: natGatewayId }),
    },
  };
}

export function updateAction(value: Json | undefined, field: string): 'PartialUpdate' | 'FullUpdate' {
  if (value === 'PartialUpdate' || value === 'FullUpdate') return value;
  throw invalid('InvalidRequestFormat', `${field} must be PartialUpdate or FullUpdate.`);
}

/** An absent field stays as it was, null clears it. */
function merged(
  name: string,
  service: JsonObject,
  before: GatewayService | undefined,
  store: ResourceStore,
): GatewayService {
  const properties = objectOf(service['properties']);
  const serviceType = properties['serviceType'] ?? before?.serviceType;
  if (serviceType !== 'Inbound' && serviceType !== 'Outbound' && serviceType !== 'InboundOutbound') {
    throw invalid('InvalidRequestFormat', `Service ${name} needs a service type.`);
  }
  const pools = properties['loadBalancerBackendPools'];
  const natGatewayId = properties['publicNatGatewayId'];
  const after: GatewayService = {
    name: before?.name ?? name,
    serviceType,
    isDefault: (properties['isDefault'] ?? before?.isDefault) === true,
    pools: pools === undefined ? (before?.pools ?? []) : listOf(pools).filter(isJsonObject),
    natGatewayId: natGatewayId === undefined ? before?.natGatewayId : textOf(natGatewayId) || undefined,
    owner: 'client',
  };
  for (const pool of after.pools) checkPool(textOf(pool['id']), store);
  if (after.natGatewayId !== undefined && store.find(after.natGatewayId)?.kind !== 'natGateways') {
    throw invalidReference(after.natGatewayId);
  }
  return after;
}

function checkPool(id: string, store: ResourceStore): void {
  const loadBalancer = store.find(id);
  const name = lastSegment(id).toLowerCase();
  const pools = listOf(valueAt(loadBalancer?.body, 'properties', 'backendAddressPools'));
  if (!pools.some((pool) => textOf(valueAt(pool, 'name')).toLowerCase() === name)) throw invalidReference(id);
  if (valueAt(loadBalancer?.body, 'sku', 'name') === 'Service') return;
  throw invalid('InvalidResourceReference', `${id} is not in a load balancer of SKU Service.`);
}

function checkOneDefault(table: ServiceTable, changes: ServiceChanges): void {
  if (![...changes.values()].some((service) => service?.isDefault === true)) return;
  const after = [...new Map<string, GatewayService | undefined>([...table, ...changes]).values()];
  const defaults = after.filter((service) => service?.isDefault === true);
  const inbound = defaults.filter((service) => service?.serviceType !== 'Outbound').length;
  const outbound = defaults.filter((service) => service?.serviceType !== 'Inbound').length;
  if (inbound <= 1 && outbound <= 1) return;
  const message = 'A service gateway has at most one default service for each direction.';
  throw invalid('MultipleDefaultServicesNotAllowedInServiceGateway', message);
}

function notYours(name: string) {
  const message = `Service ${name} is the default that the resource provider owns.`;
  return invalid('MultipleDefaultServicesNotAllowedInServiceGateway', message);
}
