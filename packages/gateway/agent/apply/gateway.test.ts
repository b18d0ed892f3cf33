import { parseIpRange, requireIpAddress, silentLogger } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ConfigurationRequest, VirtualServer } from '../../protocol/configuration.ts';
import { type Fault, Killed, SimulatedNode } from '../testing/simulated-node.ts';
import { someVirtualServers } from '../testing/virtual-servers.ts';
import { nftRefusal } from './failed-frontends.ts';
import { Gateway } from './gateway.ts';
import type { GatewayNode } from './node.ts';

const ip = requireIpAddress;
const everywhere = ['0.0.0.0/0', '::/0'].flatMap((text) => parseIpRange(text) ?? []);
const admission = { allowedAddresses: everywhere, canPreserveClientAddress: true, gatewayAddresses: [] };

function virtualServer(changed: Partial<VirtualServer> = {}): VirtualServer {
  return {
    address: ip('192.0.2.1'),
    protocol: 'TCP',
    port: 80,
    service: 'default/web',
    backends: [{ address: ip('10.0.0.1'), port: 8_080 }],
    preservesClientAddress: false,
    ...changed,
  };
}

function whole(number: number, virtualServers: readonly VirtualServer[], epoch = 1): ConfigurationRequest {
  return { kind: 'whole', generation: { epoch, number }, virtualServers: [...virtualServers] };
}

function backendAt(address: string): VirtualServer['backends'][number] {
  return { address: ip(address), port: 8_080 };
}

type FaultAt = (call: number, name: string) => Fault | undefined;

function start(node: SimulatedNode, faultAt?: FaultAt): Promise<Gateway> {
  return startOn(node.process(faultAt));
}

async function startOn(node: GatewayNode): Promise<Gateway> {
  const renderKeepalived = (addresses: ReadonlySet<string>) => [...addresses].toSorted().join(' ');
  const gateway = new Gateway({ node, admission, renderKeepalived, logger: silentLogger });
  await gateway.start();
  return gateway;
}

/** What packets meet: the bank's letter and the record of the generation are no part of it. */
function picture(node: SimulatedNode): string {
  const inUse = node.nft.rules('serve-arriving').some((rule) => rule.endsWith('b')) ? 'b' : 'a';
  const table = node.nft
    .elements()
    .filter((line) => !line.startsWith('applied') && line.split(' ')[0]?.endsWith(inUse))
    .map((line) => line.replace(/^(\w+)[ab] /, '$1 ').replace(/(goto \S+)[ab]$/, '$1'));
  return [...table, `keepalived ${node.keepalived ?? ''}`].join('\n');
}

async function pictureOf(virtualServers: readonly VirtualServer[]): Promise<string> {
  const node = new SimulatedNode();
  const gateway = await start(node);
  await gateway.take(whole(1, virtualServers));
  return picture(node);
}

const one = [virtualServer(), virtualServer({ protocol: 'UDP', port: 53 })];
const other = [
  virtualServer({ backends: [{ address: ip('10.0.0.2'), port: 8_080 }] }),
  virtualServer({ address: ip('192.0.2.2'), port: 443 }),
];

