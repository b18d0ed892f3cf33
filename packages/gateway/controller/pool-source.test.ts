import { describe, expect, it } from 'vitest';
import { conditionOf, gatewayWorld, served } from './testing/gateway-world.ts';

const pool = (name: string, addresses: readonly string[], more = '') => `
- name: ${name}
  addresses: [${addresses.join(', ')}]
  gateways: [{ name: one, url: "https://one" }]
${more}`;

async function world(text: string) {
  const made = await gatewayWorld({ addresses: undefined, gateways: undefined, poolsFile: 'pools.yaml' });
  made.files.set('pools.yaml', text);
  return made;
}

describe('pools in a file', () => {
  it('change without a restart: Services stay where they can, and move from what is gone', async () => {
    const { cluster, agents, files, lead, pass } = await world(pool('a', ['192.0.2.1', '192.0.2.2']));
    await cluster.createService('web');
    await pass(2);
    await cluster.createService('shop');
    const leader = lead();
    await pass(10);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80', '192.0.2.2 TCP/80']);
    files.set('pools.yaml', pool('a', ['192.0.2.2', '192.0.2.3']));
    await pass(20);
    expect(await cluster.addresses('shop')).toEqual(['192.0.2.2']);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.3']);
    expect(served(agents.one)).toEqual(['192.0.2.2 TCP/80', '192.0.2.3 TCP/80']);
    expect(leader.readiness).toEqual({ ready: true });
    await leader.stop();
  });

  it('cost no write and no push where the change concerns no Service', async () => {
    const { cluster, agents, files, lead, pass } = await world(pool('a', ['192.0.2.1']));
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    const before = [cluster.writes.length, agents.one.taken];
    files.set('pools.yaml', pool('a', ['192.0.2.1', '192.0.2.2']) + pool('b', ['192.0.2.9']));
    await pass(60);
    expect([cluster.writes.length, agents.one.taken]).toEqual(before);
    await cluster.createService('late', {}, { 'gateway.fairlead.dev/pool': 'b' });
    await pass(5);
    expect(await cluster.addresses('late')).toEqual(['192.0.2.9']);
    await leader.stop();
  });

  it.each([
    ['at once', false],
    ['when it is back', true],
  ])('have a gateway that left them serve nothing, %s', async (_, isDead) => {
    const text = pool('a', ['192.0.2.1']);
    const { cluster, agents, files, lead, pass } = await world(
      text.replace('"https://one" }]', '"https://one" }, { name: two, url: "https://two" }]'),
    );
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    expect(served(agents.two)).toEqual(['192.0.2.1 TCP/80']);
    agents.two.isDead = isDead;
    files.set('pools.yaml', text);
    await pass(60);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    agents.two.isDead = false;
    await pass(30);
    expect(served(agents.two)).toEqual([]);
    // It belongs to others now.
    agents.two.forget();
    const { taken } = agents.two;
    await pass(300);
    expect(agents.two.taken).toBe(taken);
    await leader.stop();
  });

  it('stay in force while the file cannot be used', async () => {
    const { cluster, agents, files, lead, pass } = await world(pool('a', ['192.0.2.1']));
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    for (const text of ['', ': :', '- name: A', pool('a', ['192.0.2.1']) + pool('b', ['192.0.2.1'])]) {
      files.set('pools.yaml', text);
      await pass(30);
      expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    }
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    await leader.stop();
  });

  it('take many addresses away only after a while, and not from whom they are still held', async () => {
    const { cluster, agents, files, lead, pass } = await world(pool('a', ['192.0.2.0/27']));
    for (let index = 0; index < 12; index += 1) await cluster.createService(`web-${index}`);
    const leader = lead();
    await pass(10);
    files.set('pools.yaml', pool('a', ['192.0.2.100']));
    await pass(300);
    expect(agents.one.servers.size).toBe(12);
    expect(await cluster.eventLines('web-3')).toContainEqual(expect.stringContaining('DeletionHeldBack'));
    await pass(400);
    expect([...agents.one.servers.keys()]).toEqual(['192.0.2.100 TCP/80']);
    await leader.stop();
  });

  it('take a Service off that may not use its pool any more', async () => {
    const made = await world(pool('a', ['192.0.2.1']));
    const { cluster, files, lead, pass } = made;
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    files.set('pools.yaml', pool('a', ['192.0.2.1'], '  namespaces: [other]\n'));
    await pass(20);
    expect(await cluster.addresses('web')).toEqual([]);
    expect(await conditionOf(made, 'web')).toContain('False PoolMissing');
    await leader.stop();
  });
});
