import {
  formatIpAddress,
  type IpFamily,
  type IpRange,
  parseIpAddress,
  parseIpRange,
  rangeContains,
} from '@fairlead/control';
import { isJsonObject, type JsonObject, listOf, objectOf, textOf, valueAt, withValueAt } from '../../json.ts';
import { invalid } from '../requests/refusal.ts';
import { lastSegment, rootKey } from '../requests/target.ts';
import type { ResourceStore, StoredResource } from './store.ts';

/** Azure keeps the first addresses of a subnet for itself. */
const RESERVED = 4n;

/**
 * The body of a load balancer whose frontends in a subnet have their addresses: the one they had, the one asked for,
 * or the first that is free.
 */
export function withPrivateAddresses(
  store: ResourceStore,
  id: string,
  body: JsonObject,
  before: StoredResource | undefined,
): JsonObject {
  const frontends = frontendsOf(body);
  if (!frontends.some((frontend) => subnetOf(frontend) !== '')) return body;
  const taken = new Set(
    store.ofKind('loadBalancers').flatMap((other) => {
      return rootKey(other.id) === rootKey(id) ? [] : frontendsOf(other.body).map(addressOf);
    }),
  );
  const earlier = new Map(frontendsOf(before?.body).map((frontend) => [nameOf(frontend), frontend]));
  // Chosen addresses first: another frontend of the same request may not be given one of them.
  for (const frontend of frontends) if (isStatic(frontend)) taken.add(checkedAddress(store, frontend, taken));
  const settled = frontends.map((frontend) => {
    if (subnetOf(frontend) === '' || isStatic(frontend)) return frontend;
    const had = earlier.get(nameOf(frontend));
    const kept = had !== undefined && subnetOf(had) === subnetOf(frontend) ? addressOf(had) : '';
    const address = kept !== '' && !taken.has(kept) ? kept : freeAddress(store, frontend, taken);
    taken.add(address);
    return withValueAt(frontend, ['properties', 'privateIPAddress'], address);
  });
  return withValueAt(body, ['properties', 'frontendIPConfigurations'], settled);
}

function checkedAddress(store: ResourceStore, frontend: JsonObject, taken: ReadonlySet<string>): string {
  const address = addressOf(frontend);
  const parsed = parseIpAddress(address);
  const isInside = rangesOf(store, frontend).some(
    (range) => parsed !== undefined && rangeContains(range, parsed.address),
  );
  if (!isInside) {
    throw invalid('PrivateIPAddressNotInSubnet', `Private IP address ${address} is not in ${subnetOf(frontend)}.`);
  }
  if (taken.has(address)) throw invalid('PrivateIPAddressIsAllocated', `IP address ${address} is already allocated.`);
  return address;
}

function freeAddress(store: ResourceStore, frontend: JsonObject, taken: ReadonlySet<string>): string {
  const family: IpFamily = valueAt(frontend, 'properties', 'privateIPAddressVersion') === 'IPv6' ? 'IPv6' : 'IPv4';
  for (const range of rangesOf(store, frontend).filter((candidate) => candidate.family === family)) {
    for (let value = range.first + RESERVED; value < range.last; value += 1n) {
      const address = formatIpAddress(value, family);
      if (!taken.has(address)) return address;
    }
  }
  throw invalid('SubnetIsFull', `${subnetOf(frontend)} has no free ${family} address.`);
}

function rangesOf(store: ResourceStore, frontend: JsonObject): readonly IpRange[] {
  const id = subnetOf(frontend);
  const subnets = listOf(valueAt(store.find(id)?.body, 'properties', 'subnets'));
  const subnet = subnets.find((entry) => textOf(valueAt(entry, 'name')).toLowerCase() === lastSegment(id));
  const one = valueAt(subnet, 'properties', 'addressPrefix');
  const prefixes = one === undefined ? listOf(valueAt(subnet, 'properties', 'addressPrefixes')) : [one];
  return prefixes.flatMap((prefix) => parseIpRange(textOf(prefix)) ?? []);
}

function frontendsOf(body: JsonObject | undefined): readonly JsonObject[] {
  return listOf(valueAt(body, 'properties', 'frontendIPConfigurations')).filter(isJsonObject);
}

function nameOf(frontend: JsonObject): string {
  return textOf(frontend['name']).toLowerCase();
}

/** In lower case; empty for a public frontend. */
function subnetOf(frontend: JsonObject): string {
  return textOf(valueAt(frontend, 'properties', 'subnet', 'id')).toLowerCase();
}

/** In canonical spelling; empty for none. */
function addressOf(frontend: JsonObject): string {
  const text = textOf(objectOf(frontend['properties'])['privateIPAddress']);
  return parseIpAddress(text)?.address ?? text;
}

function isStatic(frontend: JsonObject): boolean {
  return valueAt(frontend, 'properties', 'privateIPAllocationMethod') === 'Static';
}
