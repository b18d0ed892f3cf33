import { VirtualClock } from '@fairlead/control';
import { type Service, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import type { ArmBehaviour } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { Replica } from './testing/replica.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const POD_FINALIZER = 'servicegateway.azure.com/pod-cleanup';
const OURS = 'fairlead.dev/azure-service-gateway';
const OTHERS = ['servicegateway.azure.com/service-cleanup', 'service.kubernetes.io/load-balancer-cleanup'];
const SLOWLY: Partial<ArmBehaviour> = { latency: { minimum: 40, maximum: 40 } };

async function newWorld(behaviour: Partial<ArmBehaviour> = SLOWLY) {
  const clock = new VirtualClock();
  const azure = newAzure(clock, behaviour);
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1'], ['10.0.0.2']);
  const located = () =>
    [...azure.gateway(scope.gatewayId).locations]
      .flatMap(([location, all]) => [...all].map(([address, under]) => `${address}@${location}=${under.join(',')}`))
      .toSorted();
  const sent = () => azure.log.lines().filter((line) => line.includes('updateAddressLocations'));
  return { clock, azure, cluster, located, sent };
}

describe('the whole controller, in what happens seldom', () => {
  it('edge case 2: never sends an endpoint that came and went while its Service was being made', async () => {
    const { clock, azure, cluster, located, sent } = await newWorld();
    const replica = new Replica(cluster, azure);
    await replica.settle();
    const { metadata } = await cluster.createService('web');
    await clock.runUntil(() => azure.log.count('PUT', 'publicIPAddresses') > 0, 5_000);
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1', '10.1.0.2@node-1']);
    await clock.advance(1);
    await cluster.putSlice('web', 'web-1', ['10.1.0.2@node-1']);
    await replica.settle();
    expect(located()).toEqual([`10.1.0.2@10.0.0.1=${metadata.uid}`]);
    expect(sent()).toEqual([`POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.2=${metadata.uid}]`]);
  });

  it('edge case 4: lets go of a deleted Service whose finalizers are all that is left of it', async () => {
    const { azure, cluster } = await newWorld();
    const metadata = { namespace: NAMESPACE, name: 'stale', finalizers: [OURS, ...OTHERS, 'example.com/theirs'] };
    const spec = { type: 'LoadBalancer', loadBalancerClass: OURS, ports: [{ port: 80 }] } as const;
    await cluster.client.create<Service>(services, { metadata, spec });
    await cluster.client.delete(services, metadata);
    await new Replica(cluster, azure).settle();
    expect((await cluster.service('stale'))?.metadata.finalizers).toEqual(['example.com/theirs']);
    expect(azure.log.lines()).toEqual(['PUT serviceGateways/sgw 201', 'PUT subnets/net/nodes 200']);
  });

  it('edge case 4: does not touch finalizers that another controller left on a Service of no class', async () => {
    const { azure, cluster } = await newWorld();
    const metadata = { namespace: NAMESPACE, name: 'theirs', finalizers: OTHERS };
    const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] } as const;
    const before = await cluster.client.create<Service>(services, { metadata, spec });
    const replica = new Replica(cluster, azure);
    await replica.settle();
    expect((await cluster.service('theirs'))?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await cluster.client.delete(services, metadata);
    await replica.settle();
    expect((await cluster.service('theirs'))?.metadata.finalizers).toEqual(OTHERS);
    expect(cluster.writes).toEqual([]);
  });

  it('edge case 5: takes the addresses of an ended pod away that no longer tells them', async () => {
    const { azure, cluster, located } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await cluster.createPod('two', 'blue', 'node-1', '10.2.0.2');
    await replica.settle();
    await cluster.setPodAddresses('one');
    await cluster.deletePod('one');
    await replica.settle();
    expect(await cluster.pod('one')).toBeUndefined();
    expect(located()).toEqual(['10.2.0.2@10.0.0.1=blue']);
  });

  it('edge case 5: an address that another pod gets at once leaves by the gateway of that pod only', async () => {
    const { clock, azure, cluster, located } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createPod('old', 'blue', 'node-1', '10.2.0.1');
    await cluster.createPod('keeper', 'blue', 'node-2', '10.2.0.9');
    await replica.settle();
    await cluster.deletePod('old');
    await cluster.createPod('new', 'green', 'node-1', '10.2.0.1');
    const seen = new Set<string>();
    await clock.runUntil(() => {
      seen.add(located().find((line) => line.startsWith('10.2.0.1@')) ?? 'nowhere');
      return false;
    }, 5_000);
    await replica.settle();
    expect([...seen]).toEqual(['10.2.0.1@10.0.0.1=blue', 'nowhere', '10.2.0.1@10.0.0.1=green']);
    expect(await cluster.pod('old')).toBeUndefined();
    expect((await cluster.pod('new'))?.metadata.finalizers).toEqual([POD_FINALIZER]);
  });

  it('edge case 6: the only pod of a gateway gets another address, and the gateway stays', async () => {
    const { azure, cluster, located } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await replica.settle();
    azure.log.clear();
    await cluster.setPodAddresses('one');
    await replica.settle();
    await cluster.setPodAddresses('one', '10.2.0.7');
    await replica.settle();
    expect(located()).toEqual(['10.2.0.7@10.0.0.1=blue']);
    expect(azure.log.lines().filter((line) => !line.includes('updateAddressLocations'))).toEqual([]);
  });

  it('edge case 7: holds a pod of which one address has left and the other has not', async () => {
    const { clock, azure, cluster, located } = await newWorld();
    await cluster.putNode('node-1', '10.0.0.1', '2001:db8::1');
    const replica = new Replica(cluster, azure, { addressLocations: { maximumAddresses: 1 } });
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1', '2001:db8:2::1');
    await replica.settle();
    azure.log.clear();
    await cluster.deletePod('one');
    await clock.runUntil(() => azure.log.count('POST', 'updateAddressLocations') === 1, 5_000);
    azure.faults.throttle({ kind: 'updateAddressLocations' }, 20_000);
    await clock.advance(15_000);
    expect(located()).toHaveLength(1);
    expect((await cluster.pod('one'))?.metadata.finalizers).toEqual([POD_FINALIZER]);
    await replica.settle();
    expect(located()).toEqual([]);
    expect(await cluster.pod('one')).toBeUndefined();
  });

  it('edge case 16: programs the latest request after an hour in which every attempt failed', async () => {
    const { clock, azure, cluster, located } = await newWorld();
    const replica = new Replica(cluster, azure);
    await replica.settle();
    const busy = { kind: 'refuse', status: 409, code: 'AnotherOperationInProgress' } as const;
    azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, busy, 1_000);
    const { metadata } = await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await clock.advance(3_600_000);
    expect(azure.log.count('PUT', 'loadBalancers')).toBeGreaterThan(20);
    expect(azure.log.count('PUT', 'loadBalancers')).toBeLessThan(30);
    await cluster.putSlice('web', 'web-1', ['10.1.0.2@node-2']);
    await cluster.client.patchMerge<Service>(services, metadata, {
      spec: { ports: [{ port: 443, targetPort: 8443 }] },
    });
    await clock.advance(1_000);
    azure.faults.clear();
    await replica.settle(600_000);
    expect(located()).toEqual([`10.1.0.2@10.0.0.2=${metadata.uid}`]);
    expect(JSON.stringify(azure.resources('loadBalancers'))).toContain('rule-tcp-443');
    expect((await cluster.service('web'))?.status?.loadBalancer?.ingress).toHaveLength(1);
  });
});
