import { createHash } from 'node:crypto';
import { familyOf, type IpRange, parseIpRange } from '@fairlead/control';
import type { Backend, Frontend, VirtualServer } from '../../protocol/configuration.ts';
import { AFFINITY_SECONDS, pickChain, affinityChain } from './layout.ts';
import { assignSlots, backendKey } from './slots.ts';

/** An element of a map or set of a bank. All its text is made of parsed addresses and numbers. */
export interface Element {
  /** Without the letter of the bank. */
  readonly map: string;
  readonly key: string;
  /** Absent in a set. */
  readonly data?: string;
}

/** What a virtual server alone is made of. */
export function ownElements(virtualServer: VirtualServer): readonly Element[] {
  const { backends, preservesClientAddress } = virtualServer;
  const suffix = suffixOf(virtualServer);
  const key = frontendText(virtualServer);
  const addresses = new Set(backends.map(({ address }) => address));
  return [
    ...choiceElements(virtualServer),
    ...rangeElements(virtualServer),
    ...(preservesClientAddress ? [] : [{ map: `masqueraded${suffix}`, key }]),
    ...(preservesClientAddress
      ? [...addresses].map((address) => ({ map: `insiders${suffix}`, key: `${key} . ${address}` }))
      : []),
  ];
}

/** What a virtual server contributes to elements that several may have in common. */
export interface SharedElement extends Element {
  /** Whether it is there with any of those who ask for it, or only where there is just one. */
  readonly neededBy: 'any' | 'only-one';
}

export function sharedElements(virtualServer: VirtualServer): readonly SharedElement[] {
  const { address, port, protocol, backends, preservesClientAddress } = virtualServer;
  const suffix = suffixOf(virtualServer);
  const held: SharedElement = { map: `addresses${suffix}`, key: address, neededBy: 'any' };
  if (!preservesClientAddress || protocol !== 'TCP') return [held];
  const data = `${address} . ${port}`;
  const unique = new Map(backends.map((backend) => [backendKey(backend), backend]));
  return [
    held,
    ...[...unique.values()].map((backend): SharedElement => {
      const key = `${backend.address} . tcp . ${backend.port}`;
      return { map: `returns${suffix}`, key, data, neededBy: 'only-one' };
    }),
  ];
}

/** A frontend without backends has no choice: what arrives there is refused as what no Service asks for. */
function choiceElements(virtualServer: VirtualServer): readonly Element[] {
  const { backends, affinitySeconds } = virtualServer;
  if (backends.length === 0) return [];
  const suffix = suffixOf(virtualServer);
  const key = frontendText(virtualServer);
  const slots = assignSlots(backends);
  if (affinitySeconds === undefined) {
    return [
      { map: `services${suffix}`, key, data: `goto ${pickChain(suffix, slots.length)}` },
      ...slots.map((backend, slot) => ({
        map: `slots${suffix}`,
        key: `${key} . ${slot}`,
        data: backendText(backend),
      })),
    ];
  }
  const seconds = AFFINITY_SECONDS.find((step) => affinitySeconds <= step) ?? AFFINITY_SECONDS[4];
  const numbers = backendNumbers(backends);
  const numberOf = (backend: Backend) => numbers.get(backendKey(backend)) ?? '';
  return [
    { map: `services${suffix}`, key, data: `goto ${affinityChain(suffix, slots.length, seconds)}` },
    ...slots.map((backend, slot) => ({
      map: `choices${suffix}`,
      key: `${key} . ${slot}`,
      data: numberOf(backend),
    })),
    ...new Map(
      backends.map((backend) => [
        backendKey(backend),
        { map: `backends${suffix}`, key: `${key} . ${numberOf(backend)}`, data: backendText(backend) },
      ]),
    ).values(),
  ];
}

function rangeElements(virtualServer: VirtualServer): readonly Element[] {
  const { address, sourceRanges } = virtualServer;
  if (sourceRanges === undefined) return [];
  const suffix = suffixOf(virtualServer);
  const key = frontendText(virtualServer);
  const ranges = sourceRanges.flatMap((text) => parseIpRange(text) ?? []);
  const ofFamily = widest(ranges.filter(({ family }) => family === familyOf(address)));
  return [
    { map: `restricted${suffix}`, key },
    ...ofFamily.map(({ text }) => ({ map: `allowed${suffix}`, key: `${key} . ${text}` })),
  ];
}

/** Those that lie in no other: the kernel refuses ranges that overlap. */
function widest(ranges: readonly IpRange[]): readonly IpRange[] {
  const kept: IpRange[] = [];
  const inOrder = ranges.toSorted((one, other) =>
    one.first === other.first ? one.prefixLength - other.prefixLength : one.first < other.first ? -1 : 1,
  );
  for (const range of inOrder) {
    const last = kept.at(-1);
    if (last === undefined || range.first > last.last) kept.push(range);
  }
  return kept;
}

/** A number for each backend, to keep clients with it: the same for as long as it is there, whoever comes and goes. */
function backendNumbers(backends: readonly Backend[]): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>();
  const taken = new Set<number>();
  for (const key of backends.map(backendKey).toSorted()) {
    if (numbers.has(key)) continue;
    let number = createHash('sha256').update(key).digest().readUInt32BE(8) % 0xffff_fff0;
    while (number === 0 || taken.has(number)) number += 1;
    taken.add(number);
    numbers.set(key, `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`);
  }
  return numbers;
}

function suffixOf({ address }: Frontend): '4' | '6' {
  return familyOf(address) === 'IPv4' ? '4' : '6';
}

function frontendText({ address, protocol, port }: Frontend): string {
  return `${address} . ${protocol.toLowerCase()} . ${port}`;
}

function backendText({ address, port }: Backend): string {
  return `${address} . ${port}`;
}
