import { setTimeout } from 'node:timers/promises';
import { requireIpAddress } from '@fairlead/control';
import { flowEnd, virtualServer } from '@fairlead/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendAddress, backendAddress6, type GatewayName, gatewayNames, type Hand, Testbed } from './testbed.ts';

const isRoot = process.getuid?.() === 0;
const VIP = '192.0.2.10';
const PRESERVED = '192.0.2.11';
/** What another program lets pass. */
const STRANGE = '203.0.113.250';
const SERVING = ['list', 'chain', 'inet', 'fairlead', 'serve-arriving'];
const VIP6 = '2001:db8:ff::10';

interface Server {
  readonly address: string;
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
  readonly service: string;
  readonly backends: readonly { readonly address: string; readonly port: number }[];
  readonly preservesClientAddress: boolean;
  readonly sourceRanges?: readonly string[];
  readonly affinitySeconds?: number;
}

const numbers = Array.from({ length: 10 }, (_, index) => index + 1);
const backends = numbers.map((number) => ({ address: backendAddress(number), port: 8_080 }));
const backends6 = numbers.map((number) => ({ address: backendAddress6(number), port: 8_080 }));

function server(more: Partial<Server>): Server {
  return {
    address: VIP,
    protocol: 'TCP',
    port: 80,
    service: 'default/web',
    backends,
    preservesClientAddress: false,
    ...more,
  };
}

const everything: readonly Server[] = [
  server({}),
  server({ protocol: 'UDP', port: 53 }),
  server({ port: 81, backends: [] }),
  server({ port: 82, sourceRanges: ['203.0.113.0/24'] }),
  server({ port: 83, sourceRanges: ['198.51.100.0/24'] }),
  server({ port: 84, affinitySeconds: 10_800 }),
  server({ address: PRESERVED, preservesClientAddress: true, backends: backends.slice(0, 3) }),
  server({ address: VIP6, backends: backends6 }),
  server({ address: VIP6, protocol: 'UDP', port: 53, backends: backends6 }),
];

