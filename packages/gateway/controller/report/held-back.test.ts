import { type Logger, silentLogger } from '@fairlead/control';
import { RELEASE_ANNOTATION, Releases } from '@fairlead/part';
import type { TestLeaderOptions } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { gatewayWorld } from '../testing/gateway-world.ts';

const HOLD =
  'Holding back the deletion of 12 of 12 addresses that Services show: more than 30 % at once. It goes ahead if a list ' +
  'after 600 s still asks for it; to let it go ahead now: fairlead release gateway.';

/** Twelve Services whose addresses are in no pool any more, and a leader that keeps them for now. */
async function heldWorld(addresses: readonly string[], options: TestLeaderOptions = {}) {
  const world = await gatewayWorld({ addresses: ['192.0.2.1-192.0.2.12'] });
  for (let index = 0; index < 12; index += 1) {
    await world.cluster.createService(`web-${index}`);
    await world.pass(1);
  }
  const before = world.lead();
  await world.pass(10);
  await before.stop();
  const leader = world.lead({ addresses }, options);
  await world.pass(10);
  return { ...world, leader, changed: world.reconfigured({ addresses }) };
}

describe('while the brake holds', () => {
  it('why tells the address that a Service still has, and what would take it away', async () => {
    const { changed, look, leader } = await heldWorld(['2001:db8::9']);
    expect(await changed.explain(look, { kind: 'service', namespace: 'shop', name: 'web-0' })).toEqual({
      answer: 'Service shop/web-0 still has 192.0.2.1: the brake holds back that it loses that.',
      state: 'working',
      wanted: [
        'an IPv4 address with TCP/80, because its class fairlead.dev/gateway is ours',
        expect.stringMatching(/^no address \(family-missing\): /),
      ],
      there: [
        '192.0.2.1 in status.loadBalancer.ingress',
        'the gateway one has what it should and holds 192.0.2.1',
        'the gateway two has what it should and holds 192.0.2.1',
      ],
      waitsFor: HOLD,
    });
    await leader.stop();
  });

  it('why tells what it would have instead', async () => {
    const { changed, look, leader } = await heldWorld(['198.51.100.1-198.51.100.12']);
    const told = await changed.explain(look, { kind: 'service', namespace: 'shop', name: 'web-0' });
    expect(told?.wanted).toContain('198.51.100.1 instead of 192.0.2.1');
    await leader.stop();
  });

  it.each([
    ['the address before and after', ['198.51.100.1-198.51.100.12'], 'update', 'gets 198.51.100.1'],
    ['what is lost by a refusal', ['2001:db8::9'], 'refuse', expect.stringMatching(/^family-missing: the pool .*IPv4/)],
  ])('plan tells %s, and what is held back', async (_, addresses, action, detail) => {
    const { changed, look, leader } = await heldWorld(addresses);
    const { changes, heldBack } = await changed.plan(look);
    expect(heldBack).toBe(HOLD);
    expect(changes).toHaveLength(12);
    expect(changes).toContainEqual(
      expect.objectContaining({ subject: 'Service shop/web-0', action, detail, loses: ['192.0.2.1'] }),
    );
    await leader.stop();
  });

  it('goes ahead when an operator releases it, and the log says so, once', async () => {
    const releases = new Releases('gateway');
    const info = vi.fn<Logger['info']>();
    const child = () => logger;
    const logger: Logger = { ...silentLogger, info, child };
    const { cluster, leader, pass } = await heldWorld(['2001:db8::9'], { releases, logger });
    const mark = (value: string) =>
      releases.observe({ metadata: { name: 'lease', annotations: { [RELEASE_ANNOTATION]: value } } });
    mark('old');
    await pass(10);
    expect((await cluster.service('web-0'))?.status?.loadBalancer?.ingress).toMatchObject([{ ip: '192.0.2.1' }]);
    for (const value of ['new', 'newer']) {
      mark(value);
      await pass(10);
      expect((await cluster.service('web-0'))?.status?.loadBalancer?.ingress ?? []).toEqual([]);
    }
    const told = info.mock.calls.filter(([, message]) => message === 'an operator releases what is held back');
    expect(told).toEqual([[{ held: 12 }, expect.anything()]]);
    await leader.stop();
  });

  it('status counts the Services as served, and names it as a problem', async () => {
    const { changed, look, leader, pass } = await heldWorld(['2001:db8::9']);
    const held = await changed.status(look);
    expect(held.problems).toEqual([HOLD]);
    expect(held.summary).toBe('not every Service has what it asks for');
    expect(held.figures).toMatchObject({
      'Services served': 12,
      'Services that only the brake keeps served': 12,
      'Services without an address': 0,
      'Services with writes to come': 0,
      'Gateways in step': 2,
    });
    await pass(700);
    const { figures, problems } = await changed.status(look);
    expect(problems).toBeUndefined();
    expect(figures).toMatchObject({ 'Services served': 0, 'Services without an address': 12 });
    await leader.stop();
  });
});
