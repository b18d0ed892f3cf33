import type { Clock } from '@fairlead/control';
import { keyText, type Service, WorkSlices } from '@fairlead/kube';
import { type ClaimRules, type ServiceKey, serviceKey } from '@fairlead/service';
import { Allocator } from './addresses/allocation.ts';
import type { SeenHolding } from './addresses/allocation-request.ts';
import { type L2Port, l4PortText } from './addresses/l2-port.ts';
import type { FamiliesOf } from './addresses/l2-ports.ts';
import type { NamespaceLimits } from './addresses/namespace-use.ts';
import { type Desired, desiredFor, l4PortsOf, wantsAlone } from './desired.ts';
import { type SeenHoldings, seenHoldings } from './observed.ts';
import { decide, type Outcome } from './outcome.ts';
import { progressWithoutAgents, writesFor } from './plan.ts';
import type { Pool } from './pools.ts';

/** The outcome of every Service at one moment, and which Service holds what. */
export interface Snapshot {
  readonly pools: readonly Pool[];
  readonly allocator: Allocator;
  /** Oldest Service first. */
  readonly outcomes: ReadonlyMap<ServiceKey, Outcome>;
  /** Services whose record claims what another has, so that it is ignored. */
  readonly ignoredRecords: readonly ServiceKey[];
}

export interface SnapshotInput {
  readonly l2Ports: readonly L2Port[];
  /** The families of which more can be made. */
  readonly familiesOf?: FamiliesOf;
  readonly pools: readonly Pool[];
  readonly limits: NamespaceLimits;
  readonly services: Iterable<Service>;
  readonly rules: ClaimRules;
}

interface ReadService {
  readonly key: ServiceKey;
  readonly service: Service;
  readonly desired: Desired;
}

/**
 * Decides for all Services at once: first everything that a Service was given is kept from others, then, oldest first,
 * each gets what it has or what is free. A leader starts with it, and `plan` and `why` are made of it, so that all of
 * them agree. Others get a turn in between: a walk over 20,000 Services holds up no timer and no socket.
 */
export async function takeSnapshot(input: SnapshotInput, clock: Clock): Promise<Snapshot> {
  const { l2Ports, familiesOf, pools, limits, services, rules } = input;
  const slices = new WorkSlices(clock);
  const allocator = new Allocator([], limits, familiesOf);
  for (const l2Port of l2Ports) {
    if (slices.isOver) await slices.pause();
    allocator.add(l2Port);
  }
  const aged: { readonly age: string; readonly service: Service }[] = [];
  for (const service of services) {
    if (slices.isOver) await slices.pause();
    aged.push({ age: ageOf(service), service });
  }
  const read: ReadService[] = [];
  for (const { service } of aged.toSorted((left, right) => (left.age < right.age ? -1 : 1))) {
    if (slices.isOver) await slices.pause();
    read.push({ key: serviceKey(service.metadata), service, desired: desiredFor(service, rules, pools) });
  }
  const ignoredRecords = await restore(read, allocator, slices);
  const outcomes = new Map<ServiceKey, Outcome>();
  for (const { key, desired } of read) {
    if (slices.isOver) await slices.pause();
    const outcome = decide(desired, allocator, key, pools);
    outcomes.set(key, outcome);
    if (outcome.kind !== 'unreadable' && writesFor(outcome, clock, progressWithoutAgents(outcome, pools)).length === 0)
      allocator.settle(key, allocator.holding(key));
  }
  return { pools, allocator, outcomes, ignoredRecords };
}

/** Orders by age, as one text that is quickly compared. */
function ageOf({ metadata }: Service): string {
  return `${metadata.creationTimestamp ?? ''} ${keyText(metadata)}`;
}

/**
 * Keeps to each Service what it was given: what the status shows before what only annotations record, of equal ones the
 * older first. A record that the status does not show is honoured only where no other Service has, or records, any of
 * it. Gives those that are ignored.
 */
async function restore(
  read: readonly ReadService[],
  allocator: Allocator,
  slices: WorkSlices,
): Promise<readonly ServiceKey[]> {
  const seen: ({ readonly key: ServiceKey; readonly service: Service } & SeenHoldings)[] = [];
  for (const { key, service, desired } of read) {
    if (slices.isOver) await slices.pause();
    if (desired.kind === 'foreign') continue;
    const asked = desired.kind === 'unreadable' || desired.kind === 'refuse' ? [] : l4PortsOf(service);
    seen.push({ key, service, ...seenHoldings(service, asked, allocator) });
  }
  const turn = async () => {
    if (slices.isOver) await slices.pause();
  };
  for (const { key, shown } of seen) {
    await turn();
    if (shown !== undefined) allocator.reserve(key, shown);
  }
  for (const { key, shownWithoutPorts } of seen) {
    await turn();
    if (shownWithoutPorts !== undefined) allocator.reserve(key, shownWithoutPorts);
  }
  const keepAlone = async () => {
    for (const { key, service } of seen) {
      await turn();
      if (wantsAlone(service)) allocator.keepAlone(key);
    }
  };
  // Before any record is looked at: its owner may have written it, to get onto an address that another has alone.
  await keepAlone();
  const records = seen.flatMap(({ key, recorded }) => (recorded === undefined ? [] : [{ key, recorded }]));
  const claims = new Map<string, number>();
  for (const { recorded } of records) {
    await turn();
    for (const claim of claimsOf(recorded)) claims.set(claim, (claims.get(claim) ?? 0) + 1);
  }
  const ignored: ServiceKey[] = [];
  for (const { key, recorded } of records) {
    await turn();
    const isContested = claimsOf(recorded).some((claim) => claims.get(claim) !== 1);
    if (isContested || !allocator.isUncontested(key, recorded)) ignored.push(key);
    else allocator.reserve(key, recorded);
  }
  await keepAlone();
  return ignored;
}

/** The ports of addresses that a record claims. */
function claimsOf({ l2Ports, l4Ports }: SeenHolding): readonly string[] {
  return l2Ports.flatMap((id) => l4Ports.map((l4Port) => `${id} ${l4PortText(l4Port)}`));
}
