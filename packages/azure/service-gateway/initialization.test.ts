import { FairleadError, VirtualClock } from '@fairlead/control';
import type { ArmBehaviour, ArmEmulator } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { loadBalancerId, natGatewayId, publicIpId } from './scope.ts';
import { group, newArmClient, newAzure, scope } from './testing/azure-bench.ts';
import { addressKey, endpoints, inbound, outbound, pod } from './testing/keys.ts';
import { type Cluster, Leader } from './testing/leader.ts';
import { changedSpec, inboundSpec, outboundSpec } from './testing/specs.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const one = '10.1.0.1@10.0.0.1';

function newWorld(behaviour: Partial<ArmBehaviour> = {}) {
  const clock = new VirtualClock();
  return { clock, azure: newAzure(clock, behaviour) };
}

function clusterWith(count: number): Cluster {
  return {
    services: Array.from({ length: count }, (_, index) => ({
      spec: inboundSpec(`s${index}`),
      endpoints: endpoints(`10.1.${index >> 8}.${index & 255}@10.0.0.${1 + (index % 9)}`),
    })),
    pods: [
      {
        spec: outboundSpec('blue'),
        pod: { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey('10.2.0.1@10.0.0.1')] },
      },
    ],
  };
}

const lines = (azure: ArmEmulator) => azure.log.lines();

