import { type ParsedIpAddress, parseIpAddress } from '@fairlead/control';
import { type Json, type JsonObject, listOf, textOf, valueAt } from '../../json.ts';
import { invalid } from '../requests/refusal.ts';
import { type ServiceTable, updateAction } from './services.ts';

/** What is at one location: service names in lower case by address. Both kinds of address in canonical spelling. */
export type Addresses = ReadonlyMap<string, readonly string[]>;
export type LocationTable = ReadonlyMap<string, Addresses>;

/** What a request makes of one location; undefined when it removes it. */
export type LocationChanges = ReadonlyMap<string, Addresses | undefined>;

/** What updateAddressLocations changes; throws a Refusal, for the whole request, when Azure would. */
export function locationChanges(request: JsonObject, table: LocationTable, services: ServiceTable): LocationChanges {
  const action = updateAction(request['action'], 'action');
  const changes = new Map<string, Addresses | undefined>();
  if (action === 'FullUpdate') for (const location of table.keys()) changes.set(location, undefined);
  const named = new Set<string>();
  for (const item of listOf(request['addressLocations'])) {
    const location = parse(textOf(valueAt(item, 'addressLocation')));
    if (named.has(location.address)) {
      throw invalid('DuplicateLocationsInRequest', `Location ${location.address} is in the request twice.`);
    }
    named.add(location.address);
    const addressAction = updateAction(valueAt(item, 'addressUpdateAction') ?? action, 'addressUpdateAction');
    const listed = listOf(valueAt(item, 'addresses'));
    const before = addressAction === 'FullUpdate' || listed.length === 0 ? undefined : table.get(location.address);
    const after = new Map(before);
    const seen = new Set<string>();
    for (const entry of listed) {
      const { address, family } = parse(textOf(valueAt(entry, 'address')));
      if (seen.has(address)) throw invalid('DuplicateAddressesInRequest', `Address ${address} is in it twice.`);
      seen.add(address);
      if (family !== location.family) {
        throw invalid('InvalidRequestFormat', `Address ${address} is not of the family of ${location.address}.`);
      }
      const names = serviceNames(address, listOf(valueAt(entry, 'services')), services);
      if (names.length === 0) after.delete(address);
      else after.set(address, names);
    }
    changes.set(location.address, after.size === 0 ? undefined : after);
  }
  return changes;
}

/** The services of an address; at most one of them may be for outbound traffic. */
function serviceNames(address: string, names: readonly Json[], services: ServiceTable): readonly string[] {
  const keys = [...new Set(names.map((name) => textOf(name).toLowerCase()))].sort();
  let outbound = 0;
  for (const key of keys) {
    const service = services.get(key);
    if (service === undefined) {
      throw invalid('InvalidResourceReference', `Address ${address} names service ${key}, which is not registered.`);
    }
    if (service.serviceType !== 'Inbound') outbound += 1;
  }
  if (outbound > 1) throw invalid('InvalidRequestFormat', `Address ${address} names two outbound services.`);
  return keys;
}

function parse(text: string): ParsedIpAddress {
  const parsed = parseIpAddress(text);
  if (parsed === undefined) throw invalid('InvalidRequestFormat', `"${text}" is not an IP address.`);
  return parsed;
}