describe('a gateway that is given a configuration', () => {
  it('serves it, and tells so', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    expect(gateway.status()).toMatchObject({ programmed: false, heldAddresses: [] });
    expect(await gateway.take(whole(1, one))).toEqual({ kind: 'taken', generation: { epoch: 1, number: 1 } });
    expect(gateway.status()).toMatchObject({ generation: { epoch: 1, number: 1 }, programmed: true });
    expect(node.nft.elementOf('slots4a', '192.0.2.1 . tcp . 80 . 0')).toBe('10.0.0.1 . 8080');
    expect(node.keepalived).toBe('192.0.2.1');
  });

  it('serves the same after a delta as after all of it at once, after a restart, too', async () => {
    await fc.assert(
      fc.asyncProperty(someVirtualServers, someVirtualServers, async (before, after) => {
        const node = new SimulatedNode();
        const gateway = await start(node);
        await gateway.take(whole(1, before));
        expect(await gateway.take(whole(2, after))).toMatchObject({ kind: 'taken' });
        const expected = await pictureOf(after);
        expect(picture(node)).toBe(expected);
        const restarted = await start(node);
        expect(picture(node)).toBe(expected);
        expect(restarted.status()).toEqual(gateway.status());
      }),
      { numRuns: 30 },
    );
  });

  it('holds an address again that was to go, when nft refuses the rest', async () => {
    const node = new SimulatedNode();
    const both = [...one, virtualServer({ address: ip('192.0.2.2') })];
    await (await start(node)).take(whole(1, both));
    let isRefused = false;
    const gateway = await start(node, (_, name) => (isRefused && name === 'nft run' ? 'refused' : undefined));
    isRefused = true;
    const from = node.calls.length;
    expect(await gateway.take(whole(2, one))).toMatchObject({ kind: 'refused', code: 'apply-failed' });
    expect(node.calls.slice(from).filter((name) => name === 'keepalived use')).toHaveLength(2);
    expect(node.keepalived).toBe('192.0.2.1 192.0.2.2');
  });

  it('tells of no more frontends at fault than a controller reads, and of the others when it comes back', async () => {
    const gateway = await start(new SimulatedNode());
    const looping = Array.from({ length: 40_000 }, (_, index) =>
      virtualServer({ port: index + 1, backends: [backendAt('192.0.2.1')] }),
    );
    const answer = await gateway.take(whole(1, looping));
    if (answer.kind === 'taken') throw new Error('packets would go round in circles');
    expect(JSON.stringify(answer).length).toBeLessThan(5_000_000);
    const rest = await gateway.take(whole(2, looping.slice(answer.errors.length)));
    expect(rest).toMatchObject({ kind: 'refused', errors: expect.arrayContaining([expect.anything()]) });
    expect(answer.errors.length + (rest.kind === 'refused' ? rest.errors.length : 0)).toBe(40_000);
  });

  it('lets few requests wait, and tells the others to come back', async () => {
    const gateway = await start(new SimulatedNode());
    const answers = await Promise.all([1, 2, 3, 4].map((number) => gateway.take(whole(number, one))));
    expect(answers.map((answer) => (answer.kind === 'taken' ? 'taken' : answer.code))).toEqual([
      'taken',
      'taken',
      'busy',
      'busy',
    ]);
  });

  it('has rules before an address comes, and until after it went', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    const from = node.calls.length;
    await gateway.take(whole(2, [...one, virtualServer({ address: ip('192.0.2.2') })]));
    const to = node.calls.length;
    await gateway.take(whole(3, one));
    const writes = (calls: readonly string[]) => calls.filter((name) => ['nft run', 'keepalived use'].includes(name));
    expect(writes(node.calls.slice(from, to))).toEqual(['nft run', 'keepalived use']);
    expect(writes(node.calls.slice(to))).toEqual(['keepalived use', 'nft run']);
  });

  it('writes nothing when it starts over what it left', async () => {
    const node = new SimulatedNode();
    await (await start(node)).take(whole(1, one));
    const from = node.calls.length;
    await start(node);
    expect(node.calls.slice(from)).not.toContain('nft run');
  });

  it.each([
    ['a generation that was taken', whole(5, other)],
    ['an older generation', whole(4, other)],
    ['an older epoch', whole(9, other, 0)],
  ])('refuses %s, after a restart, too', async (_, request) => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(5, one));
    const before = picture(node);
    const refused = { kind: 'refused', code: 'older-generation', generation: { epoch: 1, number: 5 } };
    expect(await gateway.take(request)).toMatchObject(refused);
    expect(await (await start(node)).take(request)).toMatchObject(refused);
    expect(picture(node)).toBe(before);
  });

  it('refuses an older leader also when all that the newer one sent failed', async () => {
    const node = new SimulatedNode();
    await (await start(node)).take(whole(1, one));
    let isFailing = true;
    const gateway = await start(node, (_, name) => (isFailing && name === 'nft run' ? 'refused' : undefined));
    expect(await gateway.take(whole(1, other, 7))).toMatchObject({ code: 'apply-failed' });
    isFailing = false;
    expect(await gateway.take(whole(2, other, 6))).toMatchObject({ code: 'older-generation' });
    expect(await (await start(node)).take(whole(2, other, 6))).toMatchObject({ code: 'older-generation' });
  });

  it('refuses an older leader once a newer one announced itself, after a restart, too', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one, 3));
    expect(await gateway.announce(5)).toBe(5);
    expect(await gateway.announce(4)).toBe(5);
    expect(gateway.status()).toMatchObject({ epoch: 5, generation: { epoch: 3, number: 1 } });
    expect(await gateway.take(whole(9, other, 4))).toMatchObject({ code: 'older-generation' });
    const again = await start(node);
    expect(await again.take(whole(9, other, 4))).toMatchObject({ code: 'older-generation' });
    expect(await again.take(whole(1, other, 5))).toMatchObject({ kind: 'taken' });
  });

  it('refuses a delta to anything but what it has', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(3, one));
    const delta = (since: number): ConfigurationRequest => ({
      kind: 'delta',
      since: { epoch: 1, number: since },
      generation: { epoch: 1, number: 4 },
      put: [virtualServer({ port: 81 })],
      remove: [],
    });
    expect(await gateway.take(delta(2))).toMatchObject({ kind: 'refused', code: 'unknown-generation' });
    expect(await gateway.take(delta(3))).toMatchObject({ kind: 'taken' });
  });

  it('refuses a delta that would send to an address it serves already', async () => {
    const gateway = await start(new SimulatedNode());
    await gateway.take(whole(1, one));
    const circle = virtualServer({ address: ip('192.0.2.9'), backends: [backendAt('192.0.2.1')] });
    const answer = await gateway.take({
      kind: 'delta',
      since: { epoch: 1, number: 1 },
      generation: { epoch: 1, number: 2 },
      put: [circle],
      remove: [],
    });
    expect(answer).toMatchObject({ kind: 'refused', errors: [{ code: 'backend-not-allowed' }] });
    expect(gateway.status()).toMatchObject({ generation: { epoch: 1, number: 1 } });
  });

  it('has the kernel refuse a delta where another program changed what it holds', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    node.nft.flush();
    expect(await gateway.take(whole(2, other))).toMatchObject({ kind: 'refused', code: 'apply-failed' });
    // What it had is there again.
    expect(picture(node)).toBe(await pictureOf(one));
    expect(await gateway.take(whole(2, other))).toMatchObject({ kind: 'taken' });
  });

  it('ends the flows of UDP to backends that are gone, and lets TCP drain', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    await gateway.take(
      whole(
        2,
        one.map((server) => ({ ...server, backends: [] })),
      ),
    );
    expect(node.forgotten).toEqual(['192.0.2.1 UDP/53 to 10.0.0.1 8080']);
    await gateway.take(whole(3, one));
    await gateway.take(whole(4, []));
    expect(node.forgotten).toHaveLength(2);
  });

  it('ends the flows of SCTP to backends that are gone, too', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    const signalling = virtualServer({ protocol: 'SCTP', port: 3_868 });
    await gateway.take(whole(1, [signalling]));
    await gateway.take(whole(2, [{ ...signalling, backends: [backendAt('10.0.0.2')] }]));
    expect(node.forgotten).toEqual(['192.0.2.1 SCTP/3868 to 10.0.0.1 8080']);
  });

  it('ends flows of clients that source ranges keep out from now on', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, [virtualServer()]));
    node.clients.set('192.0.2.1 TCP/80', [ip('198.51.100.1'), ip('203.0.113.1')]);
    await gateway.take(whole(2, [virtualServer({ sourceRanges: ['203.0.113.0/24'] })]));
    expect(node.forgotten).toEqual(['192.0.2.1 TCP/80 from 198.51.100.1']);
  });

  it('ends the flows of UDP in a few steps where a thousand ports lose their backends', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    const ports = (backends: readonly string[]) =>
      Array.from({ length: 1_000 }, (_, index) =>
        virtualServer({ protocol: 'UDP', port: index + 1, backends: backends.map((last) => backendAt(last)) }),
      );
    await gateway.take(whole(1, ports(['10.0.0.1', '10.0.0.2', '10.0.0.3'])));
    await gateway.take(whole(2, ports(['10.0.0.2'])));
    expect(node.forgotten).toEqual(['192.0.2.1 UDP to 10.0.0.1', '192.0.2.1 UDP to 10.0.0.3']);
  });

  it('answers before it has ended the flows of many addresses, and ends them all', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    const all = Array.from({ length: 100 }, (_, index) =>
      virtualServer({ protocol: 'UDP', address: ip(`192.0.2.${index + 1}`) }),
    );
    await gateway.take(whole(1, all));
    await gateway.take(whole(2, []));
    expect(node.forgotten.length).toBeLessThan(50);
    await vi.waitFor(() => expect(node.forgotten).toHaveLength(100));
  });

  it('ends flows of UDP also when it was killed before it could', async () => {
    const node = new SimulatedNode();
    await (await start(node)).take(whole(1, one));
    const gateway = await start(node, (_, name) => (name === 'conntrack forget' ? 'killed-before' : undefined));
    await gateway.take(whole(2, [])).catch(() => {});
    expect(node.forgotten).toEqual([]);
    await start(node);
    expect(node.forgotten).toEqual(['192.0.2.1 UDP/53 to 10.0.0.1 8080']);
  });

  it('takes a failing look at the table for no empty table', async () => {
    const node = new SimulatedNode();
    let isFailing = false;
    const gateway = await start(node, (_, name) => (isFailing && name === 'nft list' ? 'refused' : undefined));
    await gateway.take(whole(1, one));
    const from = node.calls.length;
    isFailing = true;
    await expect(gateway.repair()).rejects.toThrow('nft list fails');
    expect(node.calls.slice(from)).toEqual(['nft list']);
    isFailing = false;
    expect(await gateway.repair()).toBe(false);
  });

  it.each([
    ['the next configuration', (gateway: Gateway) => gateway.take(whole(2, other))],
    ['a repair', (gateway: Gateway) => gateway.repair()],
  ])('gives its addresses away while it cannot load its table, until %s succeeds', async (_, recover) => {
    const node = new SimulatedNode();
    await (await start(node)).take(whole(1, one));
    node.nft.flush();
    let isFailing = true;
    const gateway = await start(node, (_, name) => (isFailing && name === 'nft run' ? 'refused' : undefined));
    expect(node.isHealthy).toBe(false);
    expect(gateway.status()).toMatchObject({ programmed: false });
    isFailing = false;
    await recover(gateway);
    expect(node.isHealthy).toBe(true);
    expect(gateway.status()).toMatchObject({ programmed: true });
  });

  it('is repaired after a foreign flush', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    const before = picture(node);
    expect(await gateway.repair()).toBe(false);
    node.nft.flush();
    expect(await gateway.repair()).toBe(true);
    expect(picture(node)).toBe(before);
    // Datagrams that arrived in between began flows to the gateway itself.
    expect(node.forgotten).toEqual(['192.0.2.1 UDP']);
    expect(await gateway.repair()).toBe(false);
  });

  it.each(['allow4a', 'answer6a', 'refuse', 'serve-local'])(
    'has its rules again after another program flushed only %s',
    async (chain) => {
      const node = new SimulatedNode();
      const gateway = await start(node);
      await gateway.take(whole(1, one));
      const before = node.nft.rules(chain);
      const from = node.calls.length;
      node.nft.run(`flush chain inet fairlead ${chain}`);
      expect(await gateway.repair()).toBe(true);
      expect(node.nft.rules(chain)).toEqual(before);
      // In one transaction: packets do not wait for all elements to be loaded.
      expect(node.calls.slice(from).filter((name) => name === 'nft run')).toHaveLength(1);
      expect(await gateway.repair()).toBe(false);
      expect(await gateway.take(whole(2, other))).toMatchObject({ kind: 'taken' });
    },
  );

  /** Until each of the chains was looked at. */
  async function isRepairedInTurn(gateway: Gateway): Promise<boolean> {
    for (let look = 0; look < 40; look += 1) if (await gateway.repair()) return true;
    return false;
  }

  it.each(['allow-arriving', 'serve4a', 'answer'])(
    'has no other rules after another program added one to %s',
    async (chain) => {
      const node = new SimulatedNode();
      const gateway = await start(node);
      await gateway.take(whole(1, one));
      const before = node.nft.rules(chain);
      const from = node.calls.length;
      node.nft.run(`add rule inet fairlead ${chain} index 0 ip daddr 192.0.2.1 accept`);
      expect(await isRepairedInTurn(gateway)).toBe(true);
      expect(node.nft.rules(chain)).toEqual(before);
      expect(node.calls.slice(from).filter((name) => name === 'nft run')).toHaveLength(1);
      expect(await isRepairedInTurn(gateway)).toBe(false);
      expect(await gateway.take(whole(2, other))).toMatchObject({ kind: 'taken' });
    },
  );

  it('loads the table anew after another program added a rule to a chain that chooses backends', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    const before = picture(node);
    node.nft.run('add rule inet fairlead stick6-27720-86400a accept');
    expect(await isRepairedInTurn(gateway)).toBe(true);
    expect(picture(node)).toBe(before);
    expect(await isRepairedInTurn(gateway)).toBe(false);
  });

  it('loads the table anew after another program flushed a chain that chooses backends', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    const before = picture(node);
    node.nft.run('flush chain inet fairlead pick4-1a');
    expect(await gateway.repair()).toBe(true);
    expect(node.nft.rules('pick4-1b')).toHaveLength(1);
    expect(picture(node)).toBe(before);
    expect(await gateway.repair()).toBe(false);
  });

  it('loads the table into the bank that no packet meets, also where its record is gone', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    const before = picture(node);
    node.nft.run('delete set inet fairlead applied');
    const from = node.calls.length;
    expect(await gateway.repair()).toBe(true);
    expect(node.nft.rules('serve-arriving')).toEqual(expect.arrayContaining([expect.stringContaining('serve4b')]));
    expect(picture(node)).toBe(before);
    expect(node.calls.slice(from)).toContain('nft run');
    expect(await gateway.repair()).toBe(false);
  });

  it('loads the table anew where another version of the agent made it', async () => {
    const node = new SimulatedNode();
    await (await start(node)).take(whole(1, one));
    const before = picture(node);
    const [record = ''] = node.nft.elements().flatMap((line) => /^applied (.*) : $/.exec(line)?.[1] ?? []);
    const older = record.replaceAll(/fd00:\w+:\w+:/g, 'fd00:1:2:');
    node.nft.run(`delete element inet fairlead applied { ${record} }\nadd element inet fairlead applied { ${older} }`);
    const gateway = await start(node);
    expect(node.nft.rules('serve-arriving')).toEqual(expect.arrayContaining([expect.stringContaining('serve4b')]));
    expect(picture(node)).toBe(before);
    expect(gateway.status()).toMatchObject({ programmed: true, generation: { epoch: 1, number: 1 } });
  });

  it('leaves rules alone on a kernel that numbers them in another way', async () => {
    const node = new SimulatedNode();
    const process = node.process();
    const nft = { ...process.nft, accepts: (script: string) => Promise.resolve(!script.startsWith('delete rule')) };
    const gateway = await startOn({ ...process, nft });
    expect(await gateway.take(whole(1, one))).toMatchObject({ kind: 'taken' });
    // Another program may have been there at once: they are made anew a single time.
    expect(await gateway.repair()).toBe(true);
    const from = node.calls.length;
    expect(await gateway.repair()).toBe(false);
    expect(node.calls.slice(from)).not.toContain('nft run');
  });

  it('has its rules again after another program flushed a chain as soon as they were made', async () => {
    const node = new SimulatedNode();
    const process = node.process();
    let flushes = 0;
    const run = async (script: string) => {
      await process.nft.run(script);
      if (node.nft.rules('allow4b').length === 0 || flushes > 0) return;
      flushes += 1;
      node.nft.run('flush chain inet fairlead allow4b');
    };
    const gateway = await startOn({ ...process, nft: { ...process.nft, run } });
    await gateway.take(whole(1, one));
    await gateway.take(whole(2, other));
    node.nft.run('flush chain inet fairlead pick4-1a');
    expect(await gateway.repair()).toBe(true);
    expect(node.nft.rules('allow4b')).toEqual([]);
    expect(await gateway.repair()).toBe(true);
    expect(node.nft.rules('allow4b')).toHaveLength(1);
    expect(await gateway.repair()).toBe(false);
  });

  it('has no other rules after another program twice added one as soon as they were made', async () => {
    const node = new SimulatedNode();
    const process = node.process();
    let additions = 0;
    const run = async (script: string) => {
      await process.nft.run(script);
      if (node.nft.rules('allow4a').length !== 1 || additions === 2) return;
      additions += 1;
      node.nft.run('add rule inet fairlead allow4a accept');
    };
    const gateway = await startOn({ ...process, nft: { ...process.nft, run } });
    await gateway.take(whole(1, one));
    expect(await gateway.repair()).toBe(true);
    expect(node.nft.rules('allow4a')).toHaveLength(2);
    expect(await gateway.repair()).toBe(true);
    expect(node.nft.rules('allow4a')).toHaveLength(1);
    expect(await gateway.repair()).toBe(false);
  });

  it('tells what it has where it refuses something', async () => {
    const gateway = await start(new SimulatedNode());
    await gateway.take(whole(1, [virtualServer()]));
    const answer = await gateway.take(whole(2, [virtualServer({ backends: [backendAt('192.0.2.1')] })]));
    expect(answer).toMatchObject({ kind: 'refused', errors: [{ current: { backends: [backendAt('10.0.0.1')] } }] });
  });

  it.each([false, true])('finds the frontend that nft refuses without a word (first load: %s)', async (isFirst) => {
    const node = new SimulatedNode();
    const process = node.process();
    const refuseBad = (script: string) => {
      if (script.includes('10.6.6.6')) throw nftRefusal(script, 'Message too long');
    };
    const nft = {
      ...process.nft,
      run: async (script: string) => {
        refuseBad(script);
        await process.nft.run(script);
      },
      accepts: async (script: string) => {
        refuseBad(script);
        return process.nft.accepts(script);
      },
    };
    const gateway = await startOn({ ...process, nft });
    if (!isFirst) await gateway.take(whole(1, one));
    const before = picture(node);
    const many = Array.from({ length: 60 }, (_, index) => virtualServer({ port: index + 1 }));
    const bad = virtualServer({ port: 443, backends: [backendAt('10.6.6.6')] });
    expect(await gateway.take(whole(2, [...many, bad]))).toMatchObject({
      code: 'apply-failed',
      errors: [{ frontend: { address: '192.0.2.1', protocol: 'TCP', port: 443 }, code: 'nft-refused' }],
    });
    expect(picture(node)).toBe(before);
    expect(await gateway.take(whole(2, many))).toMatchObject({ kind: 'taken' });
  });

  it('names the frontend that nft points at', async () => {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    const { digest } = gateway.status();
    // Another program put an element there that the next change wants to add with other data.
    node.nft.run('add element inet fairlead services4a { 192.0.2.9 . tcp . 80 : goto pick4-60a }');
    const answer = await gateway.take(whole(2, [...one, virtualServer({ address: ip('192.0.2.9') })]));
    expect(answer).toMatchObject({
      code: 'apply-failed',
      errors: [{ frontend: { address: '192.0.2.9', protocol: 'TCP', port: 80 }, code: 'nft-refused' }],
    });
    expect(gateway.status()).toMatchObject({ digest, generation: { epoch: 1, number: 1 } });
  });
});

