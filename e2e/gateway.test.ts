import { type Service, services } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Cluster,
  eventually,
  Fairlead,
  type Identity,
  type RunningFairlead,
  startCluster,
  type WriteRequest,
} from './harness/index.ts';

const MANY = 1_000;
const LEASES = 'fairlead-leases';

describe('the gateway part on a real cluster', () => {
  let cluster: Cluster;
  let identity: Identity;
  const running: RunningFairlead[] = [];

  beforeAll(() => renewCluster());

  afterAll(() => endCluster());

  const renewCluster = async () => {
    cluster = await startCluster();
    identity = await cluster.createIdentity('fairlead');
    await cluster.kubectl(['create', 'namespace', LEASES]);
  };

  const endCluster = async () => {
    await Promise.all(running.map((one) => one.kill()));
    await cluster.stop();
  };

  const configure = (addresses: readonly string[]) =>
    Fairlead.configure({
      kubernetes: { kubeconfig: identity.kubeconfigPath },
      leaderElection: { namespace: LEASES, leaseDurationSeconds: 15 },
      parts: { gateway: { addresses } },
    });

  const start = async (fairlead: Fairlead) => {
    const one = await fairlead.run();
    running.push(one);
    return one;
  };

  const create = (namespace: string, name: string, spec: Service['spec']) =>
    cluster.client.create(services, {
      metadata: { namespace, name },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/gateway', ...spec },
    });

  const addressesIn = async (namespace: string) => {
    const { items } = await cluster.client.list(services, { namespace });
    return new Map(items.map((service) => [service.metadata.name, addressOf(service)]));
  };

  const addressOf = (service: Service) =>
    (service.status?.loadBalancer?.ingress ?? []).map((point) => point.ip ?? '').join(' and ');

  /** What Fairlead wrote to anything but its Lease; asking what it may do changes nothing. */
  const ourWrites = () =>
    cluster.writes(
      ({ user, resource }) => user === identity.user && !['leases', 'selfsubjectaccessreviews'].includes(resource),
    );

  it('gives 1,000 Services the addresses that its plan named, and nothing else a touch', async () => {
    const namespace = await cluster.createNamespace('many');
    const other = await cluster.client.create(services, {
      metadata: { namespace, name: 'other' },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'example.com/other', ports: [{ port: 80 }] },
    });
    const names = Array.from({ length: MANY }, (_, index) => `web-${String(index).padStart(4, '0')}`);
    for (let from = 0; from < MANY; from += 50) {
      await Promise.all(names.slice(from, from + 50).map((name) => create(namespace, name, { ports: [{ port: 80 }] })));
    }
    const fairlead = await configure(['198.18.0.0/22']);
    const planned = await fairlead.command('plan', '--json');
    expect(planned.code).toBe(0);
    const [plan] = JSON.parse(planned.stdout);
    expect(plan).toMatchObject({ part: 'gateway', writes: 2 * MANY });

    await cluster.resetWrites();
    const leader = await start(fairlead);
    await eventually(async () => [...(await addressesIn(namespace)).values()].filter(Boolean).length === MANY, {
      describe: `${MANY} addresses`,
      timeoutMs: 60_000,
      intervalMs: 250,
    });
    const given = await addressesIn(namespace);
    expect(new Set(names.map((name) => given.get(name))).size).toBe(MANY);
    for (const change of plan.changes) {
      const name = String(change.subject).replace(`Service ${namespace}/`, '');
      expect(change).toMatchObject({ action: 'create', detail: `gets ${given.get(name)}`, writes: 2 });
    }
    const writes = (await ourWrites()).filter((write) => write.resource.startsWith('services'));
    expect(writes).toHaveLength(2 * MANY);

    const untouched = await cluster.client.get(services, { namespace, name: 'other' });
    expect(untouched.metadata.resourceVersion).toBe(other.metadata.resourceVersion);
    expect(await leader.stop()).toBe(0);
  });

  it('writes nothing when it starts again', async () => {
    await eventually(async () => (await ourWrites()).length === (await settled()).length, { describe: 'quiet' });
    await cluster.resetWrites();
    const leader = await start(await configure(['198.18.0.0/22']));
    await eventually(() => leader.isLeading, { describe: 'the leadership' });
    await eventually(async () => (await fetch(`${leader.url}/readyz/gateway`)).status === 200, {
      describe: 'readiness',
    });
    await worked(leader, MANY);
    expect(await ourWrites()).toEqual([]);
    await leader.stop();
  });

  it('goes on with another replica when the leader is killed, and gives no address twice', async () => {
    const namespace = await cluster.createNamespace('replicas');
    const fairlead = await configure(['198.18.0.0/22', '203.0.113.1', '203.0.113.2', '203.0.113.3']);
    const first = await start(fairlead);
    await eventually(() => first.isLeading, { describe: 'the first leadership' });
    const second = await start(fairlead);
    await create(namespace, 'before', { ports: [{ port: 25 }] });
    await eventually(async () => (await addressesIn(namespace)).get('before') || false, {
      describe: 'the first address',
    });
    await first.kill();
    await create(namespace, 'after', { ports: [{ port: 25 }] });
    await eventually(async () => (await addressesIn(namespace)).get('after') || false, {
      describe: 'the address given by the second replica',
      timeoutMs: 40_000,
    });
    const { items } = await cluster.client.list(services);
    const uses = items.flatMap((service) =>
      (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) =>
        (service.spec.ports ?? []).map((port) => `${ip} ${port.protocol} ${port.port}`),
      ),
    );
    expect(new Set(uses).size).toBe(uses.length);
    expect(uses.length).toBeGreaterThan(MANY);
    await second.stop();
  });

  it('tells why a Service has no address: port taken, family missing, and who is served', async () => {
    await endCluster();
    await renewCluster();
    const namespace = await cluster.createNamespace('why');
    await create(namespace, 'first', { ports: [{ port: 8080 }], ipFamilies: ['IPv4'] });
    await create(namespace, 'second', { ports: [{ port: 8080 }], ipFamilies: ['IPv4'] });
    await create(namespace, 'sixth', { ports: [{ port: 8080 }], ipFamilies: ['IPv6'] });
    const why = async (fairlead: Fairlead, name: string) =>
      (await fairlead.command('why', 'service', `${namespace}/${name}`)).stdout;

    const other = await configure(['2001:db8::1']);
    expect(await why(other, 'first')).toContain('is refused (family-missing): the pool has no IPv4 address');

    const one = await configure(['203.0.113.77']);
    const leader = await start(one);
    await eventually(async () => (await addressesIn(namespace)).get('first') || false, { describe: 'the address' });
    const told = async (name: string) =>
      (await one.command('why', 'service', `${namespace}/${name}`, '--server', leader.url)).stdout;
    expect(await told('first')).toContain(`Service ${namespace}/first has 203.0.113.77.`);
    expect(await told('first')).toMatch(/Tried:\n.* record-assignment \(PATCH services\) done\n.* publish-status/);
    expect(await told('second')).toContain('is refused (port-taken): there is no IPv4 address of the 1 in the pool');
    expect(await told('second')).toContain(`TCP/8080 belongs to ${namespace}/first`);
    expect(await told('sixth')).toContain('is refused (family-missing): the pool has no IPv6 address');

    await cluster.client.delete(services, { namespace, name: 'first' });
    await eventually(async () => (await addressesIn(namespace)).get('second') || false, {
      describe: 'the address to move on',
    });
    expect((await addressesIn(namespace)).has('first')).toBe(false);
    const events = await cluster.kubectl(['get', 'events', '-n', namespace, '-o', 'custom-columns=R:.reason']);
    expect(events.stdout).toContain('AddressUnavailable');
    expect(events.stdout).toContain('EnsuredLoadBalancer');
    await leader.stop();
  });

  /** Ours, once nothing was added for a while. */
  const settled = async (): Promise<WriteRequest[]> => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return ourWrites();
  };

  /** Until the leader has looked at so many Services. */
  const worked = (leader: RunningFairlead, count: number) =>
    eventually(
      async () => {
        const metrics = await (await fetch(`${leader.url}/metrics`)).text();
        const looked = /fairlead_queue_work_seconds_count\{queue="gateway-services"\} (\d+)/.exec(metrics)?.[1];
        return Number(looked) >= count;
      },
      { describe: `${count} Services looked at` },
    );
});
