import { VirtualClock } from '@fairlead/control';
import { endpointSlices, type Node, nodes, type Pod, pods, type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import type { ArmBehaviour } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { Replica } from './testing/replica.ts';

const TEN_MINUTES = 600_000;
const CACHES = ['services', 'endpointslices', 'nodes', 'pods'];

/** Services of both families, egress gateways and dual-stack pods, all as they should be, and looked at each minute. */
async function newConvergedWorld(spelling: ArmBehaviour['spelling']) {
  const clock = new VirtualClock();
  const latency = { minimum: 20, maximum: 80 };
  const azure = newAzure(clock, { latency, operationTime: { minimum: 0, maximum: 900 }, spelling });
  const cluster = new GatewayCluster(clock);
  await cluster.setUp();
  await cluster.putNode('node-1', '10.0.0.1', '2001:DB8:0:0::1');
  await cluster.putNode('node-2', '10.0.0.2', '2001:db8::2');
  const tags = { 'service.beta.kubernetes.io/azure-pip-tags': 'Team=Shop, costs=42' };
  await cluster.createService('web', {}, tags);
  await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.2@node-2']);
  await cluster.putSlice('web', 'web-2', ['10.1.0.3@node-1']);
  await cluster.createService('six', { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] });
  await cluster.putSlice('six', 'six-1', ['2001:DB8:1::1@node-1', '2001:db8:1:0::2@node-2']);
  await cluster.createService('empty', { ports: [{ port: 53, protocol: 'UDP' }] });
  await cluster.createService('refused', { loadBalancerSourceRanges: ['10.0.0.0/8'] });
  await cluster.createPod('one', 'Blue', 'node-1', '10.1.0.1', '2001:db8:1::1');
  await cluster.createPod('two', 'blue', 'node-2', '10.2.0.2', '2001:db8:2::2');
  await cluster.createPod('three', 'green', 'node-2', '10.2.0.3');
  const replica = new Replica(cluster, azure, { defaultOutbound: true, comparisonIntervalSeconds: 60 });
  await replica.settle();
  await clock.advance(5_000);
  azure.log.clear();
  cluster.writes.length = 0;
  cluster.lists.length = 0;
  return { clock, azure, cluster, replica };
}

/** Every object changes in ways that are of no concern, as heartbeats and other controllers change them. */
async function stir({ client }: GatewayCluster, minute: number): Promise<void> {
  const metadata = { annotations: { minute: String(minute) } };
  for (const name of ['web', 'six', 'empty', 'refused']) {
    await client.patchMerge<Service>(services, { namespace: NAMESPACE, name }, { metadata });
  }
  for (const name of ['web-1', 'web-2', 'six-1']) {
    await client.patchMerge(endpointSlices, { namespace: NAMESPACE, name }, { metadata });
  }
  for (const name of ['one', 'two', 'three']) {
    await client.patchMerge<Pod>(pods, { namespace: NAMESPACE, name }, { metadata });
  }
  const status = { conditions: [{ type: 'Ready', status: 'True', reason: `Minute${minute}` }] } as const;
  for (const name of ['node-1', 'node-2']) await client.patchMerge<Node>(statusOf(nodes), { name }, { status });
}

describe.each(['as-written', 'its-own'] as const)('a converged world that Azure spells %s', (spelling) => {
  it('stays at 0 writes over 10 minutes of resyncs, relists, comparisons and changes that do not matter', async () => {
    const { clock, azure, cluster, replica } = await newConvergedWorld(spelling);
    const located = JSON.stringify([...azure.gateway(scope.gatewayId).locations].map(([at, all]) => [at, [...all]]));
    expect(located).toContain('2001:db8:1::1');
    cluster.forgetsHistory = true;
    for (let minute = 10; minute < 20; minute += 1) {
      await stir(cluster, minute);
      await clock.advance(TEN_MINUTES / 10);
    }
    expect(azure.log.lines()).toEqual([]);
    expect(cluster.writes).toEqual([]);
    expect(replica.readiness).toEqual({ ready: true });
    for (const kind of ['services', 'addressLocations', 'publicIPAddresses', 'loadBalancers', 'natGateways']) {
      expect(azure.log.count('GET', kind), `comparisons of ${kind}`).toBeGreaterThanOrEqual(8);
    }
    for (const cache of CACHES) {
      const relists = cluster.lists.filter((path) => path.endsWith(`/${cache}`));
      expect(relists.length, `relists of ${cache}`).toBeGreaterThanOrEqual(2);
    }
  });

  it('stays at 0 writes when a new leader takes over every minute', async () => {
    const { clock, azure, cluster, replica } = await newConvergedWorld(spelling);
    let leader = replica;
    for (let minute = 0; minute < 10; minute += 1) {
      await leader.stop();
      leader = new Replica(cluster, azure, { defaultOutbound: true });
      await clock.advance(TEN_MINUTES / 10);
      expect(leader.readiness).toEqual({ ready: true });
    }
    expect(azure.log.lines()).toEqual([]);
    expect(cluster.writes).toEqual([]);
    expect(azure.log.count('GET', 'loadBalancers')).toBeGreaterThanOrEqual(10);
  });
});