describe.skipIf(!isRoot)('gateways in network namespaces (needs root)', () => {
  let testbed: Testbed;
  let client: Hand;
  let pods: Hand;
  let generation = 0;

  async function put(name: GatewayName, virtualServers: readonly Server[], number: number): Promise<unknown> {
    const body = JSON.stringify({ kind: 'whole', generation: { epoch: 1, number }, virtualServers });
    return client.do({ do: 'ask', url: testbed.url(name, '/v1/config'), method: 'PUT', body, tls: testbed.tls });
  }

  async function configure(virtualServers: readonly Server[]): Promise<void> {
    generation += 1;
    for (const name of gatewayNames) {
      expect(await put(name, virtualServers, generation)).toMatchObject({ status: 200, body: { kind: 'taken' } });
    }
  }

  const holder = () => gatewayNames.find((name) => testbed.holdsAddress(name, VIP));

  beforeAll(async () => {
    testbed = new Testbed();
    client = testbed.hand('client');
    pods = testbed.hand('pods');
    await Promise.all(gatewayNames.map((name) => testbed.startAgent(name)));
    await pods.do({
      do: 'serve',
      addresses: [...backends, ...backends6].map(({ address }) => address),
      port: 8_080,
    });
    await configure(everything);
    while (holder() === undefined) await setTimeout(50);
  }, 60_000);

  afterAll(async () => {
    await testbed?.end();
  });

  it('reach every backend with its share of 20,000 flows', async () => {
    const counts = await client.datagrams(VIP, 53, 20_000, 20_000);
    expect([...counts.keys()].toSorted()).toEqual(backends.map(({ address }) => address).toSorted());
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(2_000 * 0.85);
      expect(count).toBeLessThan(2_000 * 1.15);
    }
  });

  it('serve TCP, and have backends see the gateway', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      const [backend, from] = await client.connect(VIP, 80);
      seen.add(backend);
      expect(['10.0.0.1', '10.0.0.2', '10.0.0.3']).toContain(from);
    }
    expect(seen.size).toBeGreaterThan(7);
  });

  it('choose the backend that was foretold', async () => {
    const clientAt = (host: string) => requireIpAddress(host === VIP6 ? '2001:db8:1::9' : '198.51.100.9');
    for (const [host, port] of [
      [VIP, 80],
      [VIP6, 80],
      [VIP, 84],
    ] as const) {
      const served = everything.find((one) => one.address === host && one.port === port && one.protocol === 'TCP');
      for (let from = 30_000; from < 30_012; from += 1) {
        const [met] = await client.connect(host, port, { from });
        const foretold = flowEnd(virtualServer.parse(served), { address: clientAt(host), port: from });
        expect(foretold).toMatchObject({ kind: 'backend', backend: { address: met } });
      }
    }
  });

  it('serve IPv6 by TCP and UDP', async () => {
    const [backend] = await client.connect(VIP6, 80);
    expect(backends6.map(({ address }) => address)).toContain(backend);
    const counts = await client.datagrams(VIP6, 53, 20_000, 300);
    expect(counts.size).toBe(10);
  });

  it('preserve the address of a client where they should', async () => {
    expect((await client.connect(PRESERVED, 80))[1]).toBe('198.51.100.9');
  });

  it('keep a client with its backend, also when backends come and go', async () => {
    const [first] = await client.connect(VIP, 84);
    for (let round = 0; round < 5; round += 1) expect((await client.connect(VIP, 84))[0]).toBe(first);
    const fewer = backends.filter(({ address }) => address === first).concat(backends.slice(0, 3));
    await configure(everything.map((one) => (one.port === 84 ? { ...one, backends: fewer } : one)));
    expect((await client.connect(VIP, 84))[0]).toBe(first);
    const without = backends.filter(({ address }) => address !== first);
    await configure(everything.map((one) => (one.port === 84 ? { ...one, backends: without } : one)));
    expect((await client.connect(VIP, 84))[0]).not.toBe(first);
    await configure(everything);
  });

  it('serve a backend that is its own client', async () => {
    expect((await pods.connect(VIP, 80))[0]).toMatch(/^10\.0\.0\.1/);
    expect((await pods.connect(PRESERVED, 80, { as: backendAddress(1) }))[0]).toMatch(/^10\.0\.0\.1/);
  });

  it('let in whom source ranges name, and no one else', async () => {
    expect((await client.connect(VIP, 83))[0]).toMatch(/^10\.0\.0\.1/);
    await expect(client.connect(VIP, 82)).rejects.toThrow('no answer');
  });

  it('refuse at once where there are no backends, and where there is no Service', async () => {
    const name = holder() ?? 'gw1';
    // The gateway's own programs are not for clients of Services: the agent itself listens everywhere.
    const begun = performance.now();
    await expect(client.connect(VIP, 81)).rejects.toThrow('ECONNREFUSED');
    await expect(client.connect(VIP, 9_443)).rejects.toThrow('ECONNREFUSED');
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(testbed.holdsAddress(name, VIP)).toBe(true);
  });

  it('serve themselves', async () => {
    for (const name of gatewayNames) {
      const local = testbed.hand(name);
      expect((await local.connect(VIP, 80))[0]).toMatch(/^10\.0\.0\.1/);
      local.end();
    }
  });

  it('stop UDP at once when its backends are gone', async () => {
    expect((await client.datagrams(VIP, 53, 15_000, 20)).get('ECONNREFUSED')).toBeUndefined();
    await configure(everything.map((one) => (one.protocol === 'UDP' ? { ...one, backends: [] } : one)));
    const after = await client.datagrams(VIP, 53, 15_000, 20);
    expect([...after.keys()].filter((answer) => answer.startsWith('10.'))).toEqual([]);
    await configure(everything);
  });

  it('stop a connection that a source range forbids from then on', async () => {
    await client.connect(VIP, 80, { hold: 'forbidden' });
    expect(await client.do({ do: 'say', hold: 'forbidden', text: 'a' })).toBe('a');
    await configure(everything.map((one) => (one.port === 80 ? { ...one, sourceRanges: ['203.0.113.0/24'] } : one)));
    await expect(client.do({ do: 'say', hold: 'forbidden', text: 'b' })).rejects.toThrow(/no answer|closed/);
    await configure(everything);
  });

  it('are repaired when another program flushes all rules', async () => {
    const name = holder() ?? 'gw1';
    testbed.nft(name, 'flush', 'ruleset');
    await expect
      .poll(
        () =>
          client.connect(VIP, 80).then(
            () => 'served',
            () => 'not',
          ),
        { timeout: 10_000 },
      )
      .toBe('served');
    expect(testbed.log(name).join('\n')).toContain('the table is not as it was left');
  });

  it('are repaired when another program flushes only the chain that keeps clients out', async () => {
    const name = holder() ?? 'gw1';
    const isOut = () =>
      client.connect(VIP, 82).then(
        () => 'let in',
        () => 'kept out',
      );
    const bank = testbed.nft(name, 'list', 'chain', 'inet', 'fairlead', 'refuse').includes('refuse4a') ? 'a' : 'b';
    testbed.nft(name, 'flush', 'chain', 'inet', 'fairlead', `allow4${bank}`);
    await expect.poll(isOut, { timeout: 10_000 }).toBe('kept out');
    expect(testbed.nft(name, 'list', 'chain', 'inet', 'fairlead', `allow4${bank}`)).toContain(`restricted4${bank}`);
    // Looked for below, by which time each of the chains had its turn.
    const other = name === 'gw1' ? 'gw2' : 'gw1';
    testbed.nft(other, 'insert', 'rule', 'inet', 'fairlead', 'serve-arriving', 'ip', 'daddr', STRANGE, 'accept');
  });

  it('choose by the address of a client where no more clients can be kept', async () => {
    const full = server({ port: 85, affinitySeconds: 60 });
    await configure([...everything, full]);
    const name = holder() ?? 'gw1';
    try {
      testbed.fillAffinity(name);
      for (let from = 30_100; from < 30_104; from += 1) {
        const [met] = await client.connect(VIP, 85, { from });
        const foretold = flowEnd(virtualServer.parse(full), { address: requireIpAddress('198.51.100.9'), port: from });
        expect(foretold).toMatchObject({ kind: 'backend', backend: { address: met } });
      }
    } finally {
      testbed.nft(name, 'flush', 'map', 'inet', 'fairlead', 'affinity4');
      await configure(everything);
    }
  });

  it('are repaired when another program removes an element', async () => {
    const name = holder() ?? 'gw1';
    const slots = testbed.nft(name, 'list', 'table', 'inet', 'fairlead').includes('services4a')
      ? 'services4a'
      : 'services4b';
    testbed.nft(name, 'delete', 'element', 'inet', 'fairlead', slots, `{ ${VIP} . tcp . 80 }`);
    await expect(client.connect(VIP, 80)).rejects.toThrow('ECONNREFUSED');
    // The walk over all elements has long ended: a restart begins a new one.
    await testbed.killAgent(name);
    await testbed.startAgent(name);
    await expect
      .poll(
        () =>
          client.connect(VIP, 80).then(
            () => 'served',
            () => 'not',
          ),
        { timeout: 15_000 },
      )
      .toBe('served');
  });

  it('are repaired when another program added a rule to a chain', async () => {
    const chains = () => (['gw1', 'gw2'] as const).map((name) => testbed.nft(name, ...SERVING));
    await expect.poll(() => chains().join('\n'), { timeout: 50_000, interval: 500 }).not.toContain(STRANGE);
  });

  it('survive the loss of one: same backends within two seconds, and open connections of preserved clients', async () => {
    const lost = holder() ?? 'gw1';
    const [before] = await client.connect(VIP, 80, { from: 33_333 });
    await client.connect(PRESERVED, 80, { hold: 'asking' });
    await client.connect(PRESERVED, 80, { hold: 'listening' });
    testbed.unplug(lost);
    const begun = performance.now();
    await expect
      .poll(
        () =>
          client.connect(VIP, 80).then(
            () => 'served',
            () => 'not',
          ),
        { timeout: 5_000, interval: 20 },
      )
      .toBe('served');
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect((await client.connect(VIP, 80, { from: 33_333 }))[0]).toBe(before);
    // The backend is heard first on one of them, the client on the other.
    const heard = client.do({ do: 'hear', hold: 'listening' });
    await pods.do({ do: 'push', text: 'news' });
    expect(await heard).toBe('news');
    expect(await client.do({ do: 'say', hold: 'asking', text: 'still there?' })).toContain('still there?');
  });
});
