import type { EndpointAddress, EndpointPort, EndpointSubset } from '../kinds/endpoints.ts';

interface Entry {
  readonly address: EndpointAddress;
  readonly ports: Map<string, EndpointPort>;
  ready: boolean;
}

/** Subsets in the one form that says the same: addresses with the same ports stand together, all in order. */
export function repack(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const entries = new Map<string, Entry>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const address of addresses) add(entries, address, ports, true);
    for (const address of notReadyAddresses) add(entries, address, ports, false);
  }
  const byPorts = new Map<string, Entry[]>();
  for (const entry of entries.values()) {
    const key = [...entry.ports.keys()].sort().join();
    const group = byPorts.get(key);
    if (group === undefined) byPorts.set(key, [entry]);
    else group.push(entry);
  }
  return [...byPorts.keys()].sort().map((key) => subsetOf(byPorts.get(key) ?? []));
}

function add(
  entries: Map<string, Entry>,
  address: EndpointAddress,
  ports: readonly EndpointPort[],
  ready: boolean,
): void {
  const key = `${address.ip} ${address.targetRef?.uid ?? ''}`;
  const entry = entries.get(key) ?? { address, ports: new Map(), ready: true };
  entries.set(key, entry);
  if (!ready) entry.ready = false;
  for (const port of ports) entry.ports.set(JSON.stringify([port.name ?? '', port.protocol ?? '', port.port]), port);
}

function subsetOf(entries: readonly Entry[]): EndpointSubset {
  const sorted = [...entries].sort((left, right) => (left.address.ip < right.address.ip ? -1 : 1));
  const addresses = sorted.filter(({ ready }) => ready).map(({ address }) => address);
  const notReadyAddresses = sorted.filter(({ ready }) => !ready).map(({ address }) => address);
  const byKey = sorted[0]?.ports ?? new Map<string, EndpointPort>();
  const ports = [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []);
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports }),
  };
}