describe('a change from one configuration to another', () => {
  /** Every call that the change makes. */
  async function callsOf(): Promise<number> {
    const node = new SimulatedNode();
    const gateway = await start(node);
    await gateway.take(whole(1, one));
    const from = node.calls.length;
    await gateway.take(whole(2, other));
    return node.calls.length - from;
  }

  const faults: readonly Fault[] = ['killed-before', 'killed-half-way', 'killed-after', 'refused'];

  it.each(faults)('leaves the one or the other, whole, when it is %s at any call', async (fault) => {
    const [old, next] = [await pictureOf(one), await pictureOf(other)];
    const count = await callsOf();
    expect(count).toBeGreaterThan(5);
    for (let point = 0; point < count; point += 1) {
      const node = new SimulatedNode();
      await (await start(node)).take(whole(1, one));
      let target = Number.POSITIVE_INFINITY;
      const process = await start(node, (call) => (call === target ? fault : undefined));
      target = node.calls.length + point;
      const answer = await process.take(whole(2, other)).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return undefined;
      });
      const left = picture(node);
      const again = await start(node);
      const found = picture(node);
      expect([old, next]).toContain(found);
      // What it answered is so, and what was not killed did not wait for a restart.
      expect(answer?.kind === 'taken' ? next : found).toBe(found);
      expect(fault === 'refused' ? left : found).toBe(found);
      expect(again.status()).toMatchObject({
        programmed: true,
        generation: { epoch: 1, number: found === next ? 2 : 1 },
      });
      // And it goes on from there.
      expect(await again.take(whole(3, other))).toMatchObject({ kind: 'taken' });
      expect(picture(node)).toBe(next);
    }
  });

  it('can be the first one, and leaves nothing where it fails', async () => {
    for (let point = 0; point < 12; point += 1) {
      const node = new SimulatedNode();
      let target = Number.POSITIVE_INFINITY;
      const gateway = await start(node, (call) => (call === target ? 'refused' : undefined));
      target = node.calls.length + point;
      const answer = await gateway.take(whole(1, one));
      if (answer.kind === 'taken') continue;
      expect(node.nft.elements()).toEqual([]);
      expect(node.keepalived ?? '').toBe('');
      expect(await gateway.take(whole(1, one))).toMatchObject({ kind: 'taken' });
    }
  });
});
