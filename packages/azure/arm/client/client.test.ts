import { isNotFound } from '@fairlead/cloud';
import type { HttpTransport } from '@fairlead/control';
import { failure, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { armId } from '../arm-id.ts';
import { ArmError } from '../errors/arm-error.ts';
import { bodies, emulated, group, ids } from '../testing/emulated.ts';
import type { ServiceRequest } from '../types/index.ts';

const seconds = (value: number) => ({ minimum: value * 1000, maximum: value * 1000 });

const registered = (name: string): ServiceRequest => ({
  isDelete: false,
  service: { name, properties: { serviceType: 'Inbound', loadBalancerBackendPools: [{ id: ids.pool(name) }] } },
});

/** A client with a gateway and, for each name, an address and a load balancer. */
async function withGateway(names: readonly string[], ...[options]: Parameters<typeof emulated>) {
  const world = emulated(options);
  const { client, clock, emulator } = world;
  emulator.behave({ operationTime: seconds(0) });
  await result(clock, client.put(ids.gateway, bodies.gateway));
  for (const name of names) {
    await result(clock, client.put(ids.publicIp(name), bodies.publicIp));
    await result(clock, client.put(ids.loadBalancer(name), bodies.loadBalancer(name)));
  }
  emulator.behave(options?.behaviour ?? {});
  emulator.log.clear();
  return world;
}

describe('ArmClient', () => {
  it('creates, reads, changes, lists and deletes', async () => {
    const { client, clock, emulator } = emulated();
    const created = await result(clock, client.put(ids.publicIp('web'), { ...bodies.publicIp, tags: { a: 'b' } }));
    expect(created).toMatchObject({ name: 'web-pip', tags: { a: 'b' }, properties: { ipAddress: '198.18.0.1' } });
    expect(await result(clock, client.get(ids.publicIp('web')))).toEqual(created);
    const tagged = await result(clock, client.put(ids.publicIp('web'), { ...bodies.publicIp, tags: { c: 'd' } }));
    expect(tagged.tags).toEqual({ c: 'd' });
    expect(await result(clock, client.list('publicIPAddresses', group))).toEqual([tagged]);
    await result(clock, client.delete(ids.publicIp('web')));
    expect(await result(clock, client.find(ids.publicIp('web')))).toBeUndefined();
    await result(clock, client.delete(ids.publicIp('web')));
    expect(emulator.log.lines(emulator.log.calls)).toEqual([
      'PUT publicIPAddresses/web-pip 201',
      'GET publicIPAddresses/web-pip 200',
      'PUT publicIPAddresses/web-pip 200',
      'GET publicIPAddresses 200',
      'DELETE publicIPAddresses/web-pip 200',
      'GET publicIPAddresses/web-pip 404 ResourceNotFound',
      'DELETE publicIPAddresses/web-pip 204',
    ]);
  });

  it('follows an operation by its status until Azure is done, and reads the result', async () => {
    const { client, clock, emulator } = emulated({ behaviour: { operationTime: seconds(3) } });
    const created = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(created.properties).toMatchObject({ provisioningState: 'Succeeded', ipAddress: '198.18.0.1' });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(3_000);
    expect(clock.monotonic()).toBeLessThan(5_000);
    expect(emulator.log.count('GET', 'publicIPAddresses')).toBe(1);
    await result(clock, client.delete(ids.publicIp('web')));
    expect(emulator.resource(ids.publicIp('web'))).toBeUndefined();
  });

  it('follows an operation by its location until Azure is done', async () => {
    const { client, clock, emulator } = emulated({
      behaviour: { operationTime: seconds(3), operationStyle: 'location' },
    });
    const created = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(created.properties).toMatchObject({ provisioningState: 'Succeeded', ipAddress: '198.18.0.1' });
    expect(emulator.log.count('GET', 'publicIPAddresses')).toBe(0);
    await result(clock, client.delete(ids.publicIp('web')));
    expect(emulator.resource(ids.publicIp('web'))).toBeUndefined();
  });

  it('polls often at first and less and less, and never before a Retry-After', async () => {
    const { client, clock, emulator } = emulated({ behaviour: { operationTime: seconds(120) } });
    await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    const polls = emulator.log.calls.filter(({ kind }) => kind === 'operations').map(({ at }) => at);
    const gaps = polls.map((at, index) => at - (polls[index - 1] ?? 0));
    expect(gaps[0]).toBeLessThanOrEqual(300);
    expect(gaps.at(-1)).toBeGreaterThan(7_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
    expect(polls.length).toBeLessThan(30);
    emulator.log.clear();
    emulator.behave({ pollAfterSeconds: 25 });
    const startedAt = clock.monotonic();
    await result(clock, client.put(ids.publicIp('shop'), bodies.publicIp));
    const asked = emulator.log.calls.filter(({ kind }) => kind === 'operations').map(({ at }) => at - startedAt);
    expect(asked.map(Math.round)).toEqual([25_000, 50_000, 75_000, 100_000, 125_000]);
  });

  it.each([1, 2, 5, 10, 30])('learns soon that an operation of %i s is over', async (length) => {
    const { client, clock } = emulated({ behaviour: { operationTime: seconds(length) } });
    for (let time = 0; time < 10; time += 1) {
      const startedAt = clock.monotonic();
      await result(clock, client.put(ids.publicIp(`web-${time}`), bodies.publicIp, { answer: 'accepted' }));
      expect(clock.monotonic() - startedAt).toBeLessThan(length * 1_320 + 300);
    }
  });

  it('saves the last read when the caller needs nothing that Azure sets', async () => {
    const { client, clock, emulator } = emulated({ behaviour: { operationTime: seconds(3) } });
    const accepted = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp, { answer: 'accepted' }));
    expect(accepted.properties.provisioningState).toBe('Updating');
    expect(emulator.operationsRunning).toBe(0);
    expect(emulator.log.count('GET', 'publicIPAddresses')).toBe(0);
  });

  it.each(['async-operation', 'location'] as const)(
    'learns from an answer 200 that an operation failed (%s)',
    async (operationStyle) => {
      const { client, clock, emulator } = emulated({ behaviour: { operationStyle, operationTime: seconds(1) } });
      const fault = { kind: 'fail-operation', code: 'AllocationFailed', message: 'No room.' } as const;
      emulator.faults.next({ method: 'PUT' }, fault);
      const error = await failure(clock, client.put(ids.publicIp('web'), bodies.publicIp));
      expect(error).toBeInstanceOf(ArmError);
      expect(error).toMatchObject({ status: 200, code: 'AllocationFailed', verdict: 'retriable' });
      emulator.faults.next({ method: 'DELETE' }, fault);
      expect(await failure(clock, client.delete(ids.publicIp('web')))).toMatchObject({ code: 'AllocationFailed' });
    },
  );

  it('follows the resource itself where Azure gives no link', async () => {
    const between = (emulator: HttpTransport): HttpTransport => ({
      async send(request) {
        const response = await emulator.send(request);
        const { 'azure-asyncoperation': _, location: __, ...headers } = response.headers;
        return { ...response, headers };
      },
    });
    const { client, clock, emulator } = emulated({ between, behaviour: { operationTime: seconds(2) } });
    const created = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(created.properties.provisioningState).toBe('Succeeded');
    await result(clock, client.delete(ids.publicIp('web')));
    expect(emulator.resource(ids.publicIp('web'))).toBeUndefined();
    expect(emulator.log.count('GET', 'operations')).toBe(0);
  });

  it('goes on following an operation through throttled and lost polls', async () => {
    const { client, clock, emulator } = emulated({ behaviour: { operationTime: seconds(5) } });
    emulator.faults.next({ kind: 'operations' }, { kind: 'refuse', status: 429, headers: { 'retry-after': '20' } });
    emulator.faults.next({ kind: 'operations' }, { kind: 'lose-response' });
    emulator.faults.next({ kind: 'operations' }, { kind: 'refuse', status: 503 });
    await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(clock.monotonic()).toBeGreaterThanOrEqual(20_000);
    expect(emulator.faults.left).toBe(0);
    expect(emulator.log.count('PUT')).toBe(1);
  });

  it.each(['async-operation', 'location'] as const)(
    'does not take an operation that Azure forgot for a resource that is gone (%s)',
    async (operationStyle) => {
      const { client, clock, emulator } = emulated({ behaviour: { operationStyle } });
      await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
      emulator.behave({ operationTime: seconds(60) });
      emulator.faults.next({ kind: 'operations' }, { kind: 'refuse', status: 404, code: 'OperationNotFound' });
      const error = await failure(clock, client.delete(ids.publicIp('web')));
      expect(error).toMatchObject({ code: 'operation-forgotten', verdict: 'retriable' });
      expect(isNotFound(error)).toBe(false);
    },
  );

  it('gives up at its deadline, however long Azure takes', async () => {
    const { client, clock } = emulated({ behaviour: { operationTime: seconds(900) } });
    const error = await failure(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(error).toMatchObject({
      verdict: 'retriable',
      code: 'deadline-exceeded',
      message: 'PUT publicIPAddresses/web-pip: not done within 300 s',
    });
    expect(clock.monotonic()).toBe(300_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends at once when the caller aborts, with the reason given', async () => {
    const { client, clock, emulator } = emulated({ behaviour: { operationTime: seconds(60) } });
    const controller = new AbortController();
    const put = client.put(ids.publicIp('web'), bodies.publicIp, { signal: controller.signal });
    clock.setTimer(5_000, () => controller.abort(new Error('lease lost')));
    expect(await failure(clock, put)).toMatchObject({ message: 'lease lost' });
    expect(clock.monotonic()).toBe(5_000);
    emulator.log.clear();
    await clock.advance(60_000);
    expect(emulator.log.calls).toEqual([]);
  });

  it('writes only over what it read when told so', async () => {
    const { client, clock } = emulated();
    const { etag = '' } = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    await result(clock, client.put(ids.publicIp('web'), bodies.publicIp, { ifMatch: etag }));
    const error = await failure(clock, client.put(ids.publicIp('web'), bodies.publicIp, { ifMatch: etag }));
    expect(error).toMatchObject({ status: 412, verdict: 'retriable', code: 'PreconditionFailed' });
  });

  it('makes only what is not there, and deletes only what it read, when told so', async () => {
    const { client, clock, emulator } = emulated();
    const make = () => client.put(ids.publicIp('web'), bodies.publicIp, { ifNoneMatch: '*' });
    const { etag = '' } = await result(clock, make());
    expect(await failure(clock, make())).toMatchObject({ status: 412, verdict: 'retriable' });
    const { etag: renewed = '' } = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(await failure(clock, client.delete(ids.publicIp('web'), { ifMatch: etag }))).toMatchObject({ status: 412 });
    await result(clock, client.delete(ids.publicIp('web'), { ifMatch: renewed }));
    expect(emulator.resource(ids.publicIp('web'))).toBeUndefined();
  });

  it('reads and writes a backend pool under the etag it shares with its load balancer', async () => {
    const { client, clock } = await withGateway(['web']);
    const pool = await result(clock, client.get(ids.pool('web')));
    const { id: _, name: _name, etag: _etag, ...balancer } = await result(clock, client.get(ids.loadBalancer('web')));
    await result(clock, client.put(ids.loadBalancer('web'), { ...balancer, tags: { a: 'b' } }));
    const loadBalancerBackendAddresses = [{ name: 'node', properties: { ipAddress: '10.0.0.4' } }];
    const change = { properties: { ...pool.properties, loadBalancerBackendAddresses } };
    const stale = client.put(ids.pool('web'), change, { ifMatch: pool.etag ?? '' });
    expect(await failure(clock, stale)).toMatchObject({ status: 412 });
    const { etag = '' } = await result(clock, client.get(ids.pool('web')));
    const written = await result(clock, client.put(ids.pool('web'), change, { ifMatch: etag }));
    expect(written.properties.loadBalancerBackendAddresses).toEqual(loadBalancerBackendAddresses);
  });

  it('attaches a gateway to a subnet without losing what else the subnet has', async () => {
    const { client, clock, emulator } = await withGateway([]);
    const subnet = await result(clock, client.get(ids.subnet));
    const properties = { ...subnet.properties, serviceGateway: { id: ids.gateway } };
    const attached = await result(clock, client.put(ids.subnet, { properties }, { ifMatch: subnet.etag ?? '' }));
    expect(attached.properties).toMatchObject({ addressPrefix: '10.0.0.0/16', serviceGateway: { id: ids.gateway } });
    expect(emulator.log.lines()).toEqual(['PUT subnets/net/nodes 200']);
  });

  it('registers services, places addresses, and lists both', async () => {
    const { client, clock, emulator } = await withGateway(['a', 'b'], { behaviour: { pageSize: 1 } });
    const serviceRequests = [registered('a'), registered('b')];
    await result(clock, client.updateServices(ids.gateway, { action: 'PartialUpdate', serviceRequests }));
    await result(
      clock,
      client.updateAddressLocations(ids.gateway, {
        action: 'PartialUpdate',
        addressLocations: ['10.0.0.5', '10.0.0.6'].map((addressLocation, index) => ({
          addressLocation,
          addressUpdateAction: 'PartialUpdate',
          addresses: [{ address: `10.1.0.${index}`, services: ['a', 'b'] }],
        })),
      }),
    );
    expect(await result(clock, client.listServices(ids.gateway))).toMatchObject([
      { name: 'a', properties: { serviceType: 'Inbound', loadBalancerBackendPools: [{ id: ids.pool('a') }] } },
      { name: 'b' },
    ]);
    expect(await result(clock, client.listAddressLocations(ids.gateway))).toEqual([
      { addressLocation: '10.0.0.5', addresses: [{ address: '10.1.0.0', services: ['a', 'b'] }] },
      { addressLocation: '10.0.0.6', addresses: [{ address: '10.1.0.1', services: ['a', 'b'] }] },
    ]);
    expect(emulator.log.lines(emulator.log.calls)).toEqual([
      'POST updateServices/sgw 200: +a +b',
      'POST updateAddressLocations/sgw 200: 10.0.0.5[10.1.0.0=a,b]; 10.0.0.6[10.1.0.1=a,b]',
      'GET services/sgw 200',
      'GET services/sgw 200',
      'GET addressLocations/sgw 200',
      'GET addressLocations/sgw 200',
    ]);
  });

  it.each(['2025-07-01', '2025-09-01'])(
    'knows how the actions of a gateway end in API version %s',
    async (apiVersion) => {
      const behaviour = { operationTime: seconds(4) };
      const { client, clock, emulator } = await withGateway(['a'], { apiVersion, behaviour });
      const update = (serviceRequests: readonly ServiceRequest[]) =>
        client.updateServices(ids.gateway, { action: 'PartialUpdate', serviceRequests });
      await result(clock, update([registered('a')]));
      expect([...emulator.gateway(ids.gateway).services.keys()]).toEqual(['a']);
      expect(await failure(clock, update([registered('missing')]))).toMatchObject({
        code: 'InvalidResourceReference',
        verdict: 'terminal',
      });
      emulator.faults.next({ kind: 'updateServices' }, { kind: 'fail-operation', code: 'InternalServerError' });
      expect(await failure(clock, update([registered('a')]))).toMatchObject({
        code: 'InternalServerError',
        verdict: 'retriable',
      });
    },
  );

  it('says what is wrong in one line, with what to search for', async () => {
    const { client, clock } = await withGateway(['web']);
    const correlationId = '11111111-2222-4333-8444-555555555555';
    const error = await failure(clock, client.delete(ids.publicIp('web'), { correlationId }));
    expect(String(error)).toBe(
      `ArmError: DELETE publicIPAddresses/web-pip: ${ids.publicIp('web')} can not be deleted since ` +
        'it is still used by ' +
        `${ids.loadBalancer('web')}/frontendIPConfigurations/frontend. ` +
        `(400 PublicIPAddressCannotBeDeleted, correlation ${correlationId})`,
    );
    const elsewhere = armId('publicIPAddresses', { ...group, resourceGroup: 'elsewhere' }, 'x');
    const missing = await failure(clock, client.get(elsewhere, { notFound: 'stale' }));
    expect(missing).toMatchObject({ status: 404, code: 'ResourceGroupNotFound', verdict: 'stale' });
    expect(await failure(clock, client.get(ids.publicIp('x')))).toMatchObject({ status: 404, verdict: 'terminal' });
  });

  it('does not take just any answer for a resource', async () => {
    const answering = (body: string) => {
      const send: HttpTransport['send'] = async () => ({
        status: 200,
        headers: {},
        body: (async function* () {
          yield new TextEncoder().encode(body);
        })(),
      });
      return emulated({ between: () => ({ send }) });
    };
    const unexpected = { code: 'unexpected-answer', verdict: 'retriable' };
    for (const body of ['<html>', '{}', JSON.stringify({ id: ids.publicIp('other'), name: 'x', properties: {} })]) {
      const { client, clock } = answering(body);
      expect(await failure(clock, client.get(ids.publicIp('web')))).toMatchObject(unexpected);
      expect(await failure(clock, client.list('loadBalancers', group))).toMatchObject(unexpected);
      expect(await failure(clock, client.listServices(ids.gateway))).toMatchObject(unexpected);
    }
    const circle = answering(JSON.stringify({ value: [], nextLink: 'https://arm.test/next' }));
    expect(await failure(circle.clock, circle.client.list('loadBalancers', group))).toMatchObject(unexpected);
    const foreign = answering(JSON.stringify({ value: [], nextLink: 'https://elsewhere.test/next' }));
    expect(await failure(foreign.clock, foreign.client.list('loadBalancers', group))).toMatchObject({
      code: 'untrusted-link',
    });
  });
});
