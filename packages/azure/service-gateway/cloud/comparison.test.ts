import { type Metrics, noMetrics, VirtualClock } from '@fairlead/control';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { driftTotal } from '../metrics.ts';
import { loadBalancerId, natGatewayId, publicIpId } from '../scope.ts';
import { newAzure, scope } from '../testing/azure-bench.ts';
import { addressKey, endpoints, inbound, outbound, pod } from '../testing/keys.ts';
import { Leader } from '../testing/leader.ts';
import { inboundSpec, outboundSpec } from '../testing/specs.ts';

const web = inbound('web');

async function converged() {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  /** What drift was counted as. */
  const drifted: (string | undefined)[] = [];
  const metrics: Metrics = {
    ...noMetrics,
    increment: (metric, labels = {}) => {
      if (metric === driftTotal) drifted.push(labels['what']);
    },
  };
  const cluster = {
    services: [{ spec: inboundSpec('web'), endpoints: endpoints('10.1.0.1@10.0.0.1') }],
    pods: [
      {
        spec: outboundSpec('blue'),
        pod: { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey('10.1.0.2@10.0.0.1')] },
      },
    ],
  };
  const leader = new Leader(clock, azure, cluster, false, metrics);
  await leader.settle();
  azure.log.clear();
  return { clock, azure, leader, drifted };
}

function updateLocations(azure: ArmEmulator, address: string, services: string[]): void {
  const addresses = [{ address, services }];
  const location = { addressLocation: '10.0.0.1', addressUpdateAction: 'PartialUpdate', addresses };
  const body = { action: 'PartialUpdate', addressLocations: [location] };
  azure.byHand({ method: 'POST', path: `${scope.gatewayId}/updateAddressLocations`, body });
}

function unregister(azure: ArmEmulator, name: string): void {
  const request = { isDelete: true, service: { name, properties: { serviceType: 'Inbound' } } };
  const body = { action: 'PartialUpdate', serviceRequests: [request] };
  azure.byHand({ method: 'POST', path: `${scope.gatewayId}/updateServices`, body });
}

const locations = (azure: ArmEmulator) =>
  Object.fromEntries(azure.gateway(scope.gatewayId).locations.get('10.0.0.1') ?? []);
const expected = { '10.1.0.1': ['web'], '10.1.0.2': ['blue'] };

