import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendAddress, type Hand, Testbed } from './testbed.ts';

const isRoot = process.getuid?.() === 0;
const KILLS = 12;

const virtualServer = (address: string, port: number, backend: number) => ({
  address,
  protocol: 'TCP',
  port,
  service: 'default/web',
  backends: [1, 2, backend].map((number) => ({ address: backendAddress(number), port: 8_080 })),
  preservesClientAddress: false,
});
/** One address stays, one goes and another comes; every slot of what stays may change. */
const one = [virtualServer('192.0.2.20', 80, 3), virtualServer('192.0.2.21', 80, 3)];
const other = [virtualServer('192.0.2.20', 80, 4), virtualServer('192.0.2.22', 80, 3)];

describe.skipIf(!isRoot)('an agent that is killed (needs root)', () => {
  let testbed: Testbed;
  let controller: Hand;
  let number = 0;

  async function put(virtualServers: readonly object[]): Promise<unknown> {
    number += 1;
    const body = JSON.stringify({ kind: 'whole', generation: { epoch: 1, number }, virtualServers });
    return controller.do({ do: 'ask', url: testbed.url('gw1', '/v1/config'), method: 'PUT', body, tls: testbed.tls });
  }

  /** What packets meet, and what keepalived holds: whichever bank it is in, in whatever order. */
  function picture(): string {
    const table = testbed.nft('gw1', 'list', 'table', 'inet', 'fairlead');
    const elements = [...table.matchAll(/(?:map|set) (\w+?)([ab])? \{[^}]*?elements = \{([^}]*)\}/g)].flatMap(
      ([, name, , list = '']) =>
        list.split(',').map((text) => `${name} ${text.trim().replace(/(goto \S+)[ab]$/, '$1')}`),
    );
    const addresses = readFileSync(join(testbed.stateFolder('gw1'), 'keepalived.conf'), 'utf8').match(
      /192\.0\.2\.\d+/g,
    );
    return [...elements.filter((line) => !line.startsWith('applied')), ...(addresses ?? [])].toSorted().join('\n');
  }

  beforeAll(async () => {
    testbed = new Testbed(['nft', 'keepalived']);
    controller = testbed.hand('client');
    await testbed.startAgent('gw1');
  }, 60_000);

  afterAll(async () => {
    await testbed?.end();
  });

  it('leaves one configuration or the other, whole, whenever it is killed', async () => {
    const taken = { status: 200 };
    expect(await put(one)).toMatchObject(taken);
    const whole = [picture()];
    const begun = performance.now();
    expect(await put(other)).toMatchObject(taken);
    // On a machine that is busy, all takes longer.
    const milliseconds = performance.now() - begun;
    whole.push(picture());
    expect(whole[0]).not.toBe(whole[1]);
    const outcomes = new Set<string>();
    for (let round = 0; round < KILLS; round += 1) {
      const answered = put(round % 2 === 0 ? one : other).catch(() => undefined);
      await setTimeout((milliseconds * 1.5 * (round + 1)) / KILLS);
      await testbed.killAgent('gw1');
      await answered;
      await testbed.startAgent('gw1');
      const found = picture();
      expect(whole).toContain(found);
      outcomes.add(found);
    }
    expect(outcomes.size).toBe(2);
  }, 60_000);

  it.each(['nft', 'keepalived'])(
    'leaves one configuration or the other, whole, when %s refuses any of its calls',
    async (program) => {
      const whole: string[] = [];
      for (const wanted of [one, other]) {
        expect(await put(wanted)).toMatchObject({ status: 200 });
        whole.push(picture());
      }
      let refused = 0;
      for (let call = 1; ; call += 1) {
        const isToOne = call % 2 === 1;
        testbed.refuse(program, call);
        const answer = await put(isToOne ? one : other);
        const isOver = !testbed.hasRefused(program);
        testbed.endRefusals(program);
        const found = picture();
        expect(whole).toContain(found);
        if (isOver) break;
        refused += 1;
        const old = whole[isToOne ? 1 : 0];
        expect(JSON.stringify(answer)).toContain(found === old ? 'apply-failed' : 'taken');
        expect(await put(isToOne ? one : other)).toMatchObject({ status: 200 });
      }
      expect(refused).toBeGreaterThan(0);
    },
    60_000,
  );

  it('loads all of one configuration after a foreign flush, also when nft refuses calls of the load', async () => {
    const whole: string[] = [];
    for (const wanted of [one, other]) {
      expect(await put(wanted)).toMatchObject({ status: 200 });
      whole.push(picture());
    }
    for (const call of [2, 4, 5, 6]) {
      testbed.nft('gw1', 'delete', 'table', 'inet', 'fairlead');
      testbed.refuse('nft', call);
      await put(one);
      testbed.endRefusals('nft');
      const isThere = () => testbed.nft('gw1', 'list', 'tables').includes('fairlead') && whole.includes(picture());
      await expect.poll(isThere, { timeout: 10_000 }).toBe(true);
      expect(await put(other)).toMatchObject({ status: 200 });
      expect(picture()).toBe(whole[1]);
    }
  }, 60_000);

  it('refuses what nft does, and names the frontend', async () => {
    expect(await put(one)).toMatchObject({ status: 200 });
    const bank = testbed.nft('gw1', 'list', 'chain', 'inet', 'fairlead', 'refuse').includes('refuse4a') ? 'a' : 'b';
    const element = `192.0.2.22 . tcp . 80 : goto pick4-420${bank}`;
    testbed.nft('gw1', 'add', 'element', 'inet', 'fairlead', `services4${bank}`, `{ ${element} }`);
    const before = picture();
    expect(await put(other)).toMatchObject({
      status: 500,
      body: { errors: [{ frontend: { address: '192.0.2.22', protocol: 'TCP', port: 80 }, code: 'nft-refused' }] },
    });
    expect(picture()).toBe(before);
    testbed.nft('gw1', 'delete', 'element', 'inet', 'fairlead', `services4${bank}`, '{ 192.0.2.22 . tcp . 80 }');
    expect(await put(other)).toMatchObject({ status: 200 });
  });

  it('refuses what it cannot keep on a full disk, and changes nothing', async () => {
    await testbed.killAgent('gw1');
    const folder = testbed.stateFolder('gw1');
    const kept = ['configuration.json', 'changes.log', 'keepalived.conf', 'keepalived.pid', 'vrrp.pid', 'health'];
    const texts = kept.flatMap((name) => {
      try {
        return [[name, readFileSync(join(folder, name))] as const];
      } catch {
        return [];
      }
    });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]);
    try {
      for (const [name, text] of texts) writeFileSync(join(folder, name), text);
      await testbed.startAgent('gw1');
      expect(await put(one)).toMatchObject({ status: 200 });
      const before = picture();
      const filler = join(folder, 'filler');
      expect(() => writeFileSync(filler, Buffer.alloc(1_000_000))).toThrow('ENOSPC');
      expect(await put(other)).toMatchObject({ status: 500, body: { code: 'apply-failed' } });
      expect(picture()).toBe(before);
      rmSync(filler);
      expect(await put(other)).toMatchObject({ status: 200 });
    } finally {
      await testbed.killAgent('gw1');
      // The end of the testbed finds keepalived by them.
      const pids = ['keepalived.pid', 'vrrp.pid'].map((name) => [name, readFileSync(join(folder, name))] as const);
      execFileSync('umount', ['--lazy', folder]);
      for (const [name, text] of pids) writeFileSync(join(folder, name), text);
    }
  }, 30_000);
});
