import { FairleadError, sleep } from '@fairlead/control';
import { type Node, nodes, type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './resource/types.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

const PREFIX = 'loadbalancer.openstack.org';
const key = { namespace: NAMESPACE, name: 'web' };
const addressOf = (service: Service | undefined) => service?.status?.loadBalancer?.ingress?.[0]?.ip;

describe('handlers', () => {
  it('own their own fields, and put back what others write there', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.serve();
    const before = (await world.resource())?.spec;
    const traffic = { connection_limit: 5 };
    const spec = { subnet_id: 'by-hand', flavor_id: 'by-hand', traffic, endpointSlices: [] };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(kuryrLoadBalancers, key, { spec });
    await world.run();
    expect((await world.resource())?.spec).toEqual(before);
    const path = `/apis/openstack.org/v1/namespaces/${NAMESPACE}/kuryrloadbalancers/web`;
    const { metadata } = JSON.parse(await world.cluster.client.getText(path));
    const owned: readonly [string, readonly string[]][] = metadata.managedFields
      .filter(({ operation }: { operation: string }) => operation === 'Apply')
      .map(({ manager, fieldsV1 }: { manager: string; fieldsV1: Record<string, object> }) => [
        manager,
        Object.keys(fieldsV1['f:spec'] ?? {}),
      ]);
    const fields = new Map(owned);
    expect(fields.get('fairlead-endpoints-handler')).toEqual(['f:endpointSlices']);
    expect(fields.get('fairlead-service-handler')).not.toContain('f:endpointSlices');
    expect(fields.get('fairlead-service-handler')).toContain('f:subnet_id');
  });

  it('put members back that went while the resource was edited, although it is as it was before', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    const [id = ''] = world.lbaas.balancers.keys();
    world.lbaas.refuse = ({ kind }) => {
      if (kind === 'set-members') world.lbaas.setStatus(id, 'PENDING_UPDATE');
      return undefined;
    };
    world.cluster.refuse = ({ method, body }) =>
      method === 'PATCH' && body.includes('"endpoints":') ? 503 : undefined;
    const spec = { endpointSlices: [] };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(kuryrLoadBalancers, key, { spec });
    await world.run(5);
    expect([...world.lbaas.members.values()].flat()).toEqual([]);
    world.cluster.refuse = () => undefined;
    await world.run(60);
    world.lbaas.setStatus(id, 'ACTIVE');
    world.lbaas.refuse = () => undefined;
    await world.run(60);
    expect([...world.lbaas.members.values()].flat()).toHaveLength(2);
  });

  it('put members in place that came while OpenStack was looked at for those before', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    await world.serve();
    const tree = world.lbaas.tree.bind(world.lbaas);
    let looks = 0;
    world.lbaas.tree = async (balancer) => {
      const found = await tree(balancer);
      looks += 1;
      if (looks !== 1) return found;
      const writes = world.cluster.writes.length;
      await world.cluster.putSlice('web', 'web-1', ['10.1.0.7@node-1']);
      // Until it is written; the watch tells of it a moment later.
      while (!world.cluster.writes.slice(writes).some((line) => line.endsWith('kuryrloadbalancers/web')))
        await sleep(world.cluster.clock, 1);
      return found;
    };
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), key, { status: null });
    await world.run(60);
    expect([...world.lbaas.members.values()].flat().map(({ address }) => address)).toEqual(['10.1.0.7']);
  });

  it('tell what is refused as soon as the API server takes it', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ comparisonIntervalSeconds: 0 });
    world.cluster.refuse = ({ method, path }) =>
      method === 'PATCH' && path.includes('kuryrloadbalancers/web/status') ? 503 : undefined;
    await world.serve('web', {}, { [`${PREFIX}/flavor-id`]: 'none' });
    world.cluster.refuse = () => undefined;
    await world.run(60);
    expect((await world.cluster.service('web'))?.status?.conditions).toMatchObject([{ reason: 'FlavorUnknown' }]);
  });

  it('make nothing of slices whose Service does not exist, or is of another class', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.cluster.putSlice('ghost', 'ghost-1', ['10.1.0.1@node-1']);
    await world.serve('other', { loadBalancerClass: 'example.com/other' });
    expect(world.cluster.writes).toEqual([]);
  });

  it('give an address before the first pod, and to a Service that never has one', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.cluster.createService('web');
    await world.run();
    expect(addressOf(await world.cluster.service('web'))).toMatch(/^10\.0\.0\./);
  });

  it('serve a Service of a name that another had, with a load balancer of its own', async () => {
    const world = await new OctaviaWorld().setUp();
    const first = world.start();
    await world.serve();
    await first.stop();
    await world.cluster.forceDeleteService('web');
    await world.cluster.createService('web');
    world.start();
    await world.run(60);
    expect(world.steps).toEqual(['create-load-balancer', 'delete-load-balancer', 'create-load-balancer']);
    expect(addressOf(await world.cluster.service('web'))).toMatch(/^10\.0\.0\./);
  });

  it('take down a load balancer whose Service and resource were both forced away', async () => {
    const world = await new OctaviaWorld().setUp();
    const first = world.start();
    await world.serve();
    await first.stop();
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(kuryrLoadBalancers, key, {
      metadata: { finalizers: null },
    });
    await world.cluster.client.delete(kuryrLoadBalancers, key);
    await world.cluster.forceDeleteService('web');
    world.start();
    await world.run(60);
    expect([world.lbaas.balancers.size, world.openstack.emulator.resources('ports')]).toEqual([0, []]);
  });

  it('hold a Service until its load balancer is gone', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.serve();
    world.lbaas.refuse = ({ kind }) => {
      if (kind !== 'delete-load-balancer') return undefined;
      return new FairleadError('not now', { verdict: 'retriable', code: 'test' });
    };
    await world.cluster.deleteService('web');
    await world.run(60);
    expect((await world.cluster.client.get(services, key)).metadata.finalizers).toEqual(['fairlead.dev/octavia']);
    expect((await world.resource())?.metadata.finalizers).toEqual(['fairlead.dev/octavia']);
  });

  it('hold a Service until its resource is gone, which another may hold', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start();
    await world.serve();
    const finalizers = ['fairlead.dev/octavia', 'example.com/audit'];
    await world.cluster.client.patchMerge<KuryrLoadBalancer>(kuryrLoadBalancers, key, { metadata: { finalizers } });
    await world.cluster.deleteService('web');
    await world.run(60);
    expect((await world.resource())?.metadata.finalizers).toEqual(['example.com/audit']);
    expect((await world.cluster.client.get(services, key)).metadata.finalizers).toEqual(['fairlead.dev/octavia']);
  });

  it('send to the node ports of nodes that are ready and selected, where pods cannot be reached', async () => {
    const world = await new OctaviaWorld().setUp();
    world.start({ members: 'node-ports' });
    world.site = { ...world.site, members: 'node-ports' };
    await world.serve('web', {}, { 'fairlead.dev/octavia-members': 'node-ports' });
    expect([...world.lbaas.members.values()].flat()).toEqual([]);
    const status = { conditions: [{ type: 'Ready', status: 'True' }] } as const;
    for (const name of ['node-1', 'node-2'])
      await world.cluster.client.patchMerge<Node>(statusOf(nodes), { name }, { status });
    await world.run();
    const { spec } = await world.cluster.client.get(services, key);
    const [port] = spec.ports ?? [];
    expect(
      [...world.lbaas.members.values()].flat().map(({ address, protocol_port }) => [address, protocol_port]),
    ).toEqual([
      ['10.0.0.11', port?.nodePort],
      ['10.0.0.12', port?.nodePort],
    ]);
  });
});
