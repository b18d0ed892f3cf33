import { FairleadError } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { loadBalancerId, natGatewayId } from '../scope.ts';
import { AzureBench, scope } from '../testing/azure-bench.ts';
import { addressKey, endpoints, inbound, outbound, pod } from '../testing/keys.ts';
import { changedSpec, inboundSpec, outboundSpec } from '../testing/specs.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const web = inbound('web');
const blue = outbound('blue');
const one = '10.1.0.1@10.0.0.1';

describe('ServiceUpdater', () => {
  it('creates address, load balancer and registration, then the addresses, in this order', async () => {
    const bench = new AzureBench();
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    await bench.settle();
    expect(bench.writes).toEqual([
      'PUT publicIPAddresses/web-pip 201',
      'PUT loadBalancers/web 201',
      'POST updateServices/sgw 200: +web',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=web]',
    ]);
    expect(bench.repository.knownAddress(web, 'IPv4')).toBe('198.18.0.1');
    bench.azure.assertConsistent();
  });

  it('deletes in the order of the diagrams: addresses, registration, load balancer, public address', async () => {
    const bench = new AzureBench();
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    await bench.settle();
    bench.azure.log.clear();
    bench.engine.deleteService(web);
    await bench.settle();
    expect(bench.writes).toEqual([
      'POST updateAddressLocations/sgw 200: 10.0.0.1[-10.1.0.1]',
      'POST updateServices/sgw 200: -web',
      'DELETE loadBalancers/web 200',
      'DELETE publicIPAddresses/web-pip 200',
    ]);
    expect(bench.resources).toEqual([]);
  });

  it('makes and unmakes a NAT gateway with its pods', async () => {
    const bench = new AzureBench();
    bench.engine.addPod(outboundSpec('blue', { families: ['IPv4', 'IPv6'] }), {
      uid: pod('a'),
      createdAt: 'a',
      addressKeys: [addressKey(one)],
    });
    await bench.settle();
    expect(bench.writes).toEqual([
      'PUT publicIPAddresses/blue-pip 201',
      'PUT publicIPAddresses/blue-pip-v6 201',
      'PUT natGateways/blue 201',
      'POST updateServices/sgw 200: +blue',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=blue]',
    ]);
    bench.azure.log.clear();
    bench.engine.deletePod(pod('a'));
    await bench.settle();
    expect(bench.writes).toEqual([
      'POST updateAddressLocations/sgw 200: 10.0.0.1[-10.1.0.1]',
      'POST updateServices/sgw 200: -blue',
      'PUT natGateways/blue 200',
      'DELETE natGateways/blue 200',
      'DELETE publicIPAddresses/blue-pip 200',
      'DELETE publicIPAddresses/blue-pip-v6 200',
    ]);
    expect(bench.drained).toEqual([pod('a')]);
  });

  it('puts the marks of cluster and Service on everything in the call that creates it', async () => {
    const bench = new AzureBench();
    bench.engine.addService(inboundSpec('web'));
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey(one)] });
    await bench.settle();
    const cluster = { 'fairlead-cluster': 'cluster-1', 'fairlead-part': 'azure-service-gateway' };
    const puts = bench.azure.log.calls.filter(({ method }) => method === 'PUT');
    expect(Object.fromEntries(puts.map(({ name, body }) => [name, body?.['tags']]))).toEqual({
      'web-pip': { ...cluster, 'fairlead-service': 'web' },
      web: { ...cluster, 'fairlead-service': 'web' },
      'blue-pip': { ...cluster, 'fairlead-egress': 'blue' },
      blue: { ...cluster, 'fairlead-egress': 'blue' },
    });
  });

  it('writes only what differs when a Service changes', async () => {
    const bench = new AzureBench();
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    bench.azure.log.clear();
    bench.engine.addService(changedSpec('web', 443));
    await bench.settle();
    expect(bench.writes).toEqual(['PUT loadBalancers/web 200']);
    expect(bench.states.slice(-3)).toEqual([
      'inbound/web UpdatePending',
      'inbound/web UpdateInProgress',
      'inbound/web Created',
    ]);
  });

  it('moves a pod to another gateway without a gap', async () => {
    const bench = new AzureBench({ behaviour: { latency: { minimum: 50, maximum: 50 } } });
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey(one)] });
    await bench.settle();
    bench.azure.log.clear();
    bench.engine.deletePod(pod('a'));
    bench.engine.addPod(outboundSpec('green'), { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey(one)] });
    await bench.settle();
    expect(bench.writes).toEqual([
      'PUT publicIPAddresses/green-pip 201',
      'PUT natGateways/green 201',
      'POST updateServices/sgw 200: +green',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=green]',
      'POST updateServices/sgw 200: -blue',
      'PUT natGateways/blue 200',
      'DELETE natGateways/blue 200',
      'DELETE publicIPAddresses/blue-pip 200',
    ]);
    expect(bench.drained).toEqual([]);
  });

  it('edge case 1: a delete during creation lets the creation end, then deletes', async () => {
    const bench = new AzureBench({ behaviour: { latency: { minimum: 100, maximum: 100 } } });
    bench.engine.addService(inboundSpec('web'));
    await bench.clock.advance(120);
    bench.engine.deleteService(web);
    await bench.settle();
    expect(bench.resources).toEqual([]);
    expect(bench.registered).toEqual([]);
  });

  it('edge case 1: a delete during an update, and a recreation during the delete', async () => {
    const bench = new AzureBench({ behaviour: { latency: { minimum: 100, maximum: 100 } } });
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    await bench.settle();
    bench.engine.addService(changedSpec('web', 443));
    await bench.clock.advance(50);
    bench.engine.deleteService(web);
    await bench.clock.advance(300);
    expect(bench.kinds).toEqual({ [web]: 'DeletionInProgress' });
    bench.engine.addService(changedSpec('web', 444));
    bench.engine.updateEndpoints(web, endpoints(one));
    await bench.settle();
    expect(bench.kinds).toEqual({ [web]: 'Created' });
    expect(bench.located).toEqual(['10.1.0.1@10.0.0.1=web']);
  });

  it('edge case 10: waits for a public address that Azure has not assigned yet', async () => {
    const bench = new AzureBench({ behaviour: { addressDelay: { minimum: 5_000, maximum: 5_000 } } });
    bench.engine.addService(inboundSpec('web'));
    await bench.clock.advance(4_000);
    expect(bench.kinds[web]).not.toBe('Created');
    await bench.settle();
    expect(bench.repository.knownAddress(web, 'IPv4')).toBe('198.18.0.1');
    expect(bench.azure.log.count('PUT')).toBe(2);
  });

  it('edge case 12: that something is gone already is a successful deletion', async () => {
    const bench = new AzureBench();
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    bench.azure.faults.next({ method: 'DELETE' }, { kind: 'refuse', status: 404, code: 'ResourceNotFound' }, 2);
    bench.engine.deleteService(web);
    await bench.settle();
    expect(bench.kinds).toEqual({});
    expect(bench.errors).toEqual([]);
  });

  it('edge case 12: that the gateway is gone is no successful registration', async () => {
    const bench = new AzureBench();
    const missing = { kind: 'refuse', status: 404, code: 'ResourceNotFound' } as const;
    bench.azure.faults.next({ kind: 'updateServices' }, missing, 2);
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    expect(bench.errors).toMatchObject([{ code: 'gateway-missing' }, { code: 'gateway-missing' }]);
    expect(bench.suspicions).toHaveLength(2);
    expect(bench.registered).toEqual(['web']);
  });

  it('retries the first substep as it does every other', async () => {
    const bench = new AzureBench();
    bench.azure.faults.next({ method: 'PUT', kind: 'publicIPAddresses' }, { kind: 'refuse', status: 409 }, 3);
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    expect(bench.errors).toHaveLength(3);
    expect(bench.kinds).toEqual({ [web]: 'Created' });
  });

  it('need not look at what a throttled write has left untouched', async () => {
    const bench = new AzureBench();
    const throttled = {
      kind: 'refuse',
      status: 429,
      code: 'TooManyRequests',
      headers: { 'retry-after': '3' },
    } as const;
    bench.azure.faults.next({ method: 'PUT' }, throttled, 3);
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    expect(bench.kinds).toEqual({ [web]: 'Created' });
    expect(bench.azure.log.count('GET')).toBe(0);
  });

  it('does not repeat what has succeeded when a later substep fails', async () => {
    const bench = new AzureBench();
    bench.azure.faults.next({ kind: 'updateServices' }, { kind: 'refuse', status: 409, code: 'Busy' });
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    expect(bench.writes).toEqual([
      'PUT publicIPAddresses/web-pip 201',
      'PUT loadBalancers/web 201',
      'POST updateServices/sgw 409 Busy: +web',
      'POST updateServices/sgw 200: +web',
    ]);
  });

  it('looks before it repeats a write whose answer got lost', async () => {
    const bench = new AzureBench();
    bench.azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, { kind: 'lose-response' }, 4);
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    expect(bench.azure.log.count('PUT', 'loadBalancers')).toBe(4);
    expect(bench.azure.log.count('GET', 'loadBalancers')).toBe(1);
    expect(bench.azure.log.count('PUT', 'publicIPAddresses')).toBe(1);
  });

  it('parks a Service whose load balancer Azure refuses, and leaves the others alone', async () => {
    const bench = new AzureBench();
    const refusal = { kind: 'refuse', status: 400, code: 'InvalidParameter' } as const;
    bench.azure.faults.next({ method: 'PUT', kind: 'loadBalancers', name: 'web' }, refusal);
    bench.engine.addService(inboundSpec('web'));
    bench.engine.addService(inboundSpec('shop'));
    await bench.settle();
    expect(bench.kinds).toEqual({ [web]: 'Parked', [inbound('shop')]: 'Created' });
    bench.engine.addService(changedSpec('web', 443));
    await bench.settle();
    expect(bench.kinds[web]).toBe('Created');
  });

  it('sends the registrations of many Services in one call', async () => {
    const bench = new AzureBench({ behaviour: { latency: { minimum: 50, maximum: 50 } } });
    for (let index = 0; index < 30; index += 1) bench.engine.addService(inboundSpec(`s${index}`));
    await bench.settle();
    expect(bench.azure.log.count('POST', 'updateServices')).toBe(1);
  });

  it('finds the one in a batch whose load balancer is missing, and only that one tries again', async () => {
    const bench = new AzureBench({ behaviour: { latency: { minimum: 50, maximum: 50 } } });
    for (let index = 0; index < 10; index += 1) bench.engine.addService(inboundSpec(`s${index}`));
    // An operator takes the load balancer of one of them away before it is registered.
    await bench.clock.advance(105);
    bench.azure.byHand({
      method: 'DELETE',
      path: loadBalancerId(scope, inbound('s3')),
    });
    await bench.settle();
    expect(Object.values(bench.kinds)).toEqual(Array.from({ length: 10 }, () => 'Created'));
    expect(bench.errors).toMatchObject([{ code: 'InvalidResourceReference' }]);
    bench.azure.assertConsistent();
  });

  it('finds the one registration in a batch that Azure refuses for good, and parks it alone', async () => {
    const behaviour = { latency: { minimum: 50, maximum: 50 }, defaultOutbound: true };
    const bench = new AzureBench({ behaviour });
    for (let index = 0; index < 5; index += 1) bench.engine.addService(inboundSpec(`s${index}`));
    bench.engine.addService(outboundSpec('greedy', { isDefault: true }));
    await bench.settle();
    const { [outbound('greedy')]: greedy, ...others } = bench.kinds;
    expect(greedy).toBe('Parked');
    expect(Object.values(others)).toEqual(['Created', 'Created', 'Created', 'Created', 'Created']);
    expect(bench.registered).toEqual(['default-natgw', 's0', 's1', 's2', 's3', 's4']);
  });

  it('drains again when Azure knows of addresses under the service that we do not', async () => {
    const bench = new AzureBench();
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    bench.azure.byHand({
      method: 'POST',
      path: `${scope.gatewayId}/updateAddressLocations`,
      body: {
        action: 'PartialUpdate',
        addressLocations: [
          {
            addressLocation: '10.0.0.1',
            addressUpdateAction: 'PartialUpdate',
            addresses: [{ address: '10.1.0.9', services: ['web'] }],
          },
        ],
      },
    });
    bench.engine.deleteService(web);
    await bench.clock.advance(500);
    expect(bench.suspicions.length).toBeGreaterThan(0);
    expect(bench.kinds).toEqual({ [web]: 'DeletionPending' });
    bench.engine.tracker.restoreNrp(addressKey('10.1.0.9@10.0.0.1'), [web], bench.clock.monotonic());
    bench.engine.checkPendingDeletions();
    await bench.settle();
    expect(bench.resources).toEqual([]);
  });

  it('edge case 15: at shutdown nothing is told to have failed or succeeded', async () => {
    const bench = new AzureBench({ behaviour: { latency: { minimum: 100, maximum: 100 } } });
    bench.engine.addService(inboundSpec('web'));
    bench.engine.addService(inboundSpec('shop'));
    await bench.clock.advance(150);
    const before = [...bench.states];
    bench.stop();
    await bench.clock.advance(60_000);
    expect(bench.states).toEqual(before);
    expect(bench.errors).toEqual([]);
    await bench.pump.idle();
  });

  it('refuses a name that is taken by something of another owner, and does not touch it', async () => {
    const bench = new AzureBench();
    const path = natGatewayId(scope, blue);
    bench.azure.byHand({ method: 'PUT', path, body: { location: 'westeurope', sku: { name: 'StandardV2' } } });
    const inventory = bench.repository.inventory;
    inventory.replaceWith(await bench.repository.list({}));
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey(one)] });
    await bench.clock.advance(1_000);
    expect(bench.engine.state(blue)).toMatchObject({ kind: 'Parked', failure: { code: 'name-taken' } });
    bench.engine.deletePod(pod('a'));
    await bench.settle();
    expect(bench.resources).toEqual(['natGateways/blue']);
    expect(bench.azure.log.writes).toEqual([]);
  });

  it('leaves no address behind that was made by an attempt whose answer was lost, before the next was throttled', async () => {
    const bench = new AzureBench();
    const address = { method: 'PUT', kind: 'publicIPAddresses' } as const;
    bench.azure.faults.next(address, { kind: 'lose-response' });
    bench.azure.faults.next(address, { kind: 'refuse', status: 429, headers: { 'retry-after': '60' } });
    bench.engine.addService(inboundSpec('web'));
    await bench.clock.advance(5_000);
    expect(bench.resources).toEqual(['publicIPAddresses/web-pip']);
    bench.engine.deleteService(inbound('web'));
    await bench.settle(120_000);
    expect(bench.resources).toEqual([]);
  });
});

