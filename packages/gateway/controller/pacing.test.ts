import { Journal, noMetrics, seededRandom, silentLogger } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import type { Service } from '@fairlead/kube';
import { DeletionGuard } from '@fairlead/part';
import { toServiceKey } from '@fairlead/service';
import { expect, it } from 'vitest';
import { Allocator } from './addresses/allocation.ts';
import type { L2PortId } from './addresses/l2-port.ts';
import { staticAddresses } from './addresses/static-addresses.ts';
import { SupplyWorker } from './addresses/supply-worker.ts';
import { gatewayConfiguration, poolsOf } from './configuration.ts';
import { claimRules } from './desired.ts';
import { takeSnapshot } from './snapshot.ts';
import { WithdrawalBrake } from './withdrawal-brake.ts';

const COUNT = 20_000;

function served(index: number): Service {
  const ip = `10.200.${index >> 8}.${index & 255}`;
  return {
    metadata: {
      namespace: `tenant-${index % 50}`,
      name: `web-${index}`,
      creationTimestamp: `2026-01-01T00:00:${String((index * 7) % 60).padStart(2, '0')}Z`,
      finalizers: ['fairlead.dev/gateway'],
      annotations: { 'gateway.fairlead.dev/l2-ports': ip, 'gateway.fairlead.dev/l4-ports': 'TCP/80' },
    },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/gateway',
      ipFamilies: ['IPv4'],
      ports: [{ port: 80 }],
    },
    status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] }] } },
  };
}

/** The longest that the work keeps the event loop from others, in milliseconds of the processor. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const over = new AbortController();
  let longest = 0;
  let last = cpu();
  const watch = async () => {
    while (!over.signal.aborted) {
      await systemClock.turn();
      longest = Math.max(longest, cpu() - last);
      last = cpu();
    }
  };
  const watching = watch();
  await work();
  over.abort();
  await watching;
  return longest;
}

/** The first time compiles the code; garbage that others left is collected whenever it is, and counts as ours. */
async function shortestOf(attempts: number, work: () => Promise<unknown>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= attempts && shortest >= 50; attempt += 1) {
    shortest = Math.min(shortest, await longestBlock(work));
  }
  return shortest;
}

const pools = poolsOf(gatewayConfiguration().parse({ addresses: ['10.200.0.0/17'] }));
const listed = staticAddresses(pools).list(new AbortController().signal);

it('restores 20,000 Services without holding up others for more than 50 ms', async () => {
  const l2Ports = await listed;
  const services = Array.from({ length: COUNT }, (_, index) => served(index));
  const restore = async () => {
    const input = { l2Ports, pools, limits: {}, services, rules: claimRules(undefined) };
    const { outcomes } = await takeSnapshot(input, systemClock);
    expect(outcomes.size).toBe(COUNT);
    expect(await new WithdrawalBrake(systemClock).judge(outcomes)).toBeUndefined();
  };
  expect(await shortestOf(6, restore)).toBeLessThan(50);
}, 120_000);

it('judges records of many ports, which any owner can write, without holding up others', async () => {
  const l2Ports = await listed;
  const ports = Array.from({ length: 1_000 }, (_, index) => ({ name: `p${index}`, port: 10_000 + index }));
  const claimed = ports.map(({ port }) => `TCP/${port}`).join(',');
  const services = Array.from({ length: 400 }, (_, index): Service => {
    const { metadata, spec } = served(index);
    const annotations = { 'gateway.fairlead.dev/l2-ports': '10.200.0.1', 'gateway.fairlead.dev/l4-ports': claimed };
    return { metadata: { ...metadata, annotations }, spec: { ...spec, ports } };
  });
  const restore = async () => {
    const input = { l2Ports, pools, limits: {}, services, rules: claimRules(undefined) };
    expect((await takeSnapshot(input, systemClock)).ignoredRecords).toHaveLength(services.length);
  };
  expect(await shortestOf(4, restore)).toBeLessThan(50);
}, 120_000);

it('looks for what would help thousands that wait without holding up others', async () => {
  const l2Ports = (await listed).slice(0, 200);
  const allocator = new Allocator(l2Ports, { exclusiveAddresses: 1 });
  const request = (name: string, port: number, exclusive: boolean) => ({
    service: toServiceKey(name),
    pool: 'default',
    isPoolAsked: false,
    permittedPools: ['default'],
    families: ['IPv4' as const],
    everyFamilyRequired: true,
    l4Ports: [{ protocol: 'TCP' as const, port }],
    createdAt: '',
    exclusive,
    requestedAddresses: [],
  });
  for (let index = 0; index < 10 * l2Ports.length; index += 1) {
    allocator.assign({
      ...request(`shop/web-${index}`, 1_000 + Math.floor(index / l2Ports.length), false),
      requestedAddresses: [l2Ports[index % l2Ports.length]?.ingress].filter((one) => one !== undefined),
    });
  }
  const signal = new AbortController().signal;
  const worker = new SupplyWorker({
    supply: { create: () => new Promise(() => {}), release: async () => {}, abandon: async () => {} },
    allocator,
    guard: new DeletionGuard<L2PortId>({
      clock: systemClock,
      logger: silentLogger,
      metrics: noMetrics,
      cluster: { record() {} },
      brake: { things: 'addresses' },
      gauge: { name: 'held', kind: 'gauge', help: 'Held.' },
    }),
    clock: systemClock,
    random: seededRandom(1),
    logger: silentLogger,
    journal: new Journal(systemClock),
    signal,
    isQuiet: () => true,
    requeue: () => {},
    startOver: () => {},
  });
  for (let index = 0; index < 3_000; index += 1) {
    const waiting = request(`hostile/web-${index}`, 80, true);
    expect(allocator.assign(waiting).kind).toBe('refused');
    worker.want(waiting.service, 'default', ['IPv4']);
  }
  let port = 2_000;
  const clean = async () => {
    port += 1;
    allocator.assign(request('shop/another', port, false));
    worker.clean();
    for (let turn = 0; turn < 100; turn += 1) await systemClock.turn();
  };
  expect(await shortestOf(4, clean)).toBeLessThan(50);
}, 120_000);
