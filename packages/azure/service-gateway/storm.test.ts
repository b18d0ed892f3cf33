import { VirtualClock } from '@fairlead/control';
import { type Service, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import type { ArmEmulator, LoggedCall, RetryAfterForm } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { Replica } from './testing/replica.ts';

const STORM = 300_000;
/** A call is on its way for so long: what was sent before the first refusal came back could not know of it. */
const LATENCY = 40;
/** A pause that Azure does not name is one of ours, of this length at most. */
const LONGEST_PAUSE = 60_000;
/** From the moment on at which Azure takes calls again, all of the backlog is done within this. */
const BACKLOG = 5_000;
const READS = ['GET'] as const;
const WRITES = ['PUT', 'POST', 'DELETE'] as const;

/** Until when Azure asks to stay away; at once after that it refuses again, until the storm is over. */
interface Gust {
  readonly end: number;
  readonly form: RetryAfterForm;
}

/** Gusts of these lengths, in turn. The last of them is longer than the storm: Azure cannot know when it is over. */
function gusts(lengths: readonly number[], forms: readonly RetryAfterForm[]): readonly Gust[] {
  const all: Gust[] = [];
  for (let end = 0, turn = 0; end < STORM; turn += 1) {
    end += lengths[turn % lengths.length] ?? STORM;
    all.push({ end, form: forms[turn % forms.length] ?? 'seconds' });
  }
  return all;
}

function throttle(azure: ArmEmulator, methods: typeof READS | typeof WRITES, storm: readonly Gust[]): void {
  for (const { end, form } of storm) for (const method of methods) azure.faults.throttle({ method }, end, form);
}

/** The gust that refused a call: what is to become of it is decided as it sets out. */
const gustAt = (storm: readonly Gust[], at: number) => storm.find(({ end }) => at - LATENCY / 2 < end);

/** Calls that came although Azure had asked, by an answer that was there when they left, to come later. */
function callsBeforeTheirTime(calls: readonly LoggedCall[], begun: number, storm: readonly Gust[]): readonly string[] {
  const early: string[] = [];
  let known: { readonly from: number; readonly until: number } | undefined;
  for (const { at, method, kind, outcome } of calls) {
    if (known !== undefined && at >= known.from && at < known.until) {
      early.push(`${method} ${kind} at ${at - begun}, ${known.until - at} too early`);
    }
    const gust = outcome === 429 ? gustAt(storm, at - begun) : undefined;
    if (gust?.form !== 'seconds' && gust?.form !== 'date') continue;
    const from = known !== undefined && at < known.until ? known.from : at + LATENCY;
    known = { from, until: begun + gust.end };
  }
  return early;
}

async function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock, { latency: { minimum: LATENCY, maximum: LATENCY } });
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1'], ['10.0.0.2']);
  for (let index = 0; index < 12; index += 1) {
    await cluster.createService(`old-${index}`);
    await cluster.putSlice(`old-${index}`, `old-${index}`, [`10.1.0.${index}@node-1`]);
  }
  await cluster.createPod('pod-a', 'blue', 'node-1', '10.2.0.1');
  await cluster.createPod('pod-b', 'blue', 'node-2', '10.2.0.2');
  const replica = new Replica(cluster, azure, { comparisonIntervalSeconds: 30 });
  await replica.settle();
  azure.log.clear();
  return { clock, azure, cluster, replica };
}

type World = Awaited<ReturnType<typeof newWorld>>;

/** What happens in the cluster meanwhile, one thing every few seconds. */
const EDITS: readonly ((cluster: GatewayCluster) => Promise<unknown>)[] = [
  (cluster) => cluster.createService('new-1'),
  (cluster) => cluster.putSlice('new-1', 'new-1', ['10.3.0.1@node-1']),
  (cluster) => cluster.putSlice('old-0', 'old-0', ['10.1.0.100@node-2']),
  (cluster) => cluster.client.delete(services, { namespace: NAMESPACE, name: 'old-1' }),
  (cluster) => setPort(cluster, 'old-2', 8443),
  (cluster) => cluster.createPod('pod-c', 'green', 'node-1', '10.2.0.3'),
  (cluster) => cluster.labelPod('pod-a', 'green'),
  (cluster) => cluster.deletePod('pod-b'),
  (cluster) => cluster.createService('fleeting'),
  (cluster) => cluster.putSlice('fleeting', 'fleeting', ['10.3.0.9@node-1']),
  (cluster) => cluster.client.delete(services, { namespace: NAMESPACE, name: 'fleeting' }),
  (cluster) => cluster.createService('new-2'),
  (cluster) => cluster.putSlice('new-1', 'new-1', ['10.3.0.1@node-1', '10.3.0.2@node-2']),
  (cluster) => setPort(cluster, 'old-2', 9443),
  (cluster) => cluster.client.delete(services, { namespace: NAMESPACE, name: 'old-3' }),
  (cluster) => cluster.putSlice('old-4', 'old-4', []),
];