describe('ServiceUpdater, in a burst', () => {
  it.each([
    ['publicIPAddresses', inboundSpec('web')],
    ['loadBalancers', inboundSpec('web')],
    ['natGateways', outboundSpec('blue')],
  ] as const)('makes one of the %s again at which Azure failed after its answer was lost', async (kind, spec) => {
    const bench = new AzureBench({ behaviour: { operationTime: { minimum: 4_000, maximum: 4_000 } } });
    const send = bench.azure.send.bind(bench.azure);
    let isLost = false;
    bench.azure.send = async (request) => {
      const isFirst = !isLost && request.method === 'PUT' && request.url.includes(`/${kind}/`);
      if (!isFirst) return send(request);
      isLost = true;
      bench.azure.faults.next({ kind }, { kind: 'fail-operation', code: 'InternalServerError' });
      await send(request);
      throw new FairleadError('the connection was reset', { verdict: 'retriable', code: 'connection-reset' });
    };
    bench.engine.addService(spec);
    await bench.settle();
    await bench.clock.advance(30_000);
    expect(bench.azure.resources(kind)).toMatchObject([{ properties: { provisioningState: 'Succeeded' } }]);
  });

  it('creates 500 Services with 10 endpoints each in 2N+10 writes, as fast as the lanes allow', async () => {
    const count = 500;
    const latency = 50;
    const bench = new AzureBench({ behaviour: { latency: { minimum: latency, maximum: latency } } });
    for (let index = 0; index < count; index += 1) {
      bench.engine.addService(inboundSpec(`s${index}`));
      const addresses = Array.from({ length: 10 }, (_, endpoint) => {
        return `10.${100 + (index >> 8)}.${index & 255}.${endpoint}@10.0.0.${1 + ((index + endpoint) % 200)}`;
      });
      bench.engine.updateEndpoints(inbound(`s${index}`), endpoints(...addresses));
    }
    await bench.settle();
    expect(bench.clock.monotonic()).toBeLessThanOrEqual(1.15 * ((2 * count * latency) / 10 + 3 * latency));
    expect(bench.azure.log.writes.length).toBeLessThanOrEqual(2 * count + 10);
    expect(bench.located).toHaveLength(5_000);
  });

  it('takes down a Service that was deleted while it waited for its turn', async () => {
    const bench = new AzureBench();
    bench.azure.behave({ latency: { minimum: 1_000, maximum: 1_000 } });
    for (let number = 0; number < 10; number += 1) bench.engine.addService(inboundSpec(`busy-${number}`));
    bench.engine.addService(inboundSpec('web'));
    await bench.clock.advance(500);
    expect(bench.kinds[web]).toBe('NotStarted');
    bench.engine.deleteService(web);
    await bench.settle();
    expect(bench.kinds[web]).toBeUndefined();
  });

  it('works on ten services at a time', async () => {
    const bench = new AzureBench({ behaviour: { operationTime: { minimum: 5_000, maximum: 5_000 } } });
    for (let number = 0; number < 30; number += 1) bench.engine.addService(inboundSpec(`web-${number}`));
    await bench.clock.advance(1_000);
    expect(bench.azure.log.count('PUT', 'publicIPAddresses')).toBe(10);
    await bench.settle(600_000);
    expect(bench.registered).toHaveLength(30);
  });

  it('changes what it has just made in one call, by what Azure calls it when it is done', async () => {
    const bench = new AzureBench({ behaviour: { operationTime: { minimum: 1_000, maximum: 1_000 } } });
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    bench.azure.log.clear();
    bench.engine.addService(changedSpec('web', 443));
    await bench.settle();
    expect(bench.writes).toEqual(['PUT loadBalancers/web 200']);
  });

  it('loses nothing that another program has written to what it changes', async () => {
    const bench = new AzureBench({ behaviour: { operationTime: { minimum: 1_000, maximum: 1_000 } } });
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    const tag = (id: string, tags: Record<string, string>) =>
      bench.azure.byHand({ method: 'PATCH', path: id, body: { tags } });
    const id = loadBalancerId(scope, web);
    const marks = {
      'fairlead-cluster': 'cluster-1',
      'fairlead-part': 'azure-service-gateway',
      'fairlead-service': 'web',
    };
    tag(id, { ...marks, cost: 'shop' });
    bench.engine.addService(changedSpec('web', 443));
    await bench.settle();
    expect(bench.azure.resource(id)).toMatchObject({ tags: { cost: 'shop' } });
    // Again, and this time while ours is on its way.
    bench.azure.behave({ latency: { minimum: 1_000, maximum: 1_000 } });
    bench.clock.setTimer(1_200, () => tag(id, { ...marks, cost: 'shop', owner: 'team' }));
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    expect(bench.azure.resource(id)).toMatchObject({ tags: { ...marks, cost: 'shop', owner: 'team' } });
    expect(bench.azure.overwrites).toEqual([]);
  });
});
