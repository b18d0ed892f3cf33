import { type IpAddress, parseIpAddress } from '@fairlead/control';
import type { BackendAddress } from '../../arm/index.ts';
import { entryName, isEntryName } from '../names.ts';

/**
 * The entries of a pool that is to send to these addresses, or undefined when it does already. Entries that are neither
 * ours nor for a node of the cluster belong to another program and stay.
 */
export function mergeEntries(
  current: readonly BackendAddress[],
  wanted: readonly IpAddress[],
  backends: { isNode(address: IpAddress): boolean },
): readonly BackendAddress[] | undefined {
  const missing = new Set(wanted);
  const entries = current.flatMap((entry): readonly BackendAddress[] => {
    const address = parseIpAddress(entry.properties.ipAddress ?? '')?.address;
    if (address !== undefined && missing.delete(address)) {
      // It gets our name: when its node is gone, nothing else tells that it was ours.
      return isEntryName(entry.name) ? [entry] : [{ ...entry, name: entryName(address) }];
    }
    const isOurs = isEntryName(entry.name) || (address !== undefined && backends.isNode(address));
    return isOurs ? [] : [entry];
  });
  const added = [...missing].map((address) => ({ name: entryName(address), properties: { ipAddress: address } }));
  const isSame =
    added.length === 0 &&
    entries.length === current.length &&
    entries.every((entry, index) => entry === current[index]);
  return isSame ? undefined : [...entries, ...added];
}