describe('AzureComparison', () => {
  it('finds nothing to do in a converged world', async () => {
    const { clock, azure } = await converged();
    await clock.advance(3_600_000);
    expect(azure.log.lines()).toEqual([]);
    expect(azure.log.count('GET', 'loadBalancers')).toBeGreaterThanOrEqual(5);
  });

  it('puts a load balancer right that an operator changed', async () => {
    const { clock, azure } = await converged();
    const id = loadBalancerId(scope, web);
    const body = azure.resource(id);
    if (body === undefined) throw new Error('there is no load balancer');
    const properties = { ...Object(body['properties']), loadBalancingRules: [] };
    azure.byHand({ method: 'PUT', path: id, body: { ...body, properties } });
    await clock.advance(700_000);
    expect(azure.log.lines()).toEqual(['PUT loadBalancers/web 200']);
    expect(JSON.stringify(azure.resource(id))).toContain('rule-tcp-80');
  });

  it.each([
    ['a public address', publicIpId(scope, web, 'IPv4'), { tags: {} }, ['publicIPAddresses']],
    ['a load balancer', loadBalancerId(scope, web), { tags: {} }, ['loadBalancers']],
    ['a NAT gateway', natGatewayId(scope, outbound('blue')), { tags: {} }, ['natGateways']],
    [
      'a public address that is full of tags',
      publicIpId(scope, web, 'IPv4'),
      { tags: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`theirs-${index}`, 'x'])) },
      ['publicIPAddresses'],
    ],
    [
      'something that another has taken',
      publicIpId(scope, web, 'IPv4'),
      { tags: { 'fairlead-cluster': 'another', 'fairlead-part': 'azure-service-gateway' } },
      ['owner'],
    ],
  ])('counts %s that an operator changed as what it is', async (_, path, body, expected) => {
    const { clock, azure, drifted } = await converged();
    azure.byHand({ method: 'PATCH', path, body });
    await clock.advance(700_000);
    expect(drifted).toEqual(expected);
  });

  it('counts everything that is missing of one service, each as what it is', async () => {
    const { clock, azure, drifted } = await converged();
    const [balancer, address] = [loadBalancerId(scope, web), publicIpId(scope, web, 'IPv4')];
    for (const path of [balancer, address]) azure.byHand({ method: 'PATCH', path, body: { tags: {} } });
    await clock.advance(700_000);
    expect(drifted).toEqual(['publicIPAddresses', 'loadBalancers']);
  });

  it('leaves tags that others put on our things alone', async () => {
    const { clock, azure } = await converged();
    const id = publicIpId(scope, web, 'IPv4');
    const tags = { ...Object(azure.resource(id)?.['tags']), costs: 'shop' };
    azure.byHand({ method: 'PATCH', path: id, body: { tags } });
    await clock.advance(700_000);
    expect(azure.log.lines()).toEqual([]);
  });

  it('puts addresses right that an operator changed, added or removed', async () => {
    const { clock, azure } = await converged();
    updateLocations(azure, '10.1.0.1', []);
    updateLocations(azure, '10.1.0.2', ['web', 'blue']);
    updateLocations(azure, '10.1.0.99', ['web']);
    await clock.advance(700_000);
    expect(locations(azure)).toEqual(expected);
    expect(azure.log.lines()).toHaveLength(1);
  });

  it('registers a service again that the gateway has lost, with its addresses', async () => {
    const { clock, azure, leader, drifted } = await converged();
    updateLocations(azure, '10.1.0.1', []);
    unregister(azure, 'web');
    await clock.advance(700_000);
    await leader.settle();
    expect(drifted).toEqual(['registration']);
    expect(azure.log.lines()).toEqual([
      'POST updateServices/sgw 200: +web',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=web]',
    ]);
    expect(leader.engine.state(web)?.kind).toBe('Created');
  });

  it('takes down a Service that was refused and is gone when the gateway has lost it, too', async () => {
    const { clock, azure, leader } = await converged();
    leader.engine.refuseService(web, { code: 'source-ranges-unsupported', message: 'it restricts the source ranges' });
    updateLocations(azure, '10.1.0.1', []);
    unregister(azure, 'web');
    leader.engine.abandonService(web);
    await clock.advance(700_000);
    expect(azure.resource(loadBalancerId(scope, web))).toBeUndefined();
    expect(azure.resource(publicIpId(scope, web, 'IPv4'))).toBeUndefined();
    expect(leader.engine.state(web)).toBeUndefined();
  });

  it('registers nothing again of a Service that is gone', async () => {
    const { clock, azure, leader } = await converged();
    updateLocations(azure, '10.1.0.1', []);
    unregister(azure, 'web');
    leader.engine.abandonService(web);
    await clock.advance(700_000);
    await leader.settle();
    expect(azure.log.lines()).toEqual(['DELETE loadBalancers/web 200', 'DELETE publicIPAddresses/web-pip 200']);
  });

  it('makes the gateway again that an operator deleted, with everything in it', async () => {
    const clock = new VirtualClock();
    const azure = newAzure(clock);
    const addressKeys = endpoints('10.1.0.1@10.0.0.1');
    const leader = new Leader(clock, azure, {
      services: [{ spec: inboundSpec('web'), endpoints: addressKeys }],
      pods: [],
    });
    await leader.settle();
    azure.byHand({ method: 'PUT', path: scope.subnetId, body: { properties: { addressPrefix: '10.0.0.0/16' } } });
    updateLocations(azure, '10.1.0.1', []);
    unregister(azure, 'web');
    azure.byHand({ method: 'DELETE', path: scope.gatewayId });
    azure.log.clear();
    leader.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1', '10.1.0.2@10.0.0.1'));
    await clock.advance(120_000);
    expect(locations(azure)).toEqual({ '10.1.0.1': ['web'], '10.1.0.2': ['web'] });
    expect(azure.log.lines().filter((line) => !line.includes(' 404 '))).toEqual([
      'PUT serviceGateways/sgw 201',
      'PUT subnets/net/nodes 200',
      'POST updateServices/sgw 200: +web',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.2=web 10.1.0.1=web]',
    ]);
    expect(leader.isReady).toBe(true);
  });

  it('looks soon, and not only at its usual time, when Azure contradicts what is known', async () => {
    const { clock, azure, leader } = await converged();
    updateLocations(azure, '10.1.0.1', []);
    unregister(azure, 'web');
    leader.engine.updateEndpoints(web, endpoints('10.1.0.5@10.0.0.1'));
    await clock.advance(60_000);
    expect(locations(azure)).toEqual({ '10.1.0.5': ['web'], '10.1.0.2': ['blue'] });
  });

  it('does not hold an address under a gateway that is gone, where it is not known what became of the address', async () => {
    const { clock, azure, leader } = await converged();
    const addressKeys = [addressKey('10.1.0.2@10.0.0.1')];
    const id = natGatewayId(scope, outbound('red'));
    azure.byHand({ method: 'PUT', path: id, body: { location: scope.location, sku: { name: 'StandardV2' } } });
    azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'misreport', status: 500 }, 4);
    leader.engine.addPod(outboundSpec('green'), { uid: pod('b'), createdAt: 'b', addressKeys });
    await clock.runUntil(() => azure.faults.left === 0, 60_000);
    updateLocations(azure, '10.1.0.2', []);
    unregister(azure, 'green');
    leader.engine.deletePod(pod('b'));
    leader.engine.addPod(outboundSpec('red'), { uid: pod('b'), createdAt: 'b', addressKeys });
    await clock.advance(120_000);
    azure.log.clear();
    await clock.advance(600_000);
    expect(azure.log.lines()).toEqual([]);
  });

  it('clears addresses it did not know of from a service that is to be deleted', async () => {
    const { clock, azure, leader } = await converged();
    updateLocations(azure, '10.1.0.99', ['web']);
    leader.engine.deleteService(web);
    await clock.advance(120_000);
    expect(leader.engine.state(web)).toBeUndefined();
    expect(azure.resource(loadBalancerId(scope, web))).toBeUndefined();
  });

  it('takes addresses from a service again that was handed back to us', async () => {
    const { clock, azure, leader } = await converged();
    const path = loadBalancerId(scope, web);
    const ours = Object(azure.resource(path)?.['tags']);
    azure.byHand({ method: 'PATCH', path, body: { tags: { ...ours, 'fairlead-cluster': 'another' } } });
    await clock.advance(700_000);
    azure.byHand({ method: 'PATCH', path, body: { tags: ours } });
    await clock.advance(700_000);
    leader.engine.updateEndpoints(web, endpoints());
    await clock.advance(60_000);
    expect(locations(azure)).toEqual({ '10.1.0.2': ['blue'] });
  });

  it('gives what Azure refused another chance', async () => {
    const { clock, azure, leader } = await converged();
    const refusal = { kind: 'refuse', status: 400, code: 'RequestDisallowedByPolicy' } as const;
    azure.faults.next({ method: 'PUT', kind: 'publicIPAddresses' }, refusal);
    leader.engine.addService(inboundSpec('shop'));
    await clock.advance(10_000);
    expect(leader.engine.state(inbound('shop'))?.kind).toBe('Parked');
    await clock.advance(700_000);
    expect(leader.engine.state(inbound('shop'))?.kind).toBe('Created');
  });

  it('says that the part is not ready when Azure cannot be looked at, and recovers', async () => {
    const { clock, azure, leader } = await converged();
    azure.faults.next({ method: 'GET' }, { kind: 'lose-request' }, 40);
    await clock.advance(900_000);
    expect(leader.readiness.some(({ ready }) => !ready)).toBe(true);
    await clock.advance(900_000);
    expect(leader.isReady).toBe(true);
    expect(azure.log.lines()).toEqual([]);
  });
});
