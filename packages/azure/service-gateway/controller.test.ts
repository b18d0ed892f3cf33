import { VirtualClock } from '@fairlead/control';
import { events as kubeEvents, namespaces, pods, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import type { ArmBehaviour } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { Replica } from './testing/replica.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const POD_FINALIZER = 'servicegateway.azure.com/pod-cleanup';
const FINALIZERS = [
  'fairlead.dev/azure-service-gateway',
  'servicegateway.azure.com/service-cleanup',
  'service.kubernetes.io/load-balancer-cleanup',
];

async function newWorld(behaviour: Partial<ArmBehaviour> = {}) {
  const clock = new VirtualClock();
  const azure = newAzure(clock, behaviour);
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1'], ['10.0.0.2']);
  return { clock, azure, cluster };
}

type World = Awaited<ReturnType<typeof newWorld>>;

function located({ azure }: World): readonly string[] {
  return [...azure.gateway(scope.gatewayId).locations]
    .flatMap(([location, addresses]) =>
      [...addresses].map(([address, names]) => `${address}@${location}=${names.join(',')}`),
    )
    .sort();
}

describe('ServiceGatewayController, inbound', () => {
  it('gives a Service its address, holds it by finalizers, and tells its owner', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    await replica.settle();
    const { metadata } = await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.2@node-2']);
    await replica.settle();
    const service = await cluster.service('web');
    expect(service?.metadata.finalizers).toEqual(FINALIZERS);
    expect(service?.status?.loadBalancer?.ingress).toEqual([{ ip: '198.18.0.1', ipMode: 'Proxy' }]);
    expect(service?.status?.conditions).toMatchObject([{ type: 'fairlead.dev/Programmed', status: 'True' }]);
    const uid = metadata.uid ?? '';
    expect(located(world)).toEqual([`10.1.0.1@10.0.0.1=${uid}`, `10.1.0.2@10.0.0.2=${uid}`]);
    expect(await cluster.eventLines()).toEqual([
      'web EnsuringLoadBalancer: A public address and a load balancer are being made.',
      'web EnsuredLoadBalancer: Reachable at 198.18.0.1.',
    ]);
    expect(replica.journal.entries('service shop/web').map(({ kind }) => kind)).toContain('step');
  });

  it('takes everything down when the Service is deleted, and lets it go last', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await replica.settle();
    await cluster.client.delete(services, { namespace: NAMESPACE, name: 'web' });
    await replica.settle();
    expect(await cluster.service('web')).toBeUndefined();
    expect(azure.resources('loadBalancers')).toEqual([]);
    expect(azure.resources('publicIPAddresses')).toEqual([]);
    const told = (await cluster.eventLines()).map((line) => line.split(':')[0]);
    expect(told).toContain('web DeletingLoadBalancer');
    expect(told).toContain('web DeletedLoadBalancer');
  });

  it('edge case 9: gathers several slices, and follows a slice that changes its Service', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    const web = await cluster.createService('web');
    const mail = await cluster.createService('mail', { ports: [{ port: 25, targetPort: 8080 }] });
    await cluster.putSlice('web', 'slice-1', ['10.1.0.1@node-1']);
    await cluster.putSlice('web', 'slice-2', ['10.1.0.1@node-1', '10.1.0.2@node-2']);
    await replica.settle();
    const [webUid, mailUid] = [web.metadata.uid, mail.metadata.uid];
    expect(located(world)).toEqual([`10.1.0.1@10.0.0.1=${webUid}`, `10.1.0.2@10.0.0.2=${webUid}`]);
    await cluster.putSlice('mail', 'slice-2', ['10.1.0.1@node-1', '10.1.0.2@node-2']);
    await replica.settle();
    const both = [webUid, mailUid].toSorted((left = '', right = '') => (left < right ? -1 : 1)).join(',');
    expect(located(world)).toEqual([`10.1.0.1@10.0.0.1=${both}`, `10.1.0.2@10.0.0.2=${mailUid}`]);
  });

  it('edge case 8: follows a node that gets another IP without a word from the slices, or appears late', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    const { metadata } = await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.9@node-9']);
    await replica.settle();
    expect(located(world)).toEqual([`10.1.0.1@10.0.0.1=${metadata.uid}`]);
    await cluster.putNode('node-9', '10.0.0.9');
    await cluster.putNode('node-1', '10.0.0.77');
    await replica.settle();
    expect(located(world)).toEqual([`10.1.0.1@10.0.0.77=${metadata.uid}`, `10.1.0.9@10.0.0.9=${metadata.uid}`]);
  });

  it('edge case 4: a Service made again under the same name gets a load balancer of its own', async () => {
    const world = await newWorld({ latency: { minimum: 30, maximum: 30 } });
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await replica.settle();
    await cluster.client.delete(services, { namespace: NAMESPACE, name: 'web' });
    await replica.settle();
    const { metadata } = await cluster.createService('web');
    await replica.settle();
    expect(azure.resources('loadBalancers').map(({ name }) => name)).toEqual([metadata.uid]);
    expect(located(world)).toEqual([`10.1.0.1@10.0.0.1=${metadata.uid}`]);
  });

  it('edge case 4: finalizers that an operator took off by force leave nothing behind', async () => {
    const { clock, cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createService('web');
    await replica.settle();
    await cluster.forceDeleteService('web');
    await clock.advance(60_000);
    expect(await cluster.service('web')).toBeUndefined();
    expect(azure.resources('loadBalancers')).toEqual([]);
    expect(azure.resources('publicIPAddresses')).toEqual([]);
  });

  it('holds back the deletion when most Services vanish at once, until a later look confirms it', async () => {
    const { clock, cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    for (const name of names) await cluster.createService(name);
    await replica.settle();
    for (const name of names) await cluster.forceDeleteService(name);
    await clock.advance(60_000);
    // One or the other may have been held again in time, and deleted as it should be.
    expect(azure.resources('loadBalancers').length).toBeGreaterThanOrEqual(10);
    expect(await cluster.eventLines()).toContainEqual(
      expect.stringContaining('kube-system DeletionHeldBack: Holding back'),
    );
    await clock.advance(1_500_000);
    expect(azure.resources('loadBalancers')).toEqual([]);
  });

  it('tells on the namespace kube-system of leftovers that cannot be deleted, once in a while', async () => {
    const { clock, cluster, azure } = await newWorld();
    const first = new Replica(cluster, azure);
    const { metadata } = await cluster.createService('web');
    await first.settle();
    await first.stop();
    await cluster.forceDeleteService('web');
    azure.faults.next({ method: 'DELETE' }, { kind: 'refuse', status: 403, code: 'ScopeLocked' }, 15);
    const second = new Replica(cluster, azure);
    await clock.advance(500_000);
    const told = (await cluster.eventLines()).filter((line) => line.includes('Failed'));
    const leftovers = `Leftovers in Azure cannot be deleted: Service ${metadata.uid}. ScopeLocked:`;
    expect(told).toEqual([expect.stringContaining(`kube-system DeleteLoadBalancerFailed: ${leftovers}`)]);
    await clock.advance(1_200_000);
    await second.settle();
    expect(azure.resources('loadBalancers')).toEqual([]);
  });

  it.each([
    ['source ranges', { loadBalancerSourceRanges: ['10.0.0.0/8'] }, {}, 'source-ranges-unsupported'],
    ['client affinity', { sessionAffinity: 'ClientIP' as const }, {}, 'affinity-unsupported'],
    ['a chosen address', { loadBalancerIP: '192.0.2.1' }, {}, 'chosen-address-unsupported'],
    ['SCTP', { ports: [{ port: 80, protocol: 'SCTP' as const }] }, {}, 'protocol-unsupported'],
    [
      'one target for two ports',
      {
        ports: [
          { name: 'a', port: 80, targetPort: 8080 },
          { name: 'b', port: 81, targetPort: 8080 },
        ],
      },
      {},
      'repeated-target-port-unsupported',
    ],
    [
      'an internal load balancer',
      {},
      { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' },
      'annotation-unsupported',
    ],
    [
      'an idle timeout out of range',
      {},
      { 'service.beta.kubernetes.io/azure-load-balancer-tcp-idle-timeout': '31' },
      'invalid-idle-timeout',
    ],
  ])('refuses %s with an Event and a condition, and makes nothing', async (_, spec, annotations, code) => {
    const { cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createService('web', spec, annotations);
    await replica.settle();
    const service = await cluster.service('web');
    expect(service?.metadata.finalizers).toEqual(FINALIZERS);
    expect(service?.status?.conditions).toMatchObject([{ type: 'fairlead.dev/Programmed', status: 'False' }]);
    expect(await cluster.eventLines()).toEqual([expect.stringContaining(`web LoadBalancerRefused: Refused (${code})`)]);
    expect(azure.resources('publicIPAddresses')).toEqual([]);
    await cluster.client.delete(services, { namespace: NAMESPACE, name: 'web' });
    await replica.settle();
    expect(await cluster.service('web')).toBeUndefined();
  });

  it('edge case 14: a Service that comes to ask for too much goes on as it was, and stays deletable', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    const { metadata } = await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await replica.settle();
    const key = { namespace: NAMESPACE, name: 'web' };
    await cluster.client.patchMerge(services, key, { spec: { loadBalancerSourceRanges: ['10.0.0.0/8'] } });
    await replica.settle();
    await replica.stop();
    const next = new Replica(cluster, azure);
    await cluster.putSlice('web', 'web-1', ['10.1.0.2@node-1']);
    await next.settle();
    expect(located(world)).toEqual([`10.1.0.2@10.0.0.1=${metadata.uid}`]);
    expect((await cluster.service('web'))?.status?.loadBalancer?.ingress).toHaveLength(1);
    await cluster.client.delete(services, key);
    await next.settle();
    expect(azure.resources('loadBalancers')).toEqual([]);
    expect(await cluster.service('web')).toBeUndefined();
  });

  it('resolves named target ports from the slices, and follows them', async () => {
    const { cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createService('web', { ports: [{ name: 'http', port: 80, targetPort: 'main' }] });
    await replica.settle();
    expect(JSON.stringify(azure.resources('loadBalancers'))).not.toContain('rule-tcp-80');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1'], { name: 'http', port: 8080 });
    await replica.settle();
    expect(JSON.stringify(azure.resources('loadBalancers'))).toContain('"backendPort":8080');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1'], { name: 'http', port: 9090 });
    await replica.settle();
    expect(JSON.stringify(azure.resources('loadBalancers'))).toContain('"backendPort":9090');
  });

  it('never touches a Service of another class', async () => {
    const { cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createService('other', { loadBalancerClass: 'example.com/other' });
    await replica.settle();
    expect((await cluster.service('other'))?.metadata.finalizers).toBeUndefined();
    expect(azure.resources('loadBalancers')).toEqual([]);
  });

  it('goes on without a Service that it cannot read, which keeps what it has', async () => {
    const world = await newWorld();
    const { clock, cluster, azure } = world;
    const odd = await cluster.createService('odd');
    await cluster.putSlice('odd', 'odd-1', ['10.1.0.1@node-1']);
    const first = new Replica(cluster, azure);
    await first.settle();
    await first.stop();
    azure.log.clear();
    cluster.rewrite = (text) =>
      text.includes('"name":"odd"') ? text.replace(/"ports":\[[^\]]*\](?=.*"type":"LoadBalancer")/, '"ports":7') : text;
    const second = new Replica(cluster, azure);
    const web = await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.2@node-1']);
    await second.settle();
    await clock.advance(700_000);
    expect(await cluster.addresses('web')).toHaveLength(1);
    expect(await cluster.addresses('odd')).toHaveLength(1);
    expect(located(world)).toEqual([`10.1.0.1@10.0.0.1=${odd.metadata.uid}`, `10.1.0.2@10.0.0.1=${web.metadata.uid}`]);
    expect(azure.log.lines().join()).not.toContain(odd.metadata.uid);
    expect(await cluster.eventLines('odd')).toContainEqual(expect.stringContaining('odd SyncLoadBalancerFailed: '));
    expect(second.readiness).toEqual({ ready: true });
  });

  it('gives up a Service that is no longer of type LoadBalancer, and takes it back when it is again', async () => {
    const { cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createService('web');
    await replica.settle();
    const key = { namespace: NAMESPACE, name: 'web' };
    await cluster.client.patchMerge(services, key, { spec: { type: 'ClusterIP', loadBalancerClass: null } });
    await replica.settle();
    const plain = await cluster.service('web');
    expect(plain?.metadata.finalizers).toBeUndefined();
    expect(plain?.status?.loadBalancer?.ingress).toBeUndefined();
    expect(azure.resources('loadBalancers')).toEqual([]);
    const spec = { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/azure-service-gateway' } as const;
    await cluster.client.patchMerge(services, key, { spec });
    await replica.settle();
    expect(azure.resources('loadBalancers')).toHaveLength(1);
  });

  it('makes no write, to Azure or the cluster, after a restart over a converged world', async () => {
    const { clock, cluster, azure } = await newWorld();
    const first = new Replica(cluster, azure, { defaultOutbound: true });
    for (const name of ['a', 'b', 'c']) {
      await cluster.createService(name);
      await cluster.putSlice(name, `${name}-1`, [`10.1.0.1@node-1`]);
    }
    await cluster.createPod('worker', 'blue', 'node-1', '10.2.0.1');
    await first.settle();
    await first.stop();
    azure.log.clear();
    cluster.writes.length = 0;
    const second = new Replica(cluster, azure, { defaultOutbound: true });
    await second.settle();
    await clock.advance(700_000);
    expect(azure.log.lines()).toEqual([]);
    expect(cluster.writes).toEqual([]);
    expect(second.readiness).toEqual({ ready: true });
  });

  it('tells once what annotations ask for and the load balancer has not', async () => {
    const { clock, cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure, { annotations: 'warn' });
    const azures = 'service.beta.kubernetes.io/azure-';
    const annotations = { [`${azures}load-balancer-health-probe-interval`]: '10', [`${azures}dns-label-name`]: 'web' };
    await cluster.createService('web', {}, annotations);
    for (const last of [1, 2, 3]) {
      await cluster.putSlice('web', 'web-1', [`10.1.0.${last}@node-1`]);
      await replica.settle();
    }
    await clock.advance(10_000);
    const told = (await cluster.events('web')).filter(({ reason }) => reason === 'AnnotationsIgnored');
    expect(told.map(({ note, series }) => [note, series?.count ?? 1])).toEqual([
      [expect.stringMatching(/dns-label-name, .*health-probe-interval/), 1],
    ]);
    expect(azure.resources('loadBalancers')).toHaveLength(1);
    await replica.stop();
  });

  it('starts no write to Azure that the Lease would not outlive', async () => {
    const { clock, cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await replica.settle();
    azure.log.clear();
    replica.mayWrite = false;
    await cluster.createService('web');
    await clock.advance(10_000);
    expect(azure.log.lines()).toEqual([]);
    replica.mayWrite = true;
    await clock.advance(30_000);
    expect(azure.resources('loadBalancers')).toHaveLength(1);
  });

  it('edge case 15: says nothing of success or failure when it is stopped in the middle', async () => {
    const { clock, cluster, azure } = await newWorld({ latency: { minimum: 100, maximum: 100 } });
    const replica = new Replica(cluster, azure);
    await replica.settle();
    await cluster.createService('web');
    await clock.advance(150);
    await replica.stop();
    await clock.advance(60_000);
    expect((await cluster.eventLines()).filter((line) => !line.includes('EnsuringLoadBalancer'))).toEqual([]);
    expect((await cluster.service('web'))?.status?.conditions).toBeUndefined();
  });
});

describe('ServiceGatewayController, killed after any write', () => {
  const key = { namespace: NAMESPACE, name: 'web' };

  /** Runs a replica until so many writes were made to cluster and Azure; then another one to the end. */
  async function killAfter(writes: number, world: World): Promise<void> {
    const { clock, cluster, azure } = world;
    const first = new Replica(cluster, azure);
    const begun = cluster.writes.length + azure.log.writes.length;
    await clock.runUntil(() => cluster.writes.length + azure.log.writes.length - begun >= writes, 10_000);
    await first.stop();
    await clock.advance(1_000);
    const second = new Replica(cluster, azure);
    await second.settle();
    await second.stop();
  }

  it.each(Array.from({ length: 11 }, (_, index) => index + 1))(
    'edge case 10: a creation goes on after write %i to cluster or Azure',
    async (writes) => {
      const world = await newWorld({ latency: { minimum: 10, maximum: 10 } });
      const { cluster, azure } = world;
      const { metadata } = await cluster.createService('web');
      await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
      await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
      await killAfter(writes, world);
      const service = await cluster.service('web');
      expect(service?.metadata.finalizers).toEqual(FINALIZERS);
      expect(service?.status?.loadBalancer?.ingress).toHaveLength(1);
      expect((await cluster.pod('one'))?.metadata.finalizers).toEqual([POD_FINALIZER]);
      expect(located(world)).toEqual([`10.1.0.1@10.0.0.1=${metadata.uid}`, '10.2.0.1@10.0.0.1=blue']);
      expect(azure.resources('publicIPAddresses')).toHaveLength(2);
      azure.assertConsistent();
    },
  );

  it.each(Array.from({ length: 9 }, (_, index) => index + 1))(
    'edge case 10: a deletion goes on after write %i to cluster or Azure',
    async (writes) => {
      const world = await newWorld({ latency: { minimum: 10, maximum: 10 } });
      const { cluster, azure } = world;
      const before = new Replica(cluster, azure);
      await cluster.createService('web');
      await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
      await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
      await before.settle();
      await before.stop();
      await cluster.client.delete(services, key);
      await cluster.deletePod('one');
      await killAfter(writes, world);
      expect(await cluster.service('web')).toBeUndefined();
      expect(await cluster.pod('one')).toBeUndefined();
      expect(located(world)).toEqual([]);
      for (const kind of ['publicIPAddresses', 'loadBalancers', 'natGateways'] as const) {
        expect(azure.resources(kind)).toEqual([]);
      }
    },
  );
});

describe('ServiceGatewayController, outbound', () => {
  it('makes a gateway for labelled pods, holds them, and takes it down with the last', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'Blue', 'node-1', '10.2.0.1');
    await cluster.createPod('two', 'blue', 'node-2', '10.2.0.2');
    await replica.settle();
    expect(located(world)).toEqual(['10.2.0.1@10.0.0.1=blue', '10.2.0.2@10.0.0.2=blue']);
    expect((await cluster.pod('one'))?.metadata.finalizers).toEqual([POD_FINALIZER]);
    await cluster.deletePod('two');
    await replica.settle();
    expect(await cluster.pod('two')).toBeUndefined();
    expect(azure.resources('natGateways')).toHaveLength(1);
    await cluster.deletePod('one');
    await replica.settle();
    expect(await cluster.pod('one')).toBeUndefined();
    expect(azure.resources('natGateways')).toEqual([]);
    expect(located(world)).toEqual([]);
  });

  it('edge case 6: moves a pod that changes its label without a gap, and lets the old gateway go after', async () => {
    const world = await newWorld({ latency: { minimum: 40, maximum: 40 } });
    const { clock, cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await replica.settle();
    await cluster.labelPod('one', 'green');
    const seen = new Set<string>();
    await clock.runUntil(() => {
      seen.add(located(world).join(' '));
      return false;
    }, 5_000);
    await replica.settle();
    expect([...seen]).toEqual(['10.2.0.1@10.0.0.1=blue', '10.2.0.1@10.0.0.1=green']);
    expect(azure.resources('natGateways').map(({ name }) => name)).toEqual(['green']);
    expect((await cluster.pod('one'))?.metadata.finalizers).toEqual([POD_FINALIZER]);
  });

  it('releases a pod that loses its label, also when that happens while no replica leads', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const first = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await cluster.createPod('two', 'blue', 'node-1', '10.2.0.2');
    await first.settle();
    await cluster.labelPod('one', null);
    await first.settle();
    expect((await cluster.pod('one'))?.metadata.finalizers).toBeUndefined();
    expect(located(world)).toEqual(['10.2.0.2@10.0.0.1=blue']);
    await first.stop();
    await cluster.labelPod('two', null);
    const second = new Replica(cluster, azure);
    await second.settle();
    expect((await cluster.pod('two'))?.metadata.finalizers).toBeUndefined();
    expect(located(world)).toEqual([]);
  });

  it('edge case 5: lets a pod go that is gone and has no addresses any more, after a restart', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const first = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await first.settle();
    await first.stop();
    await cluster.setPodAddresses('one');
    await cluster.deletePod('one');
    expect(await cluster.pod('one')).toBeDefined();
    const second = new Replica(cluster, azure);
    await second.settle();
    expect(await cluster.pod('one')).toBeUndefined();
    expect(located(world)).toEqual([]);
    expect(azure.resources('natGateways')).toEqual([]);
  });

  it('keeps the gateway of a pod that is being deleted until its grace period is over', async () => {
    const world = await newWorld();
    const { clock, cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await replica.settle();
    await cluster.client.delete(pods, { namespace: NAMESPACE, name: 'one' });
    await clock.advance(20_000);
    expect(located(world)).toEqual(['10.2.0.1@10.0.0.1=blue']);
    await clock.advance(15_000);
    expect(located(world)).toEqual([]);
  });

  it('edge case 7: one finalizer for both addresses of a dual-stack pod, under IPs of their family', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    await cluster.putNode('node-1', '10.0.0.1', '2001:DB8:0::1');
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1', '2001:db8::5');
    await replica.settle();
    expect(located(world)).toEqual(['10.2.0.1@10.0.0.1=blue', '2001:db8::5@2001:db8::1=blue']);
    expect(azure.resources('publicIPAddresses').map(({ name }) => name)).toEqual(['blue-pip', 'blue-pip-v6']);
    await cluster.deletePod('one');
    await replica.settle();
    expect(await cluster.pod('one')).toBeUndefined();
  });

  it.each([
    ['has IPv6, too', ['10.0.0.1', 'fd00::1'], ['default-natgw-pip', 'default-natgw-pip-v6']],
    ['has IPv6 alone', ['fd00::1'], ['default-natgw-pip', 'default-natgw-pip-v6']],
  ])('adds an IPv6 address to the default gateway at once when its node %s', async (_, addresses, expected) => {
    const clock = new VirtualClock();
    const cluster = new GatewayCluster(clock);
    await cluster.setUp();
    await cluster.putNode('node-1', '10.0.0.1');
    const azure = newAzure(clock);
    const replica = new Replica(cluster, azure, { defaultOutbound: true, comparisonIntervalSeconds: 0 });
    await replica.settle();
    await cluster.putNode('node-1', ...addresses);
    await replica.settle();
    expect(new Set(azure.resources('publicIPAddresses').map(({ name }) => name))).toEqual(new Set(expected));
    await replica.stop();
  });

  it('adds an IPv6 address to gateways when the first node with IPv6 comes', async () => {
    const { cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await replica.settle();
    await cluster.putNode('node-3', '10.0.0.3', '2001:db8::3');
    await replica.settle();
    expect(azure.resources('publicIPAddresses').map(({ name }) => name)).toEqual(['blue-pip', 'blue-pip-v6']);
  });

  it('edge case 13: one pod stands behind a Service and an egress gateway at once', async () => {
    const world = await newWorld();
    const { cluster, azure } = world;
    const replica = new Replica(cluster, azure);
    const { metadata } = await cluster.createService('web');
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await cluster.putSlice('web', 'web-1', ['10.2.0.1@node-1']);
    await replica.settle();
    const names = ['blue', metadata.uid ?? ''].toSorted((left, right) => (left < right ? -1 : 1)).join(',');
    expect(located(world)).toEqual([`10.2.0.1@10.0.0.1=${names}`]);
  });

  it.each([
    ['a reserved name', 'default-natgw', {}, 'invalid-egress-name'],
    ['a name that could be a UID', '01234567-89ab-cdef-0123-456789abcdef', {}, 'invalid-egress-name'],
    [
      'a gateway that its namespace may not use',
      'gold',
      { egressPolicy: [{ gateway: 'Gold', namespaces: ['bank'] }] },
      'namespace-not-allowed',
    ],
  ])('refuses %s with an Event on the pod', async (_, egress, section, code) => {
    const { clock, cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure, section);
    await cluster.createPod('one', egress, 'node-1', '10.2.0.1');
    await replica.settle();
    await clock.advance(1_000);
    expect(await cluster.eventLines()).toEqual([
      expect.stringContaining(`one EgressRefused: No egress gateway (${code})`),
    ]);
    expect(azure.resources('natGateways')).toEqual([]);
    expect((await cluster.pod('one'))?.metadata.finalizers).toBeUndefined();
  });

  it('goes on without a pod that it cannot read, which stays as it is', async () => {
    const world = await newWorld();
    const { clock, cluster, azure } = world;
    cluster.rewrite = (text) => text.replace(/"podIPs":\[\{"ip":"10.2.0.9"\}\]/, '"podIPs":7');
    const replica = new Replica(cluster, azure);
    await cluster.createPod('odd', 'blue', 'node-1', '10.2.0.1');
    await replica.settle();
    await cluster.setPodAddresses('odd', '10.2.0.9');
    await cluster.createPod('two', 'green', 'node-2', '10.2.0.2');
    await replica.settle();
    await clock.advance(700_000);
    expect(located(world)).toEqual(['10.2.0.1@10.0.0.1=blue', '10.2.0.2@10.0.0.2=green']);
    expect((await cluster.pod('odd'))?.metadata.finalizers).toEqual([POD_FINALIZER]);
    expect(await cluster.eventLines('odd')).toContainEqual(
      expect.stringContaining('odd EgressGatewayFailed: It stays as it is, because reading it failed:'),
    );
    expect(replica.readiness).toEqual({ ready: true });
  });

  it('tells pods why their gateway cannot be made', async () => {
    const { clock, cluster, azure } = await newWorld();
    const replica = new Replica(cluster, azure);
    await replica.settle();
    const refusal = { kind: 'refuse', status: 400, code: 'RequestDisallowedByPolicy' } as const;
    azure.faults.next({ method: 'PUT', kind: 'natGateways' }, refusal);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await clock.advance(2_000);
    expect(await cluster.eventLines()).toEqual([
      expect.stringContaining('one EgressGatewayRefused: Egress gateway blue:'),
    ]);
  });

  it('tells on the namespace kube-system why a gateway without pods cannot be made', async () => {
    const { clock, cluster, azure } = await newWorld();
    const refusal = { kind: 'refuse', status: 400, code: 'RequestDisallowedByPolicy' } as const;
    azure.faults.next({ method: 'PUT', kind: 'natGateways' }, refusal);
    const replica = new Replica(cluster, azure, { defaultOutbound: true });
    await replica.settle();
    await clock.advance(1_000);
    expect(await cluster.eventLines()).toEqual([
      expect.stringContaining('kube-system EgressGatewayRefused: Egress gateway default-natgw:'),
    ]);
    const { metadata } = await cluster.client.get(namespaces, { name: 'kube-system' });
    const [told] = (await cluster.client.list(kubeEvents)).items;
    expect(told?.regarding).toMatchObject({ kind: 'Namespace', name: 'kube-system', uid: metadata.uid });
  });
});
