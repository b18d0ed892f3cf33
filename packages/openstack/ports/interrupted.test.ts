import { describe, expect, it } from 'vitest';
import { portsWorld } from './testing/ports-world.ts';

type World = Awaited<ReturnType<typeof portsWorld>>;
type Call = Parameters<World['emulator']['faults']['next']>[0];

/** Leads while `change` is made, never gets an answer to such a call, and is gone then. */
async function leadUntil({ emulator, lead, pass }: World, call: Call, change: () => Promise<unknown>): Promise<void> {
  const leader = lead();
  await pass(30);
  emulator.faults.next(call, { kind: 'delay', milliseconds: 600_000 }, 10);
  await change();
  await pass(10);
  await leader.stop();
  emulator.faults.clear();
}

describe('if interrupted', () => {
  it.each<[string, Call, number]>([
    ['1: the port is', { method: 'POST', kind: 'floatingips' }, 0],
    ['2: the port and its floating IP are', { method: 'PUT', kind: 'ports' }, 1],
  ])('CreateAndAssignPort %s cleaned up by CleanUnusedPorts', async (_, next, made) => {
    const world = await portsWorld();
    const { cluster, lead, pass, ports, floatingIps, pairs } = world;
    await leadUntil(world, next, () => cluster.createService('web'));
    expect([ports().length, floatingIps().length]).toEqual([1, made]);
    await cluster.deleteService('web');
    const second = lead();
    await pass(120);
    expect([ports(), floatingIps(), pairs()]).toEqual([[], [], []]);
    expect(await cluster.service('web')).toBeUndefined();
    await second.stop();
  });

  it.each<[string, Call, number]>([
    ['UnmapService 1: L2 ports are', { method: 'PUT', kind: 'ports' }, 1],
    ['CleanUnusedPorts 3: initial sync calls it, and unused ports are', { method: 'DELETE', kind: 'ports' }, 1],
    [
      'CleanUnusedPorts 5: initial sync calls it, and unused floating IPs are',
      { method: 'DELETE', kind: 'floatingips' },
      0,
    ],
  ])('%s cleaned up', async (_, next, left) => {
    const world = await portsWorld();
    const { cluster, agent, lead, pass, ports, floatingIps, pairs } = world;
    await cluster.createService('web');
    await leadUntil(world, next, () => cluster.deleteService('web'));
    expect([ports().length, floatingIps().length]).toEqual([left, 1]);
    expect((await cluster.service('web'))?.metadata.annotations ?? {}).toEqual({});
    const second = lead();
    await pass(60);
    expect([ports(), floatingIps(), pairs()]).toEqual([[], [], []]);
    expect(await cluster.service('web')).toBeUndefined();
    expect(agent.servers.size).toBe(0);
    await second.stop();
  });

  it.each([
    ['the port', { method: 'POST', kind: 'ports' }],
    ['its tags', { method: 'PUT', kind: 'tags' }],
    ['its floating IP', { method: 'POST', kind: 'floatingips' }],
    ['the gateways’ pairs', { method: 'PUT', kind: 'ports' }],
  ] as const)('CreateAndAssignPort, after %s: the next leader finishes it for those that wait', async (_, match) => {
    const { cluster, emulator, lead, pass, ports, floatingIps, pairs } = await portsWorld();
    await cluster.createService('web');
    emulator.faults.next(match, { kind: 'lose-response' });
    emulator.faults.next({ method: 'PUT' }, { kind: 'delay', milliseconds: 60_000 });
    emulator.faults.next({ method: 'POST', kind: 'floatingips' }, { kind: 'delay', milliseconds: 60_000 });
    const first = lead();
    await pass(3);
    await first.stop();
    emulator.faults.clear();
    const second = lead();
    await pass(120);
    expect(await cluster.addresses('web')).toHaveLength(1);
    expect(await cluster.addresses('web')).toEqual(floatingIps().map((one) => one['floating_ip_address']));
    expect([ports().length, pairs()]).toMatchObject([1, [{}]]);
    await cluster.deleteService('web');
    await pass(120);
    expect([ports(), floatingIps(), pairs()]).toEqual([[], [], []]);
    await second.stop();
  });
});
