import { systemClock } from '@fairlead/control/adapters';
import { KubeClient, type Service, services, statusOf } from '@fairlead/kube';
import { connect, type Connected } from '@fairlead/kube/adapters';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, eventually, Fairlead, type RunningFairlead, startCluster } from './harness/index.ts';

const LEASES = 'fairlead-leases';
const CLASS = 'fairlead.dev/gateway';
const L2 = 'gateway.fairlead.dev/l2-ports';
const L4 = 'gateway.fairlead.dev/l4-ports';
/** The hostile Services of one namespace; by hand also thousands: FAIRLEAD_FLOOD=5000. */
const FLOOD = Number(process.env['FAIRLEAD_FLOOD'] ?? 500);

describe('a tenant with rights on Services in one namespace', () => {
  let cluster: Cluster;
  let fairlead: Fairlead;
  let leader: RunningFairlead;
  let tenant: Connected;
  /** As the tenant. */
  let hostile: KubeClient;
  let own: string;
  let shop: string;

  beforeAll(async () => {
    cluster = await startCluster();
    const identity = await cluster.createIdentity('fairlead');
    await cluster.kubectl(['create', 'namespace', LEASES]);
    [own, shop] = [await cluster.createNamespace('tenant'), await cluster.createNamespace('shop')];
    await cluster.kubectl(['create', 'serviceaccount', 'tenant', '-n', own]);
    const binding = ['create', 'rolebinding', 'tenant', '-n', own, '--clusterrole', 'edit'];
    await cluster.kubectl([...binding, '--serviceaccount', `${own}:tenant`]);
    tenant = await connect({
      kubeconfig: (await cluster.identityOf(own, 'tenant')).kubeconfigPath,
      userAgent: 'fairlead-e2e',
    });
    hostile = new KubeClient(tenant.connection, systemClock);
    fairlead = await Fairlead.configure({
      kubernetes: { kubeconfig: identity.kubeconfigPath },
      leaderElection: { namespace: LEASES, leaseDurationSeconds: 15 },
      parts: { gateway: { addresses: ['203.0.113.1-203.0.113.8'], namespaceLimits: { addressesPerPort: 4 } } },
    });
    leader = await start();
  });

  afterAll(async () => {
    await leader.kill();
    await tenant.connection.close();
    await cluster.stop();
  });

  const start = async () => {
    const one = await fairlead.run();
    await eventually(() => one.isLeading, { describe: 'the leadership', timeoutMs: 40_000 });
    return one;
  };

  const restart = async () => {
    await leader.stop();
    leader = await start();
  };

  const serviceOf = (namespace: string, name: string, ports: readonly number[], annotations = {}): Service => ({
    metadata: { namespace, name, annotations },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: CLASS,
      ipFamilies: ['IPv4'],
      allocateLoadBalancerNodePorts: false,
      ports: ports.map((port) => ({ name: `p${port}`, port })),
    },
  });

  const shown = async (namespace: string, name: string) => {
    const { status } = await cluster.client.get(services, { namespace, name });
    return (status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip).join();
  };

  const address = (namespace: string, name: string, timeoutMs = 10_000) =>
    eventually(async () => (await shown(namespace, name)) || false, {
      describe: `the address of ${namespace}/${name}`,
      timeoutMs,
    });

  it('has none on the status, which is what a restart goes by', async () => {
    await hostile.create(services, serviceOf(own, 'older', [8080]));
    const given = await address(own, 'older');
    const forged = { status: { loadBalancer: { ingress: [{ ip: '203.0.113.8' }] } } };
    await expect(
      hostile.patchMerge<Service>(statusOf(services), { namespace: own, name: 'older' }, forged),
    ).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await shown(own, 'older')).toBe(given);
  });

  it('takes no port of another by a forged record, before or after a restart', async () => {
    await cluster.client.create(services, serviceOf(shop, 'victim', [443]));
    const given = await address(shop, 'victim');
    const annotations = { [L2]: given, [L4]: 'TCP/8080,TCP/443' };
    const spec = { loadBalancerIP: given, ports: serviceOf(own, 'older', [8080, 443]).spec.ports ?? [] };
    await hostile.patchMerge<Service>(services, { namespace: own, name: 'older' }, { metadata: { annotations }, spec });
    await restart();
    // While nobody led, too.
    await leader.kill();
    await hostile.patchMerge<Service>(services, { namespace: own, name: 'older' }, { metadata: { annotations } });
    leader = await start();
    await eventually(async () => (await fetch(`${leader.url}/readyz/gateway`)).status === 200, {
      describe: 'readiness',
    });
    expect(await shown(shop, 'victim')).toBe(given);
    const { status } = await cluster.client.get(services, { namespace: shop, name: 'victim' });
    expect(status?.conditions?.[0]).toMatchObject({ status: 'True', reason: 'Programmed' });
  });

  it('squats a name, and gets nothing of the Service that had it', async () => {
    const before = await address(own, 'older');
    await hostile.delete(services, { namespace: own, name: 'older' });
    await eventually(async () => (await hostile.find(services, { namespace: own, name: 'older' })) === undefined, {
      describe: 'the deletion',
    });
    await cluster.client.create(services, serviceOf(shop, 'successor', [8080]));
    await address(shop, 'successor');
    await hostile.create(services, serviceOf(own, 'older', [8080], { [L2]: before, [L4]: 'TCP/8080' }));
    const again = await address(own, 'older');
    expect(again).not.toBe(await shown(shop, 'successor'));
  });

  it('holds up no other namespace with thousands of Services, huge annotations and invented ports', async () => {
    const invented = Array.from({ length: 20_000 }, (_, index) => `TCP/${index + 1}`).join(',');
    const pool = Array.from({ length: 8 }, (_, index) => `203.0.113.${index + 1}`).join(',');
    for (let index = 0; index < 6; index += 1) {
      await hostile.create(services, serviceOf(own, `invented-${index}`, [80], { [L2]: pool, [L4]: invented }));
    }
    for (let index = 0; index < 20; index += 1) {
      await hostile.create(services, serviceOf(own, `huge-${index}`, [80], { padding: 'x'.repeat(250_000) }));
    }
    for (let from = 0; from < FLOOD; from += 100) {
      const names = Array.from({ length: 100 }, (_, index) => `flood-${from + index}`);
      await Promise.all(names.map((name) => hostile.create(services, serviceOf(own, name, [80]))));
    }
    await cluster.client.create(services, serviceOf(shop, 'web', [80]));
    const started = Date.now();
    await address(shop, 'web');
    expect(Date.now() - started).toBeLessThan(5_000);
    await restart();
    await cluster.client.create(services, serviceOf(shop, 'mail', [25]));
    const restarted = Date.now();
    await address(shop, 'mail');
    expect(Date.now() - restarted).toBeLessThan(5_000);
    expect((await fetch(`${leader.url}/readyz/gateway`)).status).toBe(200);
  }, 300_000);
});
