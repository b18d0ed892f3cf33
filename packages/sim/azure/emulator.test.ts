import { seededRandom, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { textOf, valueAt } from '../json.ts';
import { ArmEmulator } from './emulator.ts';
import { AZURE_RATE_LIMITS } from './rate-limit.ts';
import { bodies, emulated, ids, inbound, withInbound } from './testing/samples.ts';
import { code, send, stateOf } from './testing/send.ts';

const minute = { minimum: 60_000, maximum: 60_000 };

describe('the emulated resource manager', () => {
  it('creates, reads, changes and deletes', async () => {
    const { emulator } = emulated();
    const path = ids.publicIp('web');
    expect((await send(emulator, 'GET', path)).status).toBe(404);
    const created = await send(emulator, 'PUT', path, bodies.publicIp);
    expect(created).toMatchObject({ status: 201, body: { id: path, name: 'web-pip' } });
    expect(stateOf(created.body)).toBe('Succeeded');
    expect(valueAt(created.body, 'properties', 'ipAddress')).toBe('198.18.0.1');
    const tagged = await send(emulator, 'PATCH', path, { tags: { owner: 'us' } });
    expect(tagged).toMatchObject({ status: 200, body: { tags: { owner: 'us' } } });
    const again = await send(emulator, 'PUT', path.toUpperCase(), { ...bodies.publicIp, tags: {} });
    expect(again).toMatchObject({ status: 200, body: { id: path, properties: { ipAddress: '198.18.0.1' } } });
    expect((await send(emulator, 'DELETE', path)).status).toBe(200);
    expect((await send(emulator, 'DELETE', path)).status).toBe(204);
  });

  it('keeps an etag that changes with every change, and honours it as a condition', async () => {
    const { emulator } = emulated();
    const path = ids.publicIp('web');
    const first = await send(emulator, 'PUT', path, bodies.publicIp);
    const etag = textOf(first.body['etag']);
    expect((await send(emulator, 'PUT', path, bodies.publicIp, { 'if-match': etag })).status).toBe(200);
    const stale = await send(emulator, 'PUT', path, bodies.publicIp, { 'if-match': etag });
    expect(stale.status).toBe(412);
    expect((await send(emulator, 'PUT', path, bodies.publicIp, { 'if-none-match': '*' })).status).toBe(412);
    expect((await send(emulator, 'DELETE', path, undefined, { 'if-match': etag })).status).toBe(412);
  });

  it('tells the end of an operation by its status, and is busy until then', async () => {
    const { emulator, clock } = emulated({ operationTime: minute, pollAfterSeconds: 10 });
    const path = ids.publicIp('web');
    const created = await send(emulator, 'PUT', path, bodies.publicIp);
    expect(created).toMatchObject({ status: 201, headers: { 'retry-after': '10' } });
    expect(stateOf(created.body)).toBe('Updating');
    expect(valueAt(created.body, 'properties', 'ipAddress')).toBeUndefined();
    const link = created.headers['azure-asyncoperation'] ?? '';
    expect((await send(emulator, 'GET', link)).body).toEqual({ status: 'InProgress' });
    const busy = await send(emulator, 'PUT', path, bodies.publicIp);
    expect([busy.status, code(busy)]).toEqual([409, 'AnotherOperationInProgress']);
    const user = await send(emulator, 'PUT', ids.loadBalancer('web'), bodies.loadBalancer('web'));
    expect([user.status, code(user)]).toEqual([429, 'RetryableError']);
    await clock.advance(60_000);
    expect((await send(emulator, 'GET', link)).body).toEqual({ status: 'Succeeded' });
    expect(valueAt((await send(emulator, 'GET', path)).body, 'properties', 'ipAddress')).toBe('198.18.0.1');
  });

  it('tells the end of an operation by a location that answers 202 until then', async () => {
    const { emulator, clock } = emulated({ operationTime: minute, operationStyle: 'location' });
    const created = await send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
    expect(created.status).toBe(202);
    expect(created.headers['azure-asyncoperation']).toBeUndefined();
    const link = created.headers['location'] ?? '';
    expect(await send(emulator, 'GET', link)).toMatchObject({ status: 202, headers: { location: link } });
    await clock.advance(60_000);
    expect(await send(emulator, 'GET', link)).toMatchObject({ status: 200, body: { name: 'web-pip' } });
    const deleted = await send(emulator, 'DELETE', ids.publicIp('web'));
    await clock.advance(60_000);
    expect((await send(emulator, 'GET', deleted.headers['location'] ?? '')).status).toBe(204);
    expect(emulator.resource(ids.publicIp('web'))).toBeUndefined();
  });

  it('tells a failed operation with status 200, in both styles', async () => {
    for (const operationStyle of ['async-operation', 'location'] as const) {
      const { emulator } = emulated({ operationStyle });
      emulator.faults.next({ method: 'PUT' }, { kind: 'fail-operation', code: 'AllocationFailed' });
      const created = await send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
      const link = created.headers['azure-asyncoperation'] ?? created.headers['location'] ?? '';
      const told = await send(emulator, 'GET', link);
      expect(told).toMatchObject({ status: 200, body: { status: 'Failed', error: { code: 'AllocationFailed' } } });
      expect(stateOf(emulator.resource(ids.publicIp('web')) ?? {})).toBe('Failed');
    }
  });

  it('answers the actions of a gateway later in API versions before 2025-09-01', async () => {
    const { emulator, clock } = emulated({ operationTime: minute });
    withInbound(emulator, 'a');
    const request = { action: 'PartialUpdate', serviceRequests: [inbound('missing')] };
    const old = `https://arm.test${ids.gateway}/updateServices?api-version=2025-07-01`;
    const accepted = await send(emulator, 'POST', old, request);
    expect(accepted.status).toBe(202);
    const busy = await send(emulator, 'POST', `${ids.gateway}/updateServices`, request);
    expect(code(busy)).toBe('AnotherOperationInProgress');
    await clock.advance(60_000);
    const told = await send(emulator, 'GET', accepted.headers['location'] ?? '');
    expect(told).toMatchObject({
      status: 200,
      body: { status: 'Failed', error: { code: 'InvalidResourceReference' } },
    });
    const now = await send(emulator, 'POST', `${ids.gateway}/updateServices`, request);
    expect([now.status, code(now)]).toEqual([400, 'InvalidResourceReference']);
  });

  it('gives a public IP address its address later where told to', async () => {
    const { emulator, clock } = emulated({ addressDelay: { minimum: 5_000, maximum: 5_000 } });
    const created = await send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
    expect(created.body['properties']).toMatchObject({ provisioningState: 'Succeeded' });
    expect(valueAt(created.body, 'properties', 'ipAddress')).toBeUndefined();
    await clock.advance(5_000);
    const read = await send(emulator, 'GET', ids.publicIp('web'));
    expect(valueAt(read.body, 'properties', 'ipAddress')).toBe('198.18.0.1');
  });

  it('shares one etag and one lock between a load balancer and its pools', async () => {
    const { emulator, clock } = emulated();
    withInbound(emulator, 'web');
    const pool = await send(emulator, 'GET', ids.pool('web'));
    const balancer = await send(emulator, 'GET', ids.loadBalancer('web'));
    expect(pool.body['etag']).toBe(balancer.body['etag']);
    expect(pool.body['properties']).toMatchObject({ loadBalancingRules: [{}] });
    await send(emulator, 'PATCH', ids.loadBalancer('web'), { tags: { a: 'b' } });
    const addresses = {
      properties: { loadBalancerBackendAddresses: [{ name: 'n', properties: { ipAddress: '10.0.0.4' } }] },
    };
    const stale = await send(emulator, 'PUT', ids.pool('web'), addresses, { 'if-match': textOf(pool.body['etag']) });
    expect(stale.status).toBe(412);
    emulator.behave({ operationTime: minute });
    const written = await send(emulator, 'PUT', ids.pool('web'), addresses);
    expect(written).toMatchObject({ status: 200, body: { name: 'web', properties: addresses.properties } });
    const other = await send(emulator, 'PUT', ids.loadBalancer('web'), bodies.loadBalancer('web'));
    expect(code(other)).toBe('AnotherOperationInProgress');
    await clock.advance(60_000);
    expect((await send(emulator, 'GET', ids.pool('web'))).body).toMatchObject({ properties: addresses.properties });
  });

  it('survives that a client writes back what it read', async () => {
    const { emulator } = emulated();
    withInbound(emulator, 'web');
    for (const path of [ids.publicIp('web'), ids.loadBalancer('web'), ids.network, ids.gateway]) {
      const read = await send(emulator, 'GET', path);
      const status = path === ids.network ? 201 : 200;
      expect((await send(emulator, 'PUT', path, read.body)).status).toBe(status);
      const again = await send(emulator, 'GET', path);
      const withoutEtags = (text: unknown) => JSON.stringify(text).replaceAll(/W\/\\"[^"]*\\"/g, '');
      expect(withoutEtags(again.body)).toBe(withoutEtags(read.body));
    }
    emulator.assertConsistent();
  });

  it('lists in pages, each resource once', async () => {
    const { emulator } = emulated({ pageSize: 2 });
    for (const name of ['e', 'a', 'd', 'b', 'c']) {
      emulator.byHand({ method: 'PUT', path: ids.publicIp(name), body: bodies.publicIp });
    }
    const names: string[] = [];
    let link = `https://arm.test${ids.list('publicIPAddresses')}?api-version=2026-01-01`;
    for (let page = 0; page < 3; page += 1) {
      const { body } = await send(emulator, 'GET', link);
      for (const item of [body['value']].flat()) names.push(textOf(valueAt(item, 'name')));
      link = textOf(body['nextLink']);
    }
    expect(names).toEqual(['a-pip', 'b-pip', 'c-pip', 'd-pip', 'e-pip']);
    expect(link).toBe('');
  });

  it('throttles when the bucket is empty, and lets in again at its own rate', async () => {
    const { emulator, clock } = emulated({ rateLimits: AZURE_RATE_LIMITS });
    const first = await send(emulator, 'GET', ids.gateway);
    expect(first.headers['x-ms-ratelimit-remaining-subscription-global-reads']).toBe('249');
    for (let call = 0; call < 249; call += 1) await send(emulator, 'GET', ids.gateway);
    const throttled = await send(emulator, 'GET', ids.gateway);
    expect(throttled).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await send(emulator, 'PUT', ids.gateway, bodies.gateway)).status).toBe(200);
    await clock.advance(1_000);
    expect((await send(emulator, 'GET', ids.gateway)).status).toBe(200);
  });

  it('has an operation for every write by default, and tells of it as Azure does', async () => {
    const clock = new VirtualClock();
    const groups = ['/subscriptions/sub/resourceGroups/cluster'];
    const emulator = new ArmEmulator({ clock, random: seededRandom(1), groups });
    const made = await send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
    expect([made.status, stateOf(made.body), 'location' in made.headers]).toEqual([201, 'Updating', false]);
    const link = made.headers['azure-asyncoperation'] ?? '';
    expect((await send(emulator, 'GET', link)).body).toEqual({ status: 'InProgress' });
    await clock.advance(10_000);
    expect((await send(emulator, 'GET', link)).body).toEqual({ status: 'Succeeded' });
    const same = await send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
    expect([same.status, stateOf(same.body), 'azure-asyncoperation' in same.headers]).toEqual([200, 'Succeeded', true]);
    const gone = await send(emulator, 'DELETE', ids.publicIp('web'));
    expect([gone.status, 'azure-asyncoperation' in gone.headers, 'location' in gone.headers]).toEqual([
      202,
      true,
      true,
    ]);
  });
});