describe('Initialization', () => {
  it('creates the gateway, attaches it to the subnet, then makes what the cluster wants', async () => {
    const { clock, azure } = newWorld();
    const leader = new Leader(clock, azure, {
      services: [{ spec: inboundSpec('web'), endpoints: endpoints(one) }],
      pods: [],
    });
    expect(leader.isReady).toBe(false);
    await leader.settle();
    expect(lines(azure)).toEqual([
      'PUT serviceGateways/sgw 201',
      'PUT subnets/net/nodes 200',
      'PUT publicIPAddresses/web-pip 201',
      'PUT loadBalancers/web 201',
      'POST updateServices/sgw 200: +web',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=web]',
    ]);
    expect(leader.isReady).toBe(true);
    azure.assertConsistent();
  });

  it('makes no write after a restart over a converged world, and none over ten more minutes', async () => {
    const { clock, azure } = newWorld();
    const cluster = clusterWith(100);
    const first = new Leader(clock, azure, cluster, true);
    await first.settle();
    first.stop();
    azure.log.clear();
    const second = new Leader(clock, azure, cluster, true);
    await second.settle();
    await clock.advance(700_000);
    expect(lines(azure)).toEqual([]);
    expect(second.isReady).toBe(true);
    expect(azure.log.count('GET', 'addressLocations')).toBeGreaterThan(1);
  });

  it('finds what changed while no replica led', async () => {
    const { clock, azure } = newWorld();
    const first = new Leader(clock, azure, clusterWith(4));
    await first.settle();
    first.stop();
    azure.log.clear();
    const cluster: Cluster = {
      services: [
        { spec: changedSpec('s0', 443), endpoints: endpoints('10.1.0.0@10.0.0.1') },
        { spec: inboundSpec('s1'), endpoints: endpoints('10.1.0.77@10.0.0.2') },
        { spec: inboundSpec('new'), endpoints: endpoints(one) },
      ],
      pods: [],
    };
    const second = new Leader(clock, azure, cluster);
    await second.settle();
    expect(azure.resources('loadBalancers').map(({ name }) => name)).toEqual(['new', 's0', 's1']);
    expect(azure.resources('natGateways')).toEqual([]);
    expect(azure.resources('publicIPAddresses')).toHaveLength(3);
    expect(lines(azure).filter((line) => line.includes('PUT loadBalancers'))).toEqual([
      'PUT loadBalancers/s0 200',
      'PUT loadBalancers/new 201',
    ]);
    azure.assertConsistent();
  });

  it.each(['publicIPAddresses', 'loadBalancers', 'natGateways'] as const)(
    'takes nothing for made that Azure is still at work on, and may fail at: %s',
    async (kind) => {
      const { clock, azure } = newWorld({ operationTime: { minimum: 30_000, maximum: 30_000 } });
      azure.faults.next({ method: 'PUT', kind }, { kind: 'fail-operation', code: 'InternalServerError' });
      const first = new Leader(clock, azure, clusterWith(1));
      await clock.runUntil(() => azure.faults.left === 0, 600_000);
      await clock.advance(1_000);
      first.stop();
      const second = new Leader(clock, azure, clusterWith(1));
      await second.settle(300_000);
      const states = azure
        .resources(kind)
        .map((body) => JSON.stringify(body).match(/"provisioningState":"(\w+)"/)?.[1]);
      expect(new Set(states)).toEqual(new Set(['Succeeded']));
      second.stop();
    },
  );

  it('edge case 17: starts with Azure down, says why it is not ready, and recovers by itself', async () => {
    const { clock, azure } = newWorld();
    azure.faults.next({}, { kind: 'lose-request' }, 40);
    const leader = new Leader(clock, azure, clusterWith(2));
    await clock.advance(20_000);
    expect(leader.readiness.at(-1)).toMatchObject({ ready: false });
    expect(JSON.stringify(leader.readiness)).toContain('Azure cannot be read');
    await leader.settle(600_000);
    expect(leader.isReady).toBe(true);
  });

  it('is ready although an egress gateway that no pod names any more has an address that cannot leave it', async () => {
    const { clock, azure } = newWorld();
    const addressKeys = [addressKey('10.2.0.1@10.0.0.1')];
    const moving = (name: string) => ({
      spec: outboundSpec(name),
      pod: { uid: pod('a'), createdAt: 'a', addressKeys },
    });
    const first = new Leader(clock, azure, { services: [], pods: [moving('blue')] });
    await first.settle();
    first.stop();
    const id = natGatewayId(scope, outbound('red'));
    azure.byHand({ method: 'PUT', path: id, body: { location: scope.location, sku: { name: 'StandardV2' } } });
    // Another's gateway has the name: the pod keeps the one it has until it goes or asks for another.
    const second = new Leader(clock, azure, { services: [], pods: [moving('red')] });
    await clock.advance(120_000);
    expect(second.isReady).toBe(true);
    expect(azure.gateway(scope.gatewayId).locations.get('10.0.0.1')?.get('10.2.0.1')).toEqual(['blue']);
  });

  it('is ready although an address of a Service that has left cannot leave it yet, and takes it down soon after', async () => {
    const { clock, azure } = newWorld();
    const [web, api] = [inboundSpec('web'), inboundSpec('api')];
    const services = [web, api].map((spec) => ({ spec, endpoints: endpoints(one) }));
    const first = new Leader(clock, azure, { services, pods: [] });
    await first.settle();
    first.stop();
    // As while an operator has unregistered the other Service: what is to be left at the address is not there.
    const refusal = { kind: 'refuse', status: 400, code: 'InvalidResourceReference' } as const;
    azure.faults.next({ kind: 'updateAddressLocations' }, refusal, 1);
    const second = new Leader(clock, azure, { services: [{ spec: api, endpoints: endpoints(one) }], pods: [] });
    expect(await clock.runUntil(() => second.isReady, 10_000)).toBe(true);
    await second.settle();
    expect(azure.resources('loadBalancers').map(({ name }) => name)).toEqual(['api']);
    expect(azure.gateway(scope.gatewayId).locations.get('10.0.0.1')?.get('10.1.0.1')).toEqual(['api']);
  });

  it('edge case 17: Azure that fails during the initial sync delays readiness, and loses nothing', async () => {
    const { clock, azure } = newWorld();
    azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'refuse', status: 503 }, 12);
    const leader = new Leader(clock, azure, clusterWith(2));
    await clock.advance(10_000);
    expect(leader.readiness.at(-1)).toMatchObject({ ready: false });
    expect(JSON.stringify(leader.readiness.at(-1))).toContain('waiting for the initial sync');
    await leader.settle(600_000);
    expect(leader.isReady).toBe(true);
    expect(azure.gateway(scope.gatewayId).locations.size).toBe(2);
  });

  it('one Service that Azure refuses does not keep the part from being ready', async () => {
    const { clock, azure } = newWorld();
    azure.faults.next(
      { method: 'PUT', kind: 'loadBalancers', name: 's0' },
      { kind: 'refuse', status: 409, code: 'Busy' },
      1000,
    );
    const leader = new Leader(clock, azure, clusterWith(3));
    expect(await clock.runUntil(() => leader.isReady, 60_000)).toBe(true);
    expect(leader.engine.state(inbound('s1'))?.kind).toBe('Created');
    expect(leader.engine.state(inbound('s0'))?.kind).not.toBe('Created');
  });

  it('edge case 14: a spec that is refused at restart destroys nothing, and its endpoints stay in step', async () => {
    const { clock, azure } = newWorld();
    const cluster = clusterWith(1);
    const first = new Leader(clock, azure, cluster);
    await first.settle();
    first.stop();
    azure.log.clear();
    const refused = new FairleadError('source ranges', { verdict: 'terminal', code: 'source-ranges-unsupported' });
    cluster.services = [{ spec: inboundSpec('s0'), endpoints: endpoints('10.1.9.9@10.0.0.1'), refused }];
    const second = new Leader(clock, azure, cluster);
    await second.settle();
    expect(lines(azure)).toEqual(['POST updateAddressLocations/sgw 200: 10.0.0.1[-10.1.0.0 10.1.9.9=s0]']);
    expect(second.engine.state(inbound('s0'))).toMatchObject({ kind: 'Parked', serving: true });
    second.engine.deleteService(inbound('s0'));
    await second.settle();
    expect(azure.resources('loadBalancers')).toEqual([]);
  });

  it('takes over what another controller left without marks, by the UID of the Service', async () => {
    const { clock, azure } = newWorld();
    const cluster = clusterWith(1);
    const first = new Leader(clock, azure, cluster);
    await first.settle();
    first.stop();
    for (const id of [publicIpId(scope, inbound('s0'), 'IPv4'), loadBalancerId(scope, inbound('s0'))]) {
      azure.byHand({ method: 'PATCH', path: id, body: { tags: { team: 'shop' } } });
    }
    azure.log.clear();
    const second = new Leader(clock, azure, cluster);
    await second.settle();
    expect(lines(azure)).toEqual(['PUT publicIPAddresses/s0-pip 200', 'PUT loadBalancers/s0 200']);
    expect(azure.resource(loadBalancerId(scope, inbound('s0')))?.['tags']).toMatchObject({
      team: 'shop',
      'fairlead-service': 's0',
    });
  });

  it('sweeps what carries our marks and the cluster does not want, and nothing else', async () => {
    const { clock, azure } = newWorld();
    const first = new Leader(clock, azure, clusterWith(2));
    await first.settle();
    first.stop();
    const prefix = `/subscriptions/${group.subscriptionId}/resourceGroups/${group.resourceGroup}`;
    const stranger = `${prefix}/providers/Microsoft.Network/publicIPAddresses`;
    const body = {
      location: 'westeurope',
      sku: { name: 'StandardV2' },
      properties: { publicIPAllocationMethod: 'Static' },
    };
    azure.byHand({ method: 'PUT', path: `${stranger}/operators-pip`, body });
    const others = { 'fairlead-cluster': 'another', 'fairlead-part': 'azure-service-gateway', 'fairlead-service': 'x' };
    azure.byHand({ method: 'PUT', path: `${stranger}/x-pip`, body: { ...body, tags: others } });
    const ours = { ...others, 'fairlead-cluster': 'cluster-1', 'fairlead-service': 'lost' };
    azure.byHand({ method: 'PUT', path: `${stranger}/lost-pip`, body: { ...body, tags: ours } });
    azure.byHand({ method: 'PUT', path: `${stranger}/copied-tags`, body: { ...body, tags: ours } });
    const second = new Leader(clock, azure, { services: [], pods: [] });
    await second.settle();
    expect(azure.resources('publicIPAddresses').map(({ name }) => name)).toEqual([
      'copied-tags',
      'operators-pip',
      'x-pip',
    ]);
    expect(azure.resources('loadBalancers')).toEqual([]);
    expect(azure.resources('natGateways')).toEqual([]);
    expect(azure.gateway(scope.gatewayId).services.size).toBe(0);
  });

  it('holds back a sudden mass deletion until a later list confirms it', async () => {
    const { clock, azure } = newWorld();
    const first = new Leader(clock, azure, clusterWith(20));
    await first.settle();
    first.stop();
    const second = new Leader(clock, azure, { services: [], pods: [] });
    await second.settle();
    expect(azure.resources('loadBalancers')).toHaveLength(20);
    expect(second.holds[0]).toContain('Holding back the deletion of 21 of 21');
    expect(azure.gateway(scope.gatewayId).locations.size).toBe(0);
    await clock.advance(1_500_000);
    await second.settle();
    expect(azure.resources('loadBalancers')).toEqual([]);
    expect(azure.resources('publicIPAddresses')).toEqual([]);
  });

  it('leaves an address alone that is wanted again by the time the leftovers are swept', async () => {
    const { clock, azure } = newWorld({ latency: { minimum: 20, maximum: 20 } });
    const tags = {
      'fairlead-cluster': 'cluster-1',
      'fairlead-part': 'azure-service-gateway',
      'fairlead-egress': 'blue',
    };
    const properties = { publicIPAllocationMethod: 'Static' };
    const body = { location: 'westeurope', sku: { name: 'StandardV2' }, tags, properties };
    azure.byHand({ method: 'PUT', path: publicIpId(scope, outbound('blue'), 'IPv4'), body });
    const leader = new Leader(clock, azure, {
      services: [{ spec: inboundSpec('web'), endpoints: endpoints(one) }],
      pods: [],
    });
    await clock.runUntil(() => leader.engine.state(inbound('web'))?.kind === 'CreationInProgress', 10_000);
    leader.engine.addPod(outboundSpec('blue'), {
      uid: pod('a'),
      createdAt: '',
      addressKeys: [addressKey('10.2.0.1@10.0.0.1')],
    });
    await leader.settle();
    expect(leader.engine.state(outbound('blue'))?.kind).toBe('Created');
    expect(azure.resources('natGateways')).toHaveLength(1);
  });

  it('creates the default outbound service where the gateway reports none, and keeps it', async () => {
    const { clock, azure } = newWorld();
    const leader = new Leader(clock, azure, { services: [], pods: [] }, true);
    await leader.settle();
    await leader.settle();
    expect(azure.gateway(scope.gatewayId).services.get('default-natgw')).toMatchObject({
      isDefault: true,
      owner: 'client',
    });
    expect(leader.engine.state(outbound('x'))).toBeUndefined();
  });

  it('adopts the default outbound service that Azure provides', async () => {
    const { clock, azure } = newWorld({ defaultOutbound: true });
    const leader = new Leader(clock, azure, { services: [], pods: [] }, true);
    await leader.settle();
    await clock.advance(700_000);
    expect(lines(azure)).toEqual(['PUT serviceGateways/sgw 201', 'PUT subnets/net/nodes 200']);
    expect(leader.isReady).toBe(true);
  });

  it('has a gateway that failed made again as its owner had asked for it', async () => {
    const { clock, azure } = newWorld();
    const properties = {
      virtualNetwork: { id: scope.networkId },
      routeTargetAddress: { subnet: { id: scope.subnetId }, privateIPAddress: '10.0.1.4' },
    };
    const body = { location: scope.location, tags: { team: 'network' }, properties };
    azure.faults.next(
      { method: 'PUT', kind: 'serviceGateways' },
      { kind: 'fail-operation', code: 'InternalServerError' },
    );
    const failing = newArmClient(clock, azure)
      .put(scope.gatewayId, body)
      .catch(() => {});
    await clock.advance(60_000);
    await failing;
    expect(azure.resource(scope.gatewayId)).toMatchObject({ properties: { provisioningState: 'Failed' } });
    await new Leader(clock, azure, { services: [], pods: [] }).settle();
    expect(azure.resource(scope.gatewayId)).toMatchObject({
      tags: { team: 'network' },
      properties: { provisioningState: 'Succeeded', routeTargetAddress: { privateIPAddress: '10.0.1.4' } },
    });
  });

  it('does not take a subnet away from another gateway', async () => {
    const { clock, azure } = newWorld();
    const other = scope.gatewayId.replace('/sgw', '/other');
    const gateway = { location: 'westeurope', properties: { virtualNetwork: { id: scope.networkId } } };
    azure.byHand({ method: 'PUT', path: other, body: gateway });
    const properties = { addressPrefix: '10.0.0.0/16', serviceGateway: { id: other } };
    azure.byHand({ method: 'PUT', path: scope.subnetId, body: { properties } });
    const leader = new Leader(clock, azure, clusterWith(1));
    await clock.advance(60_000);
    expect(leader.readiness.at(-1)).toMatchObject({
      ready: false,
      reason: expect.stringContaining('is attached to the service gateway other'),
    });
    expect(azure.resources('loadBalancers')).toEqual([]);
  });
});