async function setPort({ client }: GatewayCluster, name: string, port: number): Promise<void> {
  const key = { namespace: NAMESPACE, name };
  await client.patchMerge<Service>(services, key, { spec: { ports: [{ port, targetPort: 8080 }] } });
}

/** The world outside, with Services by their names. */
async function outside({ azure, cluster }: World) {
  const { items } = await cluster.client.list(services, { namespace: NAMESPACE });
  const names = new Map(items.map(({ metadata }) => [metadata.uid ?? '', metadata.name]));
  const nameOf = (id: unknown) => (typeof id === 'string' ? (names.get(id) ?? id) : '');
  const gateway = azure.gateway(scope.gatewayId);
  const located = [...gateway.locations].flatMap(([location, all]) =>
    [...all].map(([address, under]) => `${address}@${location}=${under.map(nameOf).toSorted().join(',')}`),
  );
  const balancers = azure.resources('loadBalancers');
  const namesOf = (resources: typeof balancers) => resources.map(({ name }) => nameOf(name)).toSorted();
  return {
    located: located.toSorted(),
    registered: [...gateway.services.keys()].map(nameOf).toSorted(),
    balancers: namesOf(balancers),
    natGateways: namesOf(azure.resources('natGateways')),
    addresses: azure.resources('publicIPAddresses').length,
    onPort9443: namesOf(balancers.filter((balancer) => JSON.stringify(balancer).includes('9443'))),
  };
}

const kept = Array.from({ length: 12 }, (_, index) => `old-${index}`).filter((name) => !/^old-[13]$/.test(name));
const wanted = {
  located: [
    '10.1.0.100@10.0.0.2=old-0',
    ...kept.filter((name) => !/^old-[04]$/.test(name)).map((name) => `10.1.0.${name.slice(4)}@10.0.0.1=${name}`),
    '10.2.0.1@10.0.0.1=green',
    '10.2.0.3@10.0.0.1=green',
    '10.3.0.1@10.0.0.1=new-1',
    '10.3.0.2@10.0.0.2=new-1',
  ].toSorted(),
  registered: ['green', 'new-1', 'new-2', ...kept].toSorted(),
  balancers: ['new-1', 'new-2', ...kept].toSorted(),
  natGateways: ['green'],
  addresses: kept.length + 3,
  onPort9443: ['old-2'],
};

/** All edits, spread over the storm; then on until everything is programmed. Gives how long that took after it. */
async function weather(world: World): Promise<number> {
  const { clock, azure, cluster, replica } = world;
  const begun = clock.monotonic();
  for (const edit of EDITS) {
    await edit(cluster);
    await clock.advance(17_000);
  }
  await clock.advance(begun + STORM - clock.monotonic());
  azure.faults.clear();
  await replica.settle(600_000);
  return clock.monotonic() - begun - STORM;
}

describe('a 429 storm of five minutes', () => {
  it.each([
    ['short pauses in seconds', [9_000, 5_000, 13_000], ['seconds']],
    ['long pauses, as dates', [70_000, 20_000], ['date']],
    ['one pause, longer than the storm', [STORM + 45_000], ['seconds']],
    [
      'pauses told in every way, or not at all',
      [12_000, 7_000, 31_000, 3_000],
      ['seconds', 'garbage', 'date', 'absent'],
    ],
  ] as const)('with %s: no call before its time, nothing lost, all programmed soon', async (_, lengths, forms) => {
    const world = await newWorld();
    const { clock, azure } = world;
    const begun = clock.monotonic();
    const storms = { reads: gusts(lengths.toReversed(), forms), writes: gusts(lengths, forms) };
    throttle(azure, READS, storms.reads);
    throttle(azure, WRITES, storms.writes);
    const took = await weather(world);

    expect(await outside(world)).toEqual(wanted);
    for (const side of ['reads', 'writes'] as const) {
      const calls = azure.log.calls.filter(({ method }) => (method === 'GET') === (side === 'reads'));
      expect(callsBeforeTheirTime(calls, begun, storms[side])).toEqual([]);
      const refused = calls.filter(({ outcome }) => outcome === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThanOrEqual(2 * storms[side].length);
    }
    // There is always something to write: the first call after the last pause is made, and taken, at once.
    const writes = azure.log.writes;
    const last = writes.findLast(({ outcome }) => outcome === 429)?.at ?? Number.NaN;
    const gust = gustAt(storms.writes, last - begun);
    const isTold = gust?.form === 'seconds' || gust?.form === 'date';
    const reopensAt = isTold ? begun + gust.end : last + LONGEST_PAUSE;
    expect(writes.find(({ at }) => at > last)?.at).toBeLessThanOrEqual(reopensAt + 1_000);
    expect(begun + STORM + took).toBeLessThanOrEqual(reopensAt + BACKLOG);
  });
});
