import { requireIpAddress, VirtualClock } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { serviceKey } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { staticAddresses } from './addresses/static-addresses.ts';
import { gatewayConfiguration, poolsOf } from './configuration.ts';
import { claimRules } from './desired.ts';
import { takeSnapshot } from './snapshot.ts';
import { WithdrawalBrake } from './withdrawal-brake.ts';
import { RELEASE_ANNOTATION, Releases } from '@fairlead/part';

function served(index: number): Service {
  const address = requireIpAddress(`192.0.2.${index + 1}`);
  return {
    metadata: {
      namespace: 'shop',
      name: `web-${index}`,
      finalizers: ['fairlead.dev/gateway'],
      annotations: { 'gateway.fairlead.dev/l2-ports': address, 'gateway.fairlead.dev/l4-ports': 'TCP/80' },
    },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/gateway',
      ipFamilies: ['IPv4'],
      ports: [{ port: 80 }],
    },
    status: { loadBalancer: { ingress: [{ ip: address, ipMode: 'VIP' }] } },
  };
}

async function outcomesOf(count: number, pool: readonly string[], make = served) {
  const pools = poolsOf(gatewayConfiguration().parse({ addresses: pool }));
  const l2Ports = await staticAddresses(pools).list(new AbortController().signal);
  const services = Array.from({ length: count }, (_, index) => make(index));
  const input = { l2Ports, pools, limits: {}, services, rules: claimRules(undefined) };
  return (await takeSnapshot(input, new VirtualClock())).outcomes;
}

const first = serviceKey({ namespace: 'shop', name: 'web-0' });

describe('WithdrawalBrake', () => {
  it('holds back emptying a cluster whose pool is gone, until it was so for ten minutes', async () => {
    const clock = new VirtualClock();
    const brake = new WithdrawalBrake(clock);
    const outcomes = await outcomesOf(20, ['203.0.113.99']);
    expect((await brake.judge(outcomes))?.message).toContain('20 of 20 addresses that Services show');
    const outcome = outcomes.get(first);
    expect(outcome !== undefined && brake.holds(first, outcome)).toBe(true);
    await clock.advance(600_000);
    expect(outcome !== undefined && brake.holds(first, outcome)).toBe(false);
  });

  it('does not hold what would let in clients that the owners of Services shut out', async () => {
    const shut = (index: number): Service => {
      const one = served(index);
      return { ...one, spec: { ...one.spec, loadBalancerSourceRanges: ['nonsense'] } };
    };
    const brake = new WithdrawalBrake(new VirtualClock());
    const outcomes = await outcomesOf(20, ['192.0.2.0/27'], shut);
    expect(outcomes.get(first)).toMatchObject({ kind: 'refuse', shutsOut: true });
    expect(await brake.judge(outcomes)).toBeUndefined();
  });

  it('lets go what an operator releases, also when the pools are read anew', async () => {
    const releases = new Releases('gateway');
    const mark = (value: string) =>
      releases.observe({ metadata: { name: 'lease', annotations: { [RELEASE_ANNOTATION]: value } } });
    mark('old');
    const brake = new WithdrawalBrake(new VirtualClock(), releases);
    const outcomes = await outcomesOf(20, ['203.0.113.99']);
    expect((await brake.judge(outcomes))?.message).toContain('to let it go ahead now: fairlead release gateway.');
    mark('new');
    const outcome = outcomes.get(first);
    expect(outcome !== undefined && brake.holds(first, outcome)).toBe(false);
    expect(await brake.judge(outcomes)).toBeUndefined();
  });

  it('holds back moving most Services to other addresses', async () => {
    const brake = new WithdrawalBrake(new VirtualClock());
    expect((await brake.judge(await outcomesOf(20, ['198.51.100.0/24'])))?.held).toHaveLength(20);
  });

  it('holds back taking one of their two addresses from most Services', async () => {
    const brake = new WithdrawalBrake(new VirtualClock());
    const dual = (index: number): Service => {
      const service = served(index);
      const six = { ip: requireIpAddress(`2001:db8::${index + 1}`), ipMode: 'VIP' } as const;
      const [four] = service.status?.loadBalancer?.ingress ?? [];
      return {
        ...service,
        spec: { ...service.spec, ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] },
        status: { loadBalancer: { ingress: four === undefined ? [six] : [four, six] } },
      };
    };
    const hold = await brake.judge(await outcomesOf(20, ['192.0.2.1-192.0.2.60'], dual));
    expect(hold?.held).toHaveLength(20);
  });

  it('lets a few go, and everybody who keeps an address', async () => {
    const brake = new WithdrawalBrake(new VirtualClock());
    expect(await brake.judge(await outcomesOf(9, ['203.0.113.99']))).toBeUndefined();
    expect(await brake.judge(await outcomesOf(40, ['192.0.2.11-192.0.2.60']))).toBeUndefined();
    expect(await brake.judge(await outcomesOf(40, ['192.0.2.1-192.0.2.60']))).toBeUndefined();
  });
});
