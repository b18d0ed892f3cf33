import { VirtualClock } from '@fairlead/control';
import { pods, services, statusOf } from '@fairlead/kube';
import { type PartPlan, writesOf } from '@fairlead/part';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { loadBalancerId, publicIpId } from './scope.ts';
import { newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { inbound } from './testing/keys.ts';
import { configuredPart, emulatedPart, readEnvironment } from './testing/part-bench.ts';
import { Replica } from './testing/replica.ts';

async function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1'], ['10.0.0.2']);
  const part = configuredPart(azure);
  const environment = readEnvironment(cluster, clock);
  return { clock, azure, cluster, part, environment };
}

const pod = { namespace: NAMESPACE, name: 'one' };

/** The pod `one` is being deleted and has ended, and another of the same gateway is there. */
async function replacePod(cluster: GatewayCluster): Promise<void> {
  await cluster.client.patchMerge(statusOf(pods), pod, { status: { phase: 'Succeeded' } });
  await cluster.client.delete(pods, pod);
  await cluster.createPod('two', 'blue', 'node-1', '10.2.0.2');
}

const linesOf = ({ changes }: PartPlan) =>
  changes.map(({ action, subject, writes }) => `${action} ${subject} (${writes})`);

describe('the Azure service gateway as a part', () => {
  it('plans, before the first run, exactly the writes that the run then makes', async () => {
    const { azure, cluster, part, environment } = await newWorld();
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    await cluster.createService('closed', { loadBalancerSourceRanges: ['10.0.0.0/8'] });
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    const plan = await part.plan(environment);
    expect(linesOf(plan)).toEqual([
      'create service gateway sgw (1)',
      'update subnet nodes (1)',
      'create egress gateway blue (2)',
      'refuse Service shop/closed (2)',
      'create Service shop/web (4)',
      'update services of the gateway (1)',
      'update addresses of the gateway (1)',
      'update pods with an egress gateway (1)',
    ]);
    expect(azure.log.writes).toEqual([]);
    const replica = new Replica(cluster, azure);
    await replica.settle();
    expect(azure.log.writes.length + cluster.writes.length).toBe(writesOf(plan));
    expect(linesOf(await part.plan(environment)).every((line) => /^(adopt|refuse) .*\(0\)$/.test(line))).toBe(true);
  });

  it('has a Lease that outlives its longest write, which is an update of the gateway by default', async () => {
    const { azure } = await newWorld();
    const longest = (deadlines: object) => configuredPart(azure, { deadlines }).longestWriteMilliseconds;
    expect([longest({}), longest({ actionSeconds: 5 })]).toEqual([20_000, 10_000]);
  });

  describe('plans exactly what is left to be written to the cluster', () => {
    const key = { namespace: NAMESPACE, name: 'web' };

    async function settledWorld() {
      const world = await newWorld();
      const { azure, cluster } = world;
      await cluster.createService('web');
      const replica = new Replica(cluster, azure);
      await replica.settle();
      await replica.stop();
      return { ...world, id: (await cluster.service('web'))?.metadata.uid ?? '' };
    }

    it.each<[string, (world: Awaited<ReturnType<typeof settledWorld>>) => unknown]>([
      [
        'where the status was not told yet',
        ({ cluster }) => cluster.client.patchMerge(statusOf(services), key, { status: null }),
      ],
      [
        'where an operator took the finalizers off',
        ({ cluster }) => cluster.client.patchMerge(services, key, { metadata: { finalizers: null } }),
      ],
      [
        'where nothing was registered yet',
        ({ azure, id }) => {
          const request = { isDelete: true, service: { name: id, properties: { serviceType: 'Inbound' } } };
          const body = { action: 'PartialUpdate', serviceRequests: [request] };
          azure.byHand({ method: 'POST', path: `${scope.gatewayId}/updateServices`, body });
        },
      ],
      [
        'where everything outside is gone',
        ({ azure, id }) => {
          const request = { isDelete: true, service: { name: id, properties: { serviceType: 'Inbound' } } };
          const body = { action: 'PartialUpdate', serviceRequests: [request] };
          azure.byHand({ method: 'POST', path: `${scope.gatewayId}/updateServices`, body });
          azure.byHand({ method: 'DELETE', path: loadBalancerId(scope, inbound(id)) });
          azure.byHand({ method: 'DELETE', path: publicIpId(scope, inbound(id), 'IPv4') });
        },
      ],
      [
        "where the name is another owner's by now",
        ({ azure, id }) => {
          const tags = { 'fairlead-cluster': 'another', 'fairlead-part': 'azure-service-gateway' };
          azure.byHand({ method: 'PATCH', path: publicIpId(scope, inbound(id), 'IPv4'), body: { tags } });
        },
      ],
      ['where it is to be deleted', ({ cluster }) => cluster.client.delete(services, key)],
      [
        'where it is to be released, and its status is told no more',
        async ({ cluster }) => {
          await cluster.client.patchMerge(statusOf(services), key, { status: null });
          await cluster.client.patchMerge(services, key, { spec: { type: 'ClusterIP', loadBalancerClass: null } });
        },
      ],
    ])('%s', async (_, change) => {
      const world = await settledWorld();
      const { azure, cluster, part, environment } = world;
      await change(world);
      const plan = await part.plan(environment);
      azure.log.clear();
      cluster.writes.length = 0;
      await new Replica(cluster, azure).settle();
      expect([...azure.log.lines(), ...cluster.writes]).toHaveLength(writesOf(plan));
      expect(linesOf(await part.plan(environment)).every((line) => /^(adopt|refuse) .*\(0\)$/.test(line))).toBe(true);
    });
  });

  it('plans with what the brake holds back at first, and how to let it go', async () => {
    const { azure, cluster, part, environment } = await newWorld();
    const names = Array.from({ length: 10 }, (_, index) => `lost-${index}`);
    for (const name of names) await cluster.createService(name);
    const replica = new Replica(cluster, azure);
    await replica.settle();
    await replica.stop();
    expect(await part.plan(environment)).not.toHaveProperty('heldBack');
    for (const name of names) {
      const key = { namespace: NAMESPACE, name };
      await cluster.client.patchMerge(services, key, { metadata: { finalizers: null } });
      await cluster.client.delete(services, key);
    }
    expect((await part.plan(environment)).heldBack).toMatch(
      /^Holding back the deletion of 10 of 1\d services of this cluster in Azure: .*: fairlead release azure-service-gateway\.$/,
    );
  });

  it.each([
    ['of its own, when other work comes first', 'blue', 2],
    ['together with new Services, when nothing else is to be done', undefined, 1],
  ])('plans a registration of the default outbound service %s', async (_, egress, calls) => {
    const { azure, cluster, environment } = await newWorld();
    await cluster.createService('web');
    if (egress !== undefined) await cluster.createPod('one', egress, 'node-1', '10.2.0.1');
    const section = { defaultOutbound: true };
    const plan = await configuredPart(azure, section).plan(environment);
    expect(linesOf(plan)).toContain(`update services of the gateway (${calls})`);
    await new Replica(cluster, azure, section).settle();
    expect(azure.log.count('POST', 'updateServices')).toBe(calls);
    expect(azure.log.writes.length + cluster.writes.length).toBe(writesOf(plan));
  });

  it.each([
    ['told no more', { metadata: {}, status: null }],
    ['refused from now on', { spec: { loadBalancerSourceRanges: ['10.0.0.0/8'] } }],
  ])(
    'plans one registration for a new Service and the default outbound service beside one that is %s',
    async (_, change) => {
      const { azure, cluster, environment } = await newWorld();
      await cluster.createService('web');
      const first = new Replica(cluster, azure);
      await first.settle();
      await first.stop();
      const web = { namespace: NAMESPACE, name: 'web' };
      await cluster.client.patchMerge('status' in change ? statusOf(services) : services, web, change);
      await cluster.createService('shop');
      azure.log.clear();
      cluster.writes.length = 0;
      const section = { defaultOutbound: true };
      const plan = await configuredPart(azure, section).plan(environment);
      await new Replica(cluster, azure, section).settle();
      expect(azure.log.count('POST', 'updateServices')).toBe(1);
      expect(azure.log.writes.length + cluster.writes.length).toBe(writesOf(plan));
    },
  );

  it.each<[string, (cluster: GatewayCluster) => unknown]>([
    ['ended', (cluster) => cluster.client.patchMerge(statusOf(pods), pod, { status: { phase: 'Succeeded' } })],
    ['gone, and another has come', (cluster) => replacePod(cluster)],
  ])('plans to let go of a pod that has %s', async (_, change) => {
    const { azure, cluster, part, environment } = await newWorld();
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    const first = new Replica(cluster, azure);
    await first.settle();
    await first.stop();
    await change(cluster);
    const plan = await part.plan(environment);
    expect(linesOf(plan)).toContain('update pods without an egress gateway (1)');
    azure.log.clear();
    cluster.writes.length = 0;
    await new Replica(cluster, azure).settle();
    expect(azure.log.writes.length + cluster.writes.length).toBe(writesOf(plan));
  });

  it('plans nothing for a pod that is held and has no address for a moment', async () => {
    const { azure, cluster, part, environment } = await newWorld();
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await new Replica(cluster, azure).settle();
    await cluster.client.patchMerge(statusOf(pods), pod, { status: { podIP: null, podIPs: null } });
    expect(linesOf(await part.plan(environment)).filter((line) => line.includes('pods'))).toEqual([]);
  });

  it('plans the deletion of leftovers, and of nothing that is not ours', async () => {
    const { azure, cluster, part, environment } = await newWorld();
    const tags = {
      'fairlead-cluster': 'cluster-1',
      'fairlead-part': 'azure-service-gateway',
      'fairlead-service': 'lost',
    };
    const body = {
      location: scope.location,
      sku: { name: 'StandardV2' },
      properties: { publicIPAllocationMethod: 'Static' },
    };
    azure.byHand({ method: 'PUT', path: publicIpId(scope, inbound('lost'), 'IPv4'), body: { ...body, tags } });
    azure.byHand({ method: 'PUT', path: publicIpId(scope, inbound('theirs'), 'IPv4'), body });
    expect(linesOf(await part.plan(environment)).slice(2)).toEqual(['delete leftovers of lost (1)']);
    expect(await cluster.eventLines()).toEqual([]);
  });

  it('explains a Service: not ours, refused, being made, reachable', async () => {
    const { azure, cluster, part, environment } = await newWorld();
    await cluster.createService('other', { loadBalancerClass: 'example.com/other' });
    await cluster.createService('closed', { loadBalancerSourceRanges: ['10.0.0.0/8'] });
    await cluster.createService('web');
    await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
    const why = (name: string) => part.explain(environment, { kind: 'service', namespace: NAMESPACE, name });
    expect(await why('other')).toMatchObject({ state: 'not-ours' });
    expect(await why('closed')).toMatchObject({
      state: 'stuck',
      answer: expect.stringContaining('source-ranges-unsupported'),
    });
    const uid = (await cluster.service('web'))?.metadata.uid;
    const writes = ['hold', `put-public-ip ${uid}-pip`, `put-load-balancer ${uid}`, 'register', 'publish-status'];
    expect(await why('web')).toMatchObject({
      state: 'working',
      waitsFor: `the leader to write: ${writes.join(', then ')}`,
    });
    expect(await why('missing')).toBeUndefined();
    await new Replica(cluster, azure).settle();
    expect(await why('web')).toEqual({
      answer: 'Service shop/web is reachable at 198.18.0.1, with 1 endpoints.',
      state: 'as-wanted',
      wanted: ['an IPv4 address with TCP/80 to 8080', '1 endpoints'],
      there: ['the public address 198.18.0.1', 'registered with the service gateway', '1 addresses in the gateway'],
    });
  });

  it('explains a pod: refused, waiting, behind its gateway', async () => {
    const { azure, cluster, part, environment } = await newWorld();
    await cluster.createPod('odd', 'default-natgw', 'node-1', '10.2.0.9');
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    const why = (name: string) => part.explain(environment, { kind: 'pod', namespace: NAMESPACE, name });
    expect(await why('odd')).toMatchObject({ state: 'stuck' });
    expect(await why('one')).toMatchObject({ state: 'working', waitsFor: 'the egress gateway blue to be made' });
    await new Replica(cluster, azure).settle();
    expect(await why('one')).toMatchObject({
      state: 'as-wanted',
      answer: 'Pod shop/one leaves by its egress gateway blue.',
      there: ['198.18.0.1 as address of blue'],
    });
  });

  it('sums up how it is doing, and lists egress gateways', async () => {
    const { azure, cluster, part, environment } = await newWorld();
    expect(await part.status(environment)).toMatchObject({ summary: 'the service gateway is not there yet' });
    await cluster.createService('web');
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await new Replica(cluster, azure).settle();
    expect(await part.status(environment)).toEqual({
      summary: 'everything is as wanted',
      problems: [],
      figures: {
        'Services wanted': 1,
        'Egress gateways wanted': 1,
        'Services and gateways in Azure': 2,
        'Public addresses': 2,
        'Addresses that differ': 0,
        Refused: 0,
        Leftovers: 0,
      },
    });
    const lines: string[] = [];
    const section = {
      cloud: { subscriptionId: 'sub', resourceGroup: 'cluster', location: 'x', vnetName: 'net', subnetName: 'nodes' },
      gatewayName: 'sgw',
      clusterId: 'cluster-1',
    };
    const [command] = emulatedPart(azure).commands;
    if (command?.needs !== 'configuration') throw new Error('there is no command');
    const { clock, signal } = environment;
    const print = (line: string) => lines.push(line);
    await command.run({ configuration: section, environment, words: [], options: {}, clock, signal, print });
    expect(lines).toEqual([
      'GATEWAY        ADDRESSES   PODS',
      expect.stringMatching(/^blue {11}198\.18\.0\.\d {2}1$/),
      'default-natgw  none yet    0',
    ]);
  });

  it('takes no API version that knows no service gateways', () => {
    const isTaken = (apiVersion: string) =>
      emulatedPart(newAzure(new VirtualClock())).schema.safeParse({ cloudFile: '/azure.json', apiVersion }).success;
    expect([isTaken('2025-03-01'), isTaken('2025-05-01')]).toEqual([false, true]);
  });

  it('needs either the keys of azure.json or the path of one', () => {
    const { schema } = emulatedPart(newAzure(new VirtualClock()));
    expect(schema.safeParse({}).success).toBe(false);
    expect(schema.safeParse({ cloudFile: '/etc/kubernetes/azure.json' }).success).toBe(true);
    const twice = [
      { gateway: 'gold', namespaces: ['bank'] },
      { gateway: 'GOLD', namespaces: ['shop'] },
    ];
    expect(schema.safeParse({ cloudFile: '/azure.json', egressPolicy: twice }).success).toBe(false);
  });
});
