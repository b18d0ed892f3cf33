import {
  type ConfigurationDelta,
  type Frontend,
  type Generation,
  frontendKey,
  type VirtualServer,
} from './configuration.ts';

/** Frontend -> its virtual server. */
export type VirtualServers = ReadonlyMap<string, VirtualServer>;

export function byFrontend(virtualServers: Iterable<VirtualServer>): VirtualServers {
  const found = new Map<string, VirtualServer>();
  for (const one of virtualServers) found.set(frontendKey(one), one);
  return found;
}

export interface Changes {
  readonly put: readonly VirtualServer[];
  readonly remove: readonly Frontend[];
}

/** What makes `wanted` out of `current`; the order of backends is no difference. */
export function changesBetween(current: VirtualServers, wanted: VirtualServers): Changes {
  const put = [...wanted].flatMap(([key, one]) => {
    const before = current.get(key);
    return before !== undefined && isSame(before, one) ? [] : [one];
  });
  const remove = [...current].flatMap(([key, { address, protocol, port }]) =>
    wanted.has(key) ? [] : [{ address, protocol, port }],
  );
  return { put, remove };
}

export function applyChanges(current: Map<string, VirtualServer>, { put, remove }: Changes): void {
  for (const frontend of remove) current.delete(frontendKey(frontend));
  for (const one of put) current.set(frontendKey(one), one);
}

export function deltaRequest(changes: Changes, since: Generation, generation: Generation): ConfigurationDelta {
  return { kind: 'delta', since, generation, put: [...changes.put], remove: [...changes.remove] };
}

function isSame(one: VirtualServer, other: VirtualServer): boolean {
  return one === other || canonicalText(one) === canonicalText(other);
}

/** The same for the same virtual server, whatever the order of its backends and source ranges. */
export function canonicalText(one: VirtualServer): string {
  const { address, protocol, port, service, affinitySeconds, preservesClientAddress } = one;
  const backends = one.backends.map((backend) => `${backend.address} ${backend.port}`).toSorted();
  const sourceRanges = one.sourceRanges?.toSorted();
  return JSON.stringify([
    address,
    protocol,
    port,
    service,
    backends,
    affinitySeconds ?? null,
    sourceRanges ?? null,
    preservesClientAddress,
  ]);
}