describe('Initialization, crashed before', () => {
  /** The leader is killed right after Azure has seen so many writes; the next one must find its way. */
  async function crashAfter(writes: number, cluster: Cluster): Promise<{ azure: ArmEmulator; after: Leader }> {
    const { clock, azure } = newWorld({ latency: { minimum: 20, maximum: 20 } });
    const first = new Leader(clock, azure, cluster);
    await clock.runUntil(() => azure.log.writes.length >= writes, 60_000);
    first.stop();
    await clock.advance(100);
    const after = new Leader(clock, azure, cluster);
    await after.settle();
    return { azure, after };
  }

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'edge case 10: after write %i of a creation, nothing is lost or made twice',
    async (writes) => {
      const cluster: Cluster = {
        services: [{ spec: inboundSpec('web'), endpoints: endpoints(one) }],
        pods: [
          {
            spec: outboundSpec('blue'),
            pod: { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey('10.2.0.1@10.0.0.1')] },
          },
        ],
      };
      const { azure } = await crashAfter(writes, cluster);
      expect(azure.resources('publicIPAddresses').map(({ name }) => name)).toEqual(['blue-pip', 'web-pip']);
      expect(azure.resources('loadBalancers')).toHaveLength(1);
      expect(azure.resources('natGateways')).toHaveLength(1);
      expect([...azure.gateway(scope.gatewayId).services.keys()].toSorted()).toEqual(['blue', 'web']);
      expect(azure.gateway(scope.gatewayId).locations.get('10.0.0.1')?.size).toBe(2);
      azure.assertConsistent();
    },
  );

  it.each([1, 2, 3, 4, 5])('edge case 10: after write %i of a deletion, nothing is left', async (writes) => {
    const { clock, azure } = newWorld({ latency: { minimum: 20, maximum: 20 } });
    const cluster = clusterWith(1);
    const first = new Leader(clock, azure, cluster);
    await first.settle();
    const before = azure.log.writes.length;
    for (const { spec } of cluster.services) first.engine.deleteService(spec.key);
    first.engine.deletePod(pod('a'));
    await clock.runUntil(() => azure.log.writes.length >= before + writes, 60_000);
    first.stop();
    await clock.advance(100);
    const second = new Leader(clock, azure, { services: [], pods: [] });
    await second.settle();
    expect(azure.resources('publicIPAddresses')).toEqual([]);
    expect(azure.resources('loadBalancers')).toEqual([]);
    expect(azure.gateway(scope.gatewayId).services.size).toBe(0);
  });

  it('edge case 6: in the middle of a move, the address keeps its gateway until the new one is there', async () => {
    const { clock, azure } = newWorld({ latency: { minimum: 20, maximum: 20 } });
    const at = { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey(one)] };
    const first = new Leader(clock, azure, { services: [], pods: [{ spec: outboundSpec('blue'), pod: at }] });
    await first.settle();
    first.stop();
    const second = new Leader(clock, azure, { services: [], pods: [{ spec: outboundSpec('green'), pod: at }] });
    const seen = new Set<string>();
    const watch = () => {
      seen.add(JSON.stringify(azure.gateway(scope.gatewayId).locations.get('10.0.0.1')?.get('10.1.0.1') ?? 'none'));
      return false;
    };
    await clock.runUntil(watch, 10_000);
    await second.settle();
    expect([...seen]).toEqual(['["blue"]', '["green"]']);
    expect(azure.resource(natGatewayId(scope, outbound('blue')))).toBeUndefined();
  });
});
