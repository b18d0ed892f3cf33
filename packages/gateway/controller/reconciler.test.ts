import { services } from '@fairlead/kube';
import { NAMESPACE, TestCluster, TestLeader } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { gatewayPart } from './part.ts';

const CLASS = 'fairlead.dev/gateway';
const WEB = 'PATCH shop/services/web';

async function world(...addresses: readonly string[]) {
  const cluster = await new TestCluster({ loadBalancerClass: CLASS }).setUp();
  const configured = gatewayPart().configure({ addresses });
  const lead = (options = {}) => new TestLeader(cluster, (environment) => configured.start(environment), options);
  return { cluster, lead, pass: (seconds: number) => cluster.clock.advance(seconds * 1_000) };
}

const conditionOf = async (cluster: TestCluster, name: string) =>
  (await cluster.service(name))?.status?.conditions?.map(({ status, reason, message }) => ({
    status,
    reason,
    message,
  }));

describe('the gateway controller', () => {
  it('records the assignment before it shows the address, and writes nothing the second time', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('web');
    const first = lead();
    await pass(5);
    expect(cluster.writes).toEqual([WEB, `${WEB}/status`]);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await conditionOf(cluster, 'web')).toEqual([
      { status: 'True', reason: 'Programmed', message: 'Reachable at 192.0.2.1.' },
    ]);
    expect(await cluster.eventLines('web')).toEqual(['web EnsuredLoadBalancer: Reachable at 192.0.2.1.']);
    await first.stop();
    const second = lead();
    await pass(600);
    expect(cluster.writes).toHaveLength(2);
    await second.stop();
  });

  it('leaves a Service as it is that it cannot read, and serves the others', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    const ranges = '"loadBalancerSourceRanges":';
    cluster.rewrite = (text) => text.replaceAll(`${ranges}["198.51.100.0/24"]`, `${ranges}[7]`);
    await cluster.createService('odd', { loadBalancerSourceRanges: ['198.51.100.0/24'] });
    const leader = lead();
    await pass(5);
    await cluster.createService('web');
    await pass(700);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await cluster.eventLines('odd')).toContainEqual(expect.stringContaining('odd SyncLoadBalancerFailed: '));
    expect(cluster.writes).toEqual([WEB, `${WEB}/status`]);
    await leader.stop();
  });

  it('keeps in memory next to nothing of what tenants put on their Services', async () => {
    const { cluster, pass } = await world('192.0.2.1');
    await cluster.createService('web', {}, { note: 'x'.repeat(200_000) });
    await cluster.createService('other', { loadBalancerClass: 'example.com/other' }, { note: 'x'.repeat(200_000) });
    const configured = gatewayPart().configure({ addresses: ['192.0.2.1'] });
    const caches: { list(): unknown }[] = [];
    const leader = new TestLeader(cluster, (environment) => {
      const spy = vi.spyOn(environment.caches, 'projected');
      cluster.clock.setTimer(4_000, () => caches.push(...spy.mock.results.flatMap(({ value }) => value)));
      return configured.start(environment);
    });
    await pass(5);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    const kept = caches.map((cache) => JSON.stringify(cache.list()));
    expect(kept.join()).toContain('other');
    expect(kept.join().length).toBeLessThan(3_000);
    await leader.stop();
  });

  it('holds a Service that it refuses, and takes everything back when it leaves', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('web', { sessionAffinity: 'ClientIP' });
    const leader = lead();
    await pass(5);
    expect((await cluster.service('web'))?.metadata.finalizers).toContain(CLASS);
    expect(await conditionOf(cluster, 'web')).toEqual([
      {
        status: 'False',
        reason: 'AffinityUnsupported',
        message: 'Refused: it asks for sessionAffinity: ClientIP, and only None can be honoured.',
      },
    ]);
    expect(await cluster.eventLines('web')).toEqual([
      expect.stringContaining('web LoadBalancerRefused: Refused (affinity-unsupported): it asks for'),
    ]);
    await cluster.editService('web', { spec: { type: 'ClusterIP', loadBalancerClass: null } });
    await pass(5);
    const left = await cluster.service('web');
    expect(left?.metadata.finalizers).toBeUndefined();
    expect(left?.status?.conditions).toBeUndefined();
    await leader.stop();
  });

  it('leaves a served Service its address when it asks for what cannot be honoured', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('web');
    const leader = lead();
    await pass(5);
    await cluster.editService('web', { spec: { sessionAffinity: 'ClientIP' } });
    await pass(5);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await conditionOf(cluster, 'web')).toMatchObject([{ status: 'False', reason: 'AffinityUnsupported' }]);
    await leader.stop();
  });

  it('gives what a Service is still shown with to no other, although it was given something else meanwhile', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1', '192.0.2.2');
    const portsOf = (...numbers: readonly number[]) => ({
      ports: numbers.map((port) => ({ name: `port-${port}`, port })),
    });
    await cluster.createService('blocks', portsOf(80));
    await cluster.createService('leaves', portsOf(80, 443));
    await cluster.createService('moves', portsOf(25));
    const leader = lead();
    await pass(5);
    cluster.delay = (path) => (path.includes('/services/moves') ? 1_000 : 0);
    await cluster.editService('moves', { spec: portsOf(53, 80, 443) });
    await pass(0.1);
    await cluster.deleteService('leaves');
    await cluster.createService('waits', portsOf(53));
    const shown = async (name: string) =>
      ((await cluster.service(name))?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ports = [] }) =>
        ports.flatMap(({ port, error }) => (error === undefined ? [`${ip} ${port}`] : [])),
      );
    for (let step = 0; step < 60; step += 1) {
      await pass(0.1);
      const both = [...(await shown('moves')), ...(await shown('waits'))];
      expect(new Set(both).size, `shown after ${step} steps: ${both.join()}`).toBe(both.length);
    }
    expect(await shown('moves')).toEqual(['192.0.2.2 53', '192.0.2.2 80', '192.0.2.2 443']);
    expect(await shown('waits')).toEqual(['192.0.2.1 53']);
    await leader.stop();
  });

  it('serves Services without a class where its own is the default, and no others', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.client.create(services, {
      metadata: { namespace: NAMESPACE, name: 'plain' },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
    const first = lead();
    await pass(5);
    expect(cluster.writes).toEqual([]);
    await first.stop();
    const second = lead({ defaultClass: CLASS });
    await pass(5);
    expect(await cluster.addresses('plain')).toEqual(['192.0.2.1']);
    await second.stop();
  });

  it('keeps an address to the Service that wants it alone, also after a restart', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1', '192.0.2.2');
    await cluster.createService('older', { ports: [{ port: 8080 }], loadBalancerClass: 'example.com/other' });
    await pass(2);
    await cluster.createService('alone', {}, { 'gateway.fairlead.dev/sharing': 'exclusive' });
    const first = lead();
    await pass(5);
    await first.stop();
    expect(await cluster.addresses('alone')).toEqual(['192.0.2.1']);
    // The older one is decided for first, as soon as it is ours.
    await cluster.editService('older', { spec: { type: 'ClusterIP', loadBalancerClass: null } });
    await cluster.editService('older', { spec: { type: 'LoadBalancer', loadBalancerClass: CLASS } });
    const second = lead();
    await pass(5);
    expect(await cluster.addresses('alone')).toEqual(['192.0.2.1']);
    expect(await cluster.addresses('older')).toEqual(['192.0.2.2']);
    await second.stop();
  });

  it('gives a freed port to the oldest Service that waits for it', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    for (const name of ['web', 'shop', 'mail']) {
      await cluster.createService(name);
      await pass(2);
    }
    const leader = lead();
    await pass(5);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await conditionOf(cluster, 'shop')).toMatchObject([{ status: 'False', reason: 'PortTaken' }]);
    await cluster.deleteService('web');
    await pass(5);
    expect(await cluster.service('web')).toBeUndefined();
    expect(await cluster.addresses('shop')).toEqual(['192.0.2.1']);
    expect(await cluster.addresses('mail')).toEqual([]);
    await leader.stop();
  });

  it('keeps finalizers of others, whatever becomes of the Service', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('web');
    await cluster.editService('web', { metadata: { finalizers: ['example.com/backup'] } });
    const leader = lead();
    await pass(5);
    expect((await cluster.service('web'))?.metadata.finalizers).toEqual(['example.com/backup', CLASS]);
    await cluster.deleteService('web');
    await pass(5);
    const web = await cluster.service('web');
    expect(web?.metadata.finalizers).toEqual(['example.com/backup']);
    expect(await cluster.eventLines('web')).toContain(
      'web DeletedLoadBalancer: Nothing of it is left outside: it is being deleted.',
    );
    await leader.stop();
  });

  it('starts no write that the Lease does not outlive, and makes it once it does', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('web');
    const leader = lead();
    leader.mayWrite = false;
    await pass(60);
    expect(cluster.writes).toEqual([]);
    leader.mayWrite = true;
    await pass(2);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    await leader.stop();
  });

  it('holds back a pool that lost its addresses, tells each Service, and goes ahead when it stays so', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1-192.0.2.12');
    const names = Array.from({ length: 12 }, (_, index) => `web-${index}`);
    for (const name of names) await cluster.createService(name);
    const first = lead();
    await pass(5);
    await first.stop();
    const emptied = gatewayPart().configure({ addresses: ['2001:db8::99'] });
    const second = new TestLeader(cluster, (environment) => emptied.start(environment));
    await pass(5);
    for (const name of names) expect(await cluster.addresses(name)).toHaveLength(1);
    expect(await cluster.eventLines('web-3')).toContainEqual(expect.stringContaining('DeletionHeldBack: Holding back'));
    await pass(600);
    for (const name of names) expect(await cluster.addresses(name)).toEqual([]);
    expect(await conditionOf(cluster, 'web-3')).toMatchObject([{ status: 'False', reason: 'FamilyMissing' }]);
    await second.stop();
  });

  it('tries a write again that failed, and says so on the Service', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('web');
    const leader = lead();
    let refusals = 2;
    cluster.refuse = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('/services/web') && refusals-- > 0 ? 503 : undefined;
    await pass(30);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await cluster.eventLines('web')).toContainEqual(
      expect.stringMatching(/SyncLoadBalancerFailed: .*it is tried again\.$/),
    );
    await leader.stop();
  });

  it('does without the others a Service that it cannot read', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1', '192.0.2.2');
    await cluster.createService('web');
    await cluster.createService('odd');
    cluster.rewrite = (text) =>
      text.includes('"name":"odd"') ? text.replace(/"ports":\[[^\]]*\]/, '"ports":7') : text;
    const leader = lead();
    await pass(10);
    expect(await cluster.addresses('web')).toHaveLength(1);
    expect(await cluster.addresses('odd')).toEqual([]);
    expect(leader.readiness).toEqual({ ready: true });
    await leader.stop();
  });

  it('tells of an address only when it is written', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('web');
    cluster.refuse = ({ path }) => (path.endsWith('/services/web/status') ? 503 : undefined);
    const leader = lead();
    await pass(20);
    expect((await cluster.eventLines('web')).join()).not.toContain('EnsuredLoadBalancer');
    cluster.refuse = () => undefined;
    await pass(120);
    expect((await cluster.eventLines('web')).join()).toContain('EnsuredLoadBalancer');
    await leader.stop();
  });

  it('gives no port at a restart that a Service was denied before it', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('older', { ports: [{ port: 8080 }] });
    await pass(2);
    await cluster.createService('web', { ports: [{ port: 443 }] });
    const first = lead();
    await pass(5);
    const ports = [8080, 443].map((port) => ({ name: `p${port}`, port }));
    await cluster.editService('older', { spec: { ports } });
    await pass(5);
    await first.stop();
    const second = lead();
    await pass(10);
    expect(await conditionOf(cluster, 'web')).toMatchObject([{ status: 'True' }]);
    expect((await cluster.service('web'))?.status?.loadBalancer?.ingress?.[0]?.ports).toEqual([
      { port: 443, protocol: 'TCP' },
    ]);
    await second.stop();
  });

  it('keeps from others what a Service shows that it cannot read, also from the start', async () => {
    const { cluster, lead, pass } = await world('192.0.2.1');
    await cluster.createService('odd');
    const first = lead();
    await pass(5);
    await first.stop();
    cluster.rewrite = (text) =>
      text.includes('"name":"odd"') ? text.replace(/"ports":\[\{[^\]]*"targetPort"[^\]]*\]/, '"ports":7') : text;
    await cluster.createService('web');
    const second = lead();
    await pass(10);
    expect(await cluster.addresses('odd')).toEqual(['192.0.2.1']);
    expect(await cluster.addresses('web')).toEqual([]);
    await second.stop();
  });

  describe('under attack by a tenant', () => {
    const L2 = 'gateway.fairlead.dev/l2-ports';
    const L4 = 'gateway.fairlead.dev/l4-ports';

    /** An older Service of a tenant and a victim on the same address, and nobody who leads. */
    async function twoOnOneAddress() {
      const made = await world('192.0.2.1', '192.0.2.2');
      await made.cluster.createService('tenant', { ports: [{ port: 8080 }] });
      await made.pass(2);
      await made.cluster.createService('victim', { ports: [{ port: 443 }] });
      const leader = made.lead();
      await made.pass(5);
      expect(await made.cluster.addresses('tenant')).toEqual(await made.cluster.addresses('victim'));
      await leader.stop();
      return made;
    }

    it('ignores a forged record at a restart, and says so on the Service that carries it', async () => {
      const { cluster, lead, pass } = await twoOnOneAddress();
      const ports = [
        { name: 'a', port: 8080 },
        { name: 'b', port: 443 },
      ];
      await cluster.editService('tenant', {
        metadata: { annotations: { [L2]: '192.0.2.1', [L4]: 'TCP/8080,TCP/443' } },
        spec: { ports },
      });
      const leader = lead();
      await pass(10);
      expect(await cluster.addresses('victim')).toEqual(['192.0.2.1']);
      expect(await conditionOf(cluster, 'victim')).toMatchObject([{ status: 'True' }]);
      expect(await cluster.addresses('tenant')).toEqual(['192.0.2.2']);
      await leader.stop();
    });

    it('ignores a record of an address that it does not show, where another has that', async () => {
      const { cluster, lead, pass } = await twoOnOneAddress();
      await cluster.createService('late', { ports: [{ port: 443 }] }, { [L2]: '192.0.2.1', [L4]: 'TCP/443' });
      const leader = lead();
      await pass(10);
      expect(await cluster.addresses('victim')).toEqual(['192.0.2.1']);
      expect(await cluster.addresses('late')).toEqual(['192.0.2.2']);
      expect(await cluster.eventLines('late')).toContainEqual(expect.stringContaining('AssignmentIgnored'));
      expect(await cluster.eventLines('victim')).not.toContainEqual(expect.stringContaining('AssignmentIgnored'));
      await leader.stop();
    });

    it('ignores a record of an address that another has to itself', async () => {
      const { cluster, lead, pass } = await world('192.0.2.1', '192.0.2.2');
      await cluster.createService('victim', {}, { 'gateway.fairlead.dev/sharing': 'exclusive' });
      const first = lead();
      await pass(5);
      await first.stop();
      const ports = [{ port: 8080 }];
      await cluster.createService('tenant', { ports }, { [L2]: '192.0.2.1', [L4]: 'TCP/8080' });
      const second = lead();
      await pass(10);
      expect(await cluster.addresses('victim')).toEqual(['192.0.2.1']);
      expect(await conditionOf(cluster, 'victim')).toMatchObject([{ status: 'True' }]);
      expect(await cluster.addresses('tenant')).toEqual(['192.0.2.2']);
      expect(await cluster.eventLines('tenant')).toContainEqual(expect.stringContaining('AssignmentIgnored'));
      await second.stop();
    });

    it('honours a record that a leader died over before it wrote the status', async () => {
      const { cluster, lead, pass } = await world('192.0.2.1', '192.0.2.2');
      await cluster.createService('older');
      await pass(2);
      await cluster.createService('web', {}, { [L2]: '192.0.2.1', [L4]: 'TCP/80' });
      const leader = lead();
      await pass(10);
      expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
      expect(await cluster.addresses('older')).toEqual(['192.0.2.2']);
      await leader.stop();
    });

    it('believes neither of two records that claim the same', async () => {
      const { cluster, lead, pass } = await world('192.0.2.1', '192.0.2.2', '192.0.2.3');
      await cluster.createService('first');
      await pass(2);
      for (const name of ['one', 'two']) await cluster.createService(name, {}, { [L2]: '192.0.2.1', [L4]: 'TCP/80' });
      const leader = lead();
      await pass(10);
      expect(await cluster.addresses('first')).toEqual(['192.0.2.1']);
      for (const name of ['one', 'two']) {
        expect(await cluster.eventLines(name)).toContainEqual(expect.stringContaining('AssignmentIgnored'));
      }
      await leader.stop();
    });

    it('refuses a Service with more ports than any has, and takes no invented record apart', async () => {
      const { cluster, lead, pass } = await world('192.0.2.0/24');
      const many = Array.from({ length: 1_001 }, (_, index) => ({ name: `p${index}`, port: index + 1 }));
      await cluster.createService('greedy', { ports: many });
      const invented = Array.from({ length: 20_000 }, (_, index) => `TCP/${index + 1}`).join(',');
      for (let index = 0; index < 6; index += 1) {
        await cluster.createService(`invented-${index}`, {}, { [L2]: '192.0.2.1,192.0.2.2', [L4]: invented });
      }
      await cluster.createService('web', { ports: [{ port: 12_345 }] });
      const leader = lead();
      await pass(20);
      expect(await conditionOf(cluster, 'greedy')).toMatchObject([{ status: 'False', reason: 'TooManyPorts' }]);
      expect(await cluster.addresses('web')).toEqual(['192.0.2.0']);
      for (let index = 0; index < 6; index += 1) expect(await cluster.addresses(`invented-${index}`)).toHaveLength(1);
      await leader.stop();
    });

    it('keeps no port for a Service whose record the API server does not take', async () => {
      const { cluster, lead, pass } = await world('192.0.2.1');
      const isRecord = (path: string, body: string) => path.endsWith('/services/web') && body.includes(`"${L2}":"`);
      cluster.refuse = ({ path, body }) => (isRecord(path, body) ? 422 : undefined);
      await cluster.createService('web');
      await pass(2);
      await cluster.createService('next');
      const leader = lead();
      await pass(20);
      expect(await cluster.addresses('next')).toEqual(['192.0.2.1']);
      await leader.stop();
    });

    it('frees the address of a refused record only when the status no longer shows it', async () => {
      const { cluster, lead, pass } = await world('192.0.2.1');
      await cluster.createService('web');
      const leader = lead();
      await pass(5);
      const ports = [{ port: 8080 }];
      cluster.refuse = ({ path, body }) => {
        if (path.endsWith('/services/web') && body.includes(`"${L4}":"`)) return 422;
        return path.endsWith('/services/web/status') ? 503 : undefined;
      };
      await cluster.editService('web', { spec: { ports } });
      await pass(2);
      await cluster.createService('next');
      await pass(20);
      expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
      expect(await cluster.addresses('next')).toEqual([]);
      await leader.stop();
    });

    it('says in the condition when the record does not fit, and keeps no port for it', async () => {
      const { cluster, lead, pass } = await world('192.0.2.1', '192.0.2.2');
      await cluster.createService('web');
      const isRecord = (path: string, body: string) => path.endsWith('/services/web') && body.includes(`"${L2}":"`);
      cluster.refuse = ({ path, body }) => (isRecord(path, body) ? 422 : undefined);
      await pass(2);
      await cluster.createService('next');
      const leader = lead();
      await pass(20);
      expect(await cluster.addresses('next')).toHaveLength(1);
      expect(await conditionOf(cluster, 'web')).toMatchObject([{ status: 'False', reason: 'RecordRefused' }]);
      cluster.refuse = () => undefined;
      await pass(900);
      expect(await cluster.addresses('web')).toHaveLength(1);
      await leader.stop();
    });
  });
});
