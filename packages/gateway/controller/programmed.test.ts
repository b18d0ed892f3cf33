import { type Node, nodes, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { CLASS, conditionOf, gatewayWorld, served } from './testing/gateway-world.ts';

describe('a Service on gateways', () => {
  it('is assigned first, and programmed when a gateway has confirmed it', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    agents.one.applyMilliseconds = 3_000;
    agents.two.isDead = true;
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '!10.1.0.2@node-2']);
    await cluster.createService('web');
    const leader = lead();
    await pass(2);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await conditionOf(made, 'web')).toBe(
      'False AddressAssigned: 192.0.2.1 is assigned, and not yet served by the gateways.',
    );
    await pass(10);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.1.0.1:8080']);
    expect(await conditionOf(made, 'web')).toBe('True Programmed: Reachable at 192.0.2.1.');
    expect(await cluster.eventLines('web')).toEqual([
      'web EnsuringLoadBalancer: 192.0.2.1 is assigned, and not yet served by the gateways.',
      'web EnsuredLoadBalancer: Reachable at 192.0.2.1.',
    ]);
    agents.two.isDead = false;
    await pass(20);
    expect(served(agents.two)).toEqual(served(agents.one));
    await leader.stop();
  });

  it('waits for all gateways where the pool says so', async () => {
    const made = await gatewayWorld({ programmedWhen: 'all' });
    const { cluster, agents, lead, pass } = made;
    agents.two.isDead = true;
    await cluster.createService('web');
    const leader = lead();
    await pass(60);
    expect(await conditionOf(made, 'web')).toContain('False AddressAssigned');
    agents.two.isDead = false;
    await pass(20);
    expect(await conditionOf(made, 'web')).toBe(
      'True Programmed: Reachable at 192.0.2.1. No endpoints: connections are refused.',
    );
    await leader.stop();
  });

  it('is no longer so when a gateway says that it cannot serve what it took', async () => {
    const made = await gatewayWorld({ programmedWhen: 'all' });
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    expect(await conditionOf(made, 'web')).toContain('True Programmed');
    agents.two.isBroken = true;
    await pass(70);
    expect(await conditionOf(made, 'web')).toContain('False AddressAssigned');
    agents.two.isBroken = false;
    await pass(70);
    expect(await conditionOf(made, 'web')).toContain('True Programmed');
    await leader.stop();
  });

  it('is held by a gateway that answers without taking anything until that has let go', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    for (const agent of [agents.one, agents.two]) agent.isOverloaded = true;
    await cluster.deleteService('web');
    await pass(60);
    expect(await cluster.service('web')).toBeDefined();
    await leader.stop();
  });

  it('is sent anew to a gateway that has something else under the same generation', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const leader = lead();
    await pass(10);
    agents.one.tamper();
    expect(served(agents.one)).toEqual([]);
    await pass(70);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.1.0.1:8080']);
    await leader.stop();
  });

  it('takes no more rules of a gateway than one Service may', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    const ports = Array.from({ length: 200 }, (_, index) => ({ name: `p${index}`, port: index + 1, targetPort: 8080 }));
    const ranges = Array.from({ length: 100 }, (_, index) => `10.0.${index}.0/24`);
    await cluster.createService('greedy', { ports, loadBalancerSourceRanges: ranges });
    await cluster.createService('wide', { ports });
    await cluster.putSlice(
      'wide',
      'wide-1',
      Array.from({ length: 40 }, (_, index) => `10.1.0.${index + 1}@node-1`),
      {
        name: 'p0',
        port: 8080,
      },
    );
    const leader = lead();
    await pass(10);
    expect(await conditionOf(made, 'greedy')).toContain('50 is the most with its 200 ports');
    const [wide] = [...agents.one.servers.values()].filter(({ backends }) => backends.length > 0);
    expect(wide?.backends).toHaveLength(12);
    await leader.stop();
  });

  it('says that it has no endpoints, and follows them in one delta without a write to the Service', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const leader = lead();
    await pass(10);
    const writes = cluster.writes.length;
    const { taken } = agents.one;
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.2@node-1']);
    await pass(5);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.1.0.1:8080 10.1.0.2:8080']);
    expect(agents.one.taken).toBe(taken + 1);
    expect(cluster.writes).toHaveLength(writes);
    await cluster.putSlice('web', 'web-1', []);
    await pass(5);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    expect(await conditionOf(made, 'web')).toContain('No endpoints: connections are refused.');
    await leader.stop();
  });

  it('is left alone by a new leader over a converged world: no push, no write', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const first = lead();
    await pass(10);
    await first.stop();
    const before = [cluster.writes.length, agents.one.taken, agents.two.taken];
    const second = lead();
    await pass(600);
    expect([cluster.writes.length, agents.one.taken, agents.two.taken]).toEqual(before);
    await second.stop();
  });

  it('is left alone by a new leader though it asks for a pool that does not exist', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const first = lead();
    await pass(10);
    await first.stop();
    await cluster.editService('web', { metadata: { annotations: { 'gateway.fairlead.dev/pool': 'ghost' } } });
    const { taken } = agents.one;
    cluster.refuse = ({ method, path }) => (method === 'PATCH' && path.includes('/services/') ? 503 : undefined);
    const second = lead();
    await pass(20);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.1.0.1:8080']);
    expect(agents.one.taken).toBe(taken);
    await second.stop();
  });

  it('is served by a new leader that takes its address away until it no longer shows it', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
    await cluster.createService('mail', { ports });
    await pass(1);
    await cluster.createService('web', { ports });
    const first = lead();
    await pass(10);
    await first.stop();
    expect(await cluster.addresses('web')).toEqual(['192.0.2.2']);
    cluster.refuse = ({ method, path }) => (method === 'PATCH' && path.includes('/services/') ? 503 : undefined);
    const second = lead({ addresses: ['192.0.2.1'] });
    await pass(20);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.2']);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80', '192.0.2.2 TCP/80']);
    cluster.refuse = () => undefined;
    await pass(120);
    expect(await cluster.addresses('web')).toEqual([]);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    await second.stop();
  });

  it('is not told to be unserved for one answer that a new leader misses', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    await first.stop();
    const writes = cluster.writes.length;
    for (const agent of [agents.one, agents.two]) agent.isDead = true;
    const second = lead();
    await pass(0.1);
    for (const agent of [agents.one, agents.two]) agent.isDead = false;
    await pass(20);
    expect(cluster.writes).toHaveLength(writes);
    for (const agent of [agents.one, agents.two]) agent.isDead = true;
    await second.stop();
    const third = lead();
    await pass(20);
    expect((await cluster.service('web'))?.status?.conditions?.[0]?.reason).toBe('AddressAssigned');
    await third.stop();
  });

  it('is not taken away by what a leader before the present one sent late, though that has nothing to send', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    await first.stop();
    const { taken } = agents.one;
    const second = lead({}, { epoch: 2 });
    await pass(5);
    const late = { kind: 'whole', generation: { epoch: 1, number: 99 }, virtualServers: [] };
    agents.one.answer({ method: 'PUT', url: 'https://one/v1/config', headers: {}, body: JSON.stringify(late) });
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    await pass(120);
    expect(agents.one.taken).toBe(taken);
    await second.stop();
  });

  it('is not taken away by a leader that had gone as high for an agent as the next one is by its Lease', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const announce = (epoch: number) =>
      agents.one.answer({ method: 'PUT', url: 'https://one/v1/leader', headers: {}, body: JSON.stringify({ epoch }) });
    announce(5);
    const first = lead({}, { epoch: 5 });
    await pass(10);
    await first.stop();
    const second = lead({}, { epoch: 6 });
    await pass(5);
    const late = { kind: 'whole', generation: { epoch: 6, number: 99 }, virtualServers: [] };
    agents.one.answer({ method: 'PUT', url: 'https://one/v1/config', headers: {}, body: JSON.stringify(late) });
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    await second.stop();
  });

  it('goes back to an agent that lost all it had, and above an epoch that it has seen', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    agents.one.forget();
    await pass(120);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    const body = { kind: 'whole', generation: { epoch: 40, number: 7 }, virtualServers: [] };
    agents.one.answer({ method: 'PUT', url: 'https://one/v1/config', headers: {}, body: JSON.stringify(body) });
    expect(served(agents.one)).toEqual([]);
    await pass(120);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    expect(agents.one.generation).toEqual({ epoch: 41, number: 1 });
    await leader.stop();
  });

  it('is told apart when an agent refuses one frontend, and all others go ahead', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    agents.one.refuses = (frontend) => frontend === '192.0.2.2 TCP/80';
    await cluster.createService('web');
    await pass(2);
    await cluster.createService('shop');
    const leader = lead();
    await pass(10);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    expect(served(agents.two)).toEqual(['192.0.2.1 TCP/80', '192.0.2.2 TCP/80']);
    expect(await conditionOf(made, 'web')).toContain('True Programmed');
    const message = 'The gateway one refuses 192.0.2.2: it is not on the list (not-allowed).';
    expect(await conditionOf(made, 'shop')).toBe(`False GatewayRefused: ${message}`);
    expect(await cluster.eventLines('shop')).toContain(`shop SyncLoadBalancerFailed: ${message}`);
    agents.one.refuses = () => false;
    await pass(400);
    expect(await conditionOf(made, 'shop')).toContain('True Programmed');
    await leader.stop();
  });

  it('waits for a gateway that is offered anew what it refused', async () => {
    const made = await gatewayWorld({ programmedWhen: 'all' });
    const { cluster, agents, lead, pass } = made;
    agents.one.refuses = () => true;
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    expect(await conditionOf(made, 'web')).toContain('False GatewayRefused');
    agents.one.refuses = () => false;
    agents.one.applyMilliseconds = 3_000;
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await pass(2);
    expect(served(agents.one)).toEqual([]);
    expect(await conditionOf(made, 'web')).toContain('False AddressAssigned');
    await pass(5);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.1.0.1:8080']);
    expect(await conditionOf(made, 'web')).toBe('True Programmed: Reachable at 192.0.2.1.');
    await leader.stop();
  });

  it('waits for a gateway that is offered anew an edit which it refused', async () => {
    const made = await gatewayWorld({ programmedWhen: 'all' });
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    agents.one.refuses = (_, server) => server?.affinitySeconds !== undefined;
    await cluster.editService('web', { spec: { sessionAffinity: 'ClientIP' } });
    await pass(10);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    expect(await conditionOf(made, 'web')).toContain('False GatewayRefused');
    agents.one.refuses = () => false;
    agents.one.applyMilliseconds = 3_000;
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await pass(2);
    expect(await conditionOf(made, 'web')).toContain('False AddressAssigned');
    await pass(5);
    expect(await conditionOf(made, 'web')).toContain('True Programmed');
    await leader.stop();
  });

  it('is let go only after the gateways that can be reached have dropped it', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    agents.one.applyMilliseconds = 5_000;
    await cluster.deleteService('web');
    await pass(3);
    const web = await cluster.service('web');
    expect(web?.metadata.finalizers).toEqual([CLASS]);
    expect(web?.metadata.annotations ?? {}).not.toHaveProperty('gateway.fairlead.dev/l2-ports');
    expect(web?.status?.loadBalancer?.ingress).toBeUndefined();
    await pass(5);
    expect(await cluster.service('web')).toBeUndefined();
    expect(served(agents.one)).toEqual([]);
    await leader.stop();
  });

  it('is let go without a gateway that is dead, which is told first of all when it is back', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    agents.two.isDead = true;
    await cluster.deleteService('web');
    await pass(15);
    expect(await cluster.service('web')).toBeUndefined();
    expect(served(agents.two)).toEqual(['192.0.2.1 TCP/80']);
    agents.two.isDead = false;
    await pass(20);
    expect(served(agents.two)).toEqual([]);
    await leader.stop();
  });

  it('is let go without a word from gateways of pools that it never was on', async () => {
    const pools = [
      { name: 'a', addresses: ['192.0.2.1'], gateways: [{ name: 'one', url: 'https://one' }] },
      { name: 'b', addresses: ['192.0.2.9'], gateways: [{ name: 'two', url: 'https://two' }], automatic: false },
    ];
    const { cluster, agents, lead, pass } = await gatewayWorld({ addresses: undefined, gateways: undefined, pools });
    agents.two.answer = () => ({
      status: 500,
      headers: {},
      body: (async function* () {
        yield Buffer.from(JSON.stringify({ kind: 'refused', code: 'apply-failed', message: 'no nft', errors: [] }));
      })(),
    });
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    await cluster.deleteService('web');
    await pass(5);
    expect(await cluster.service('web')).toBeUndefined();
    expect(served(agents.one)).toEqual([]);
    await leader.stop();
  });

  it('is let go only after a new leader has heard from the gateways what they serve', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    await first.stop();
    await cluster.deleteService('web');
    agents.one.applyMilliseconds = 8_000;
    const second = lead();
    await pass(5);
    expect((await cluster.service('web'))?.metadata.finalizers).toEqual([CLASS]);
    await pass(10);
    expect(await cluster.service('web')).toBeUndefined();
    expect(served(agents.one)).toEqual([]);
    await second.stop();
  });

  it('confirms what an agent did although its answer was lost, without sending it again', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    agents.two.isDead = true;
    const leader = lead();
    await pass(5);
    agents.one.losesAnswers = true;
    await cluster.createService('web');
    await pass(30);
    expect(await conditionOf(made, 'web')).toContain('True Programmed');
    expect(agents.one.taken).toBe(2);
    await leader.stop();
  });

  it('is served to those it admits, and stays with its address when an edit cannot be honoured', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web', { sessionAffinity: 'ClientIP', loadBalancerSourceRanges: ['198.51.100.0/24'] });
    const leader = lead();
    await pass(10);
    expect(agents.one.servers.get('192.0.2.1 TCP/80')).toMatchObject({
      affinitySeconds: 10_800,
      sourceRanges: ['198.51.100.0/24'],
    });
    await cluster.editService('web', { metadata: { annotations: { 'gateway.fairlead.dev/sharing': 'perhaps' } } });
    await pass(5);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await conditionOf(made, 'web')).toContain(
      'False InvalidSharing: Reachable at 192.0.2.1, but not as it asks',
    );
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    await cluster.editService('web', {
      metadata: { annotations: { 'gateway.fairlead.dev/sharing': null } },
      spec: {
        loadBalancerSourceRanges: Array.from({ length: 1_001 }, (_, index) => `10.0.${index >> 8}.${index & 255}/32`),
      },
    });
    await pass(5);
    expect(await cluster.addresses('web')).toEqual([]);
    expect(served(agents.one)).toEqual([]);
    expect(await conditionOf(made, 'web')).toContain('False TooManySourceRanges');
    await leader.stop();
  });

  it('is served by an agent as before when that refuses an edit, but not to whom the edit shuts out', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld();
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const leader = lead();
    await pass(10);
    agents.one.refuses = () => true;
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.2@node-1']);
    await pass(5);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.1.0.1:8080']);
    await cluster.editService('web', { spec: { loadBalancerSourceRanges: ['198.51.100.0/24'] } });
    await pass(5);
    expect(served(agents.one)).toEqual([]);
    expect(served(agents.two)).toHaveLength(1);
    await leader.stop();
  });

  it.each([
    ['as before', (backends: number) => backends > 1, ['192.0.2.1 TCP/80 10.1.0.1:8080']],
    ['not at all where it refuses that, too', () => true, []],
  ])('is served %s by an agent that refuses an edit which a new leader sends', async (_, refuses, expected) => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const first = lead();
    await pass(10);
    await first.stop();
    agents.one.refuses = (__, server) => refuses(server?.backends.length ?? 0);
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.2@node-1']);
    const second = lead();
    await pass(10);
    expect(served(agents.one)).toEqual(expected);
    expect(served(agents.two)).toEqual(['192.0.2.1 TCP/80 10.1.0.1:8080 10.1.0.2:8080']);
    expect(await conditionOf(made, 'web')).toContain('False GatewayRefused');
    await second.stop();
  });

  it('moves to the address that a change of its pool leaves, and is served nowhere else', async () => {
    const pools = (addresses: readonly string[]) => ({
      addresses: undefined,
      gateways: undefined,
      pools: [
        { name: 'a', addresses, gateways: [{ name: 'one', url: 'https://one' }] },
        { name: 'b', addresses: ['192.0.2.9'], gateways: [{ name: 'two', url: 'https://two' }], automatic: false },
      ],
    });
    const { cluster, agents, lead, pass } = await gatewayWorld(pools(['192.0.2.1', '192.0.2.2']));
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    expect(served(agents.two)).toEqual([]);
    await first.stop();
    const second = lead(pools(['192.0.2.2']));
    await pass(10);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.2']);
    expect(served(agents.one)).toEqual(['192.0.2.2 TCP/80']);
    await cluster.editService('web', { metadata: { annotations: { 'gateway.fairlead.dev/pool': 'b' } } });
    await pass(10);
    expect([served(agents.one), served(agents.two)]).toEqual([[], ['192.0.2.9 TCP/80']]);
    await second.stop();
  });

  it('is let go only after the gateways of a pool that it has just left have dropped it', async () => {
    const pools = [
      { name: 'a', addresses: ['192.0.2.1'], gateways: [{ name: 'one', url: 'https://one' }] },
      { name: 'b', addresses: ['192.0.2.9'], gateways: [{ name: 'two', url: 'https://two' }], automatic: false },
    ];
    const { cluster, agents, lead, pass } = await gatewayWorld({ addresses: undefined, gateways: undefined, pools });
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    agents.one.applyMilliseconds = 8_000;
    await cluster.editService('web', { metadata: { annotations: { 'gateway.fairlead.dev/pool': 'b' } } });
    await pass(2);
    await cluster.deleteService('web');
    await pass(3);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    expect((await cluster.service('web'))?.metadata.finalizers).toEqual([CLASS]);
    await pass(10);
    expect(await cluster.service('web')).toBeUndefined();
    expect(served(agents.one)).toEqual([]);
    await leader.stop();
  });

  it('has its nodes followed where connections go to node ports', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld({ backends: 'node-ports' });
    const ready = { conditions: [{ type: 'Ready', status: 'True' }] } as const;
    const setReady = (name: string) => cluster.client.patchMerge<Node>(statusOf(nodes), { name }, { status: ready });
    await setReady('node-1');
    await cluster.createService('web', { ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] });
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const leader = lead();
    await pass(10);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.9.0.1:30080']);
    await setReady('node-2');
    await pass(5);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80 10.9.0.1:30080 10.9.0.2:30080']);
    await leader.stop();
  });

  it('tells in the journal what keeps a gateway from being in step', async () => {
    const { agents, lead, pass } = await gatewayWorld();
    agents.one.isDead = true;
    const leader = lead();
    await pass(5);
    expect(leader.journal.entries('gateway one')).toMatchObject([{ kind: 'error', code: 'connection-refused' }]);
    await leader.stop();
  });

  it('is held on its address by its gateways while the brake holds it back', async () => {
    const { cluster, agents, lead, pass } = await gatewayWorld({ addresses: ['192.0.2.1-192.0.2.12'] });
    for (let index = 0; index < 12; index += 1) await cluster.createService(`web-${index}`);
    const first = lead();
    await pass(20);
    await first.stop();
    expect(agents.one.servers.size).toBe(12);
    const second = lead({ addresses: ['2001:db8::99'] });
    await pass(300);
    expect(agents.one.servers.size).toBe(12);
    await pass(400);
    expect(agents.one.servers.size).toBe(0);
    await second.stop();
  });

  it('is planned and explained down to the backend', async () => {
    const { cluster, agents, configured, lead, look, pass } = await gatewayWorld();
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    expect((await configured.plan(look)).changes).toMatchObject([
      { subject: 'Service shop/web', action: 'create', writes: 2 },
      { subject: 'Gateway one', action: 'create', detail: 'is sent 1 virtual servers' },
      { subject: 'Gateway two', action: 'create' },
    ]);
    const leader = lead();
    await pass(10);
    expect((await configured.plan(look)).changes.map(({ writes }) => writes)).toEqual([0]);
    const subject = { kind: 'service', namespace: NAMESPACE, name: 'web' };
    expect(await configured.explain(look, subject)).toMatchObject({
      answer: 'Service shop/web has 192.0.2.1.',
      wanted: [expect.any(String), 'TCP/80 on 192.0.2.1 to 10.1.0.1:8080'],
      there: [
        '192.0.2.1 in status.loadBalancer.ingress',
        'the gateway one has what it should and holds 192.0.2.1',
        'the gateway two has what it should and holds 192.0.2.1',
      ],
    });
    agents.two.isDead = true;
    expect(await configured.explain(look, subject)).toMatchObject({
      state: 'working',
      waitsFor: 'the gateways two to take their configuration',
    });
    expect((await configured.status(look)).figures).toMatchObject({ 'Gateways in step': 1, Gateways: 2 });
    await leader.stop();
  });
});
