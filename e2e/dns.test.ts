import { setTimeout } from 'node:timers/promises';
import { type ServiceImport, serviceImports } from '@fairlead/clusterset/mcs';
import { namespaces } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../scripts/free-port.ts';
import { DnsLoad, dnsPortOf, DnsStage, eventually, Fairlead } from './harness/index.ts';

const S = 'svc.clusterset.local';
const http = { name: 'http', port: 80, protocol: 'TCP' } as const;
const ready = (...addresses: readonly string[]) => addresses.map((address) => ({ addresses: [address] }));
const OLDER = 'lighthouse.submariner.io';
/** What docs/permissions.md says, and no more. */
const rules = [
  { apiGroups: ['multicluster.x-k8s.io'], resources: ['serviceimports'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

describe('the DNS part, behind a real CoreDNS, on a real cluster', () => {
  let stage: DnsStage;

  beforeAll(async () => {
    stage = await DnsStage.start({ cluster: 'west', olderClusters: ['old'], olderNamespace: 'data' }, rules);
    for (const name of ['shop', 'data']) await stage.cluster.client.create(namespaces, { metadata: { name } });
    await stage.putImport('shop', 'web', { ports: [http] });
    await stage.putSlice('shop', 'web', 'east', {
      endpoints: ready('10.2.0.1'),
      ports: [http, { name: 'admin', port: 81, protocol: 'TCP' }],
    });
    await stage.putSlice('shop', 'web', 'north', { endpoints: ready('10.3.0.1'), ports: [http] });
    await stage.putImport('data', 'db', { type: 'Headless', ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }] });
    await stage.putSlice('data', 'db', 'east', {
      endpoints: Array.from({ length: 60 }, (_, host) => ({
        addresses: [`10.2.1.${host}`],
        hostname: `db-${host}`,
        conditions: { ready: host !== 7 },
      })),
      ports: [{ name: 'sql', port: 15_432, protocol: 'TCP' }],
    });
    await answers(`db.data.${S}`, 59);
  });

  afterAll(() => stage.stop());

  const answers = (name: string, count: number) =>
    eventually(async () => (await stage.dig(name)).answers.length === count, {
      describe: `${count} answers for ${name}`,
      intervalMs: 50,
    });

  it('gives the addresses of other clusters in turn, and that of this cluster alone once it has pods', async () => {
    const seen = new Set<string>();
    for (let turn = 0; turn < 4; turn += 1) {
      const { status, answers: found } = await stage.dig(`web.shop.${S}`);
      expect([status, found.length]).toEqual(['NOERROR', 1]);
      for (const one of found) seen.add(one);
    }
    expect([...seen].toSorted()).toEqual(['A 10.2.0.1', 'A 10.3.0.1']);
    await stage.putSlice('shop', 'web', 'west', { endpoints: ready('10.1.0.1'), ports: [http] });
    await eventually(async () => (await stage.dig(`web.shop.${S}`)).answers[0] === 'A 10.1.0.1', {
      describe: 'the address of this cluster',
    });
    expect((await stage.dig(`web.shop.${S}`)).answers).toEqual(['A 10.1.0.1']);
    await stage.putSlice('shop', 'web', 'west', { endpoints: [], ports: [http] });
    await eventually(async () => (await stage.dig(`web.shop.${S}`)).answers[0] !== 'A 10.1.0.1', {
      describe: 'the cluster without pods to be left out',
    });
    expect((await stage.dig(`west.web.shop.${S}`)).status).toBe('NXDOMAIN');
  });

  it('gives the ports of all when no cluster is asked for, and those of the cluster when one is', async () => {
    expect((await stage.dig(`web.shop.${S}`, 'SRV')).answers).toEqual([`SRV 0 100 80 web.shop.${S}.`]);
    expect((await stage.dig(`_admin._tcp.web.shop.${S}`, 'SRV')).status).toBe('NXDOMAIN');
    const own = await stage.dig(`_admin._tcp.east.web.shop.${S}`, 'SRV');
    expect(own.answers).toEqual([`SRV 0 100 81 east.web.shop.${S}.`]);
    expect((await stage.dig(`east.web.shop.${S}`)).answers).toEqual(['A 10.2.0.1']);
  });

  it('gives all ready pods of a headless Service, over TCP where they are too many, and each by its host name', async () => {
    const truncated = await stage.dig(`db.data.${S}`, 'A', ['+noedns', '+ignore'], stage.ports.ours);
    expect(truncated.flags).toContain('tc');
    const whole = await stage.dig(`db.data.${S}`, 'A', ['+noedns'], stage.ports.ours);
    expect(whole.answers).toHaveLength(59);
    expect(whole.text).toContain('(TCP)');
    expect(whole.answers).not.toContain('A 10.2.1.7');
    expect((await stage.dig(`db-3.east.db.data.${S}`)).answers).toEqual(['A 10.2.1.3']);
    const pods = await stage.dig(`_sql._tcp.db.data.${S}`, 'SRV', ['+tcp']);
    expect(pods.answers).toHaveLength(59);
    expect(pods.answers).toContain(`SRV 0 100 15432 db-3.east.db.data.${S}.`);
  });

  it('says what is not there with the SOA of the zone, keeps the case, and refuses what is not its own', async () => {
    const missing = await stage.dig(`no.shop.${S}`);
    expect([missing.status, missing.authorities.length]).toEqual(['NXDOMAIN', 1]);
    const empty = await stage.dig(`web.shop.${S}`, 'AAAA');
    expect([empty.status, empty.answers, empty.authorities.length]).toEqual(['NOERROR', [], 1]);
    expect((await stage.dig(`WEB.Shop.${S}`)).text).toContain(`WEB.Shop.${S}.`);
    expect((await stage.dig('dns-version.clusterset.local', 'TXT')).answers).toEqual(['TXT "1.0.0"']);
    const { ours } = stage.ports;
    expect((await stage.dig('example.org', 'A', [], ours)).status).toBe('REFUSED');
    expect((await stage.dig('clusterset.local', 'AXFR', [], ours)).text).toContain('Transfer failed');
    expect((await stage.dig(`web.shop.${S}`, 'A', ['+edns=1', '+noednsnegotiation'], ours)).status).toBe('BADVERS');
    expect((await stage.dig(`web.shop.${S}`, 'A', ['+opcode=notify'], ours)).status).toBe('NOTIMP');
    expect((await stage.dig(`web.shop.${S}`, 'TYPE65280', ['-c', 'CH'], ours)).status).toBe('REFUSED');
  });

  it('uses the ServiceImport of a cluster that is not yet upgraded instead of its slice, while it is there', async () => {
    await stage.putImport('shop', 'mail', { ports: [http] });
    await stage.putSlice('shop', 'mail', 'old', { endpoints: ready('10.200.0.1'), ports: [http] });
    await eventually(async () => (await stage.dig(`mail.shop.${S}`)).answers[0] === 'A 10.200.0.1', {
      describe: 'the address of the slice',
    });
    const imports = serviceImports('v1beta1');
    const key = { namespace: 'data', name: 'mail-shop-old' };
    const labels = {
      [`${OLDER}/sourceCluster`]: 'old',
      [`${OLDER}/sourceName`]: 'mail',
      [`${OLDER}/sourceNamespace`]: 'shop',
    };
    await stage.cluster.client.create<ServiceImport>(imports, {
      metadata: { ...key, labels },
      spec: { type: 'ClusterSetIP', ips: ['10.9.0.1'], ports: [{ ...http, port: 8080 }] },
    });
    await eventually(async () => (await stage.dig(`mail.shop.${S}`)).answers[0] === 'A 10.9.0.1', {
      describe: 'the address of the ServiceImport',
    });
    expect((await stage.dig(`old.mail.shop.${S}`, 'SRV')).answers).toEqual([`SRV 0 100 8080 old.mail.shop.${S}.`]);
    await stage.cluster.client.delete(imports, key);
    await eventually(async () => (await stage.dig(`mail.shop.${S}`)).answers[0] === 'A 10.200.0.1', {
      describe: 'the address of the slice again',
    });
  });

  it('answers within a second of what changed, and tells why', async () => {
    await stage.putImport('shop', 'quick', { ports: [http] });
    await stage.putSlice('shop', 'quick', 'east', { endpoints: ready('10.2.0.9'), ports: [http] });
    const begunAt = performance.now();
    await eventually(async () => (await stage.dig(`quick.shop.${S}`)).answers.length === 1, {
      describe: 'the answer',
      intervalMs: 5,
    });
    expect(performance.now() - begunAt).toBeLessThan(1_000);
    const { stdout } = await stage.fairlead.command('dns', 'query', `quick.shop.${S}`);
    expect(stdout.trim().split('\n')).toEqual([
      `quick.shop.${S} A: NOERROR`,
      '  5 A 10.2.0.9',
      'the ServiceImport shop/quick is of type ClusterSetIP',
      'cluster east: 1 endpoints, of quick.ipv4.east',
    ]);
  });

  it('loses no query when a process takes over from another with a new configuration, or cannot', async () => {
    const port = await freePort();
    const listen = [`127.0.0.1:${port}`];
    const fairlead = await Fairlead.configure(stage.anotherConfiguration({ listen }));
    const running = await fairlead.run('dns', '--supervised');
    const told = (text: string, count: number) =>
      eventually(() => running.log.filter((line) => line.includes(text)).length === count, { describe: text });
    try {
      await dnsPortOf(running);
      const ttl = async () => (await stage.dig(`web.shop.${S}`, 'A', [], port)).text;
      expect(await ttl()).toMatch(/\s5\s+IN\s+A\s/);
      const load = await DnsLoad.start(`web.shop.${S}`, [port]);
      await fairlead.reconfigure(stage.anotherConfiguration({ listen, ttlSeconds: 7 }));
      running.replace();
      await told('the work was handed over', 1);
      await fairlead.reconfigure(stage.anotherConfiguration({ listen, zone: '-' }));
      running.replace();
      await told('ended before it was ready', 1);
      const { asked, retried, lost } = await load.stop();
      expect(asked).toBeGreaterThan(100);
      expect({ retried, lost }).toEqual({ retried: 0, lost: 0 });
      expect(await ttl()).toMatch(/\s7\s+IN\s+A\s/);
      expect(await running.stop()).toBe(0);
    } finally {
      await running.kill();
      await fairlead.remove();
    }
  });

  it('fails no resolver that has two servers when one of them is killed', async () => {
    const fairlead = await Fairlead.configure(stage.anotherConfiguration({}));
    const running = await fairlead.run('dns');
    try {
      const port = await dnsPortOf(running);
      await eventually(async () => (await stage.dig(`web.shop.${S}`, 'A', [], port)).status === 'NOERROR', {
        describe: 'an answer of the other server',
      });
      const load = await DnsLoad.start(`web.shop.${S}`, [port, stage.ports.ours]);
      await setTimeout(500);
      await running.kill();
      await setTimeout(500);
      const { asked, retried, lost } = await load.stop();
      expect([asked > 100, retried > 0, lost]).toEqual([true, true, 0]);
    } finally {
      await running.kill();
      await fairlead.remove();
    }
  });
});
