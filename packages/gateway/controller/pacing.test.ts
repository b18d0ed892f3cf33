import { systemClock } from '@fairlead/control/adapters';
import type { Service } from '@fairlead/kube';
import { expect, it } from 'vitest';
import { staticAddresses } from './addresses/static-addresses.ts';
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

it('restores 20,000 Services without holding up others for more than 50 ms', async () => {
  const pools = poolsOf(gatewayConfiguration().parse({ addresses: ['10.200.0.0/17'] }));
  const l2Ports = await staticAddresses(pools).list(new AbortController().signal);
  const services = Array.from({ length: COUNT }, (_, index) => served(index));
  const restore = async () => {
    const input = { l2Ports, pools, limits: {}, services, rules: claimRules(undefined) };
    const { outcomes } = await takeSnapshot(input, systemClock);
    expect(outcomes.size).toBe(COUNT);
    expect(await new WithdrawalBrake(systemClock).judge(outcomes)).toBeUndefined();
  };
  // The first time compiles the code; garbage that others left is collected whenever it is, and counts as ours.
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= 6 && shortest >= 50; attempt += 1) {
    shortest = Math.min(shortest, await longestBlock(restore));
  }
  expect(shortest).toBeLessThan(50);
}, 120_000);
