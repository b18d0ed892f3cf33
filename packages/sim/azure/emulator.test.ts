import { type HttpRequest, readText } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, parseJson, textOf, valueAt } from '../kube/json.ts';
import type { ArmEmulator } from './emulator.ts';
import { AZURE_RATE_LIMITS } from './rate-limit.ts';
import { bodies, emulated, ids, inbound, updateServices, withInbound } from './testing/samples.ts';

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

async function send(
  emulator: ArmEmulator,
  method: HttpRequest['method'],
  path: string,
  body?: JsonObject,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const url = path.startsWith('https:') ? path : `https://arm.test${path}?api-version=2026-01-01`;
  const response = await emulator.send({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await readText(response);
  return { status: response.status, headers: response.headers, body: text === '' ? {} : objectOf(parseJson(text)) };
}

const code = ({ body }: Sent) => textOf(valueAt(body, 'error', 'code'));
const stateOf = (body: JsonObject) => valueAt(body, 'properties', 'provisioningState');
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
    expect(stateOf(created.body)).toBe('Creating');
    expect(valueAt(created.body, 'properties', 'ipAddress')).toBeUndefined();
    const link = created.headers['azure-async-operation'] ?? '';
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
    expect(created.headers['azure-async-operation']).toBeUndefined();
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
      const link = created.headers['azure-async-operation'] ?? created.headers['location'] ?? '';
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

  it('deletes nothing that is in use', async () => {
    const { emulator } = emulated();
    withInbound(emulator, 'web');
    emulator.byHand({ method: 'PUT', path: ids.publicIp('egress'), body: bodies.publicIp });
    emulator.byHand({ method: 'PUT', path: ids.natGateway('egress'), body: bodies.natGateway('egress') });
    const properties = { serviceType: 'Outbound', publicNatGatewayId: ids.natGateway('egress') };
    updateServices(emulator, [{ isDelete: false, service: { name: 'egress', properties } }]);
    const subnet = { properties: { addressPrefix: '10.0.0.0/16', serviceGateway: { id: ids.gateway } } };
    emulator.byHand({ method: 'PUT', path: ids.subnet, body: subnet });
    const refusals = [
      [ids.publicIp('web'), 'PublicIPAddressCannotBeDeleted'],
      [ids.loadBalancer('web'), 'InUseLoadBalancerCannotBeDeleted'],
      [ids.pool('web'), 'InUseBackendAddressPoolCannotBeDeleted'],
      [ids.natGateway('egress'), 'InUseNatGatewayCannotBeDeleted'],
      [ids.gateway, 'InUseServiceGatewayCannotBeDeleted'],
      [ids.network, 'InUseVirtualNetworkCannotBeDeleted'],
    ] as const;
    for (const [path, expected] of refusals) {
      const answered = await send(emulator, 'DELETE', path);
      expect([answered.status, code(answered)]).toEqual([400, expected]);
    }
    const order = [`-web`, `-egress`].map((name) => ({ isDelete: true, service: { name: name.slice(1) } }));
    updateServices(emulator, order);
    for (const path of [
      ids.loadBalancer('web'),
      ids.publicIp('web'),
      ids.natGateway('egress'),
      ids.publicIp('egress'),
    ]) {
      expect((await send(emulator, 'DELETE', path)).status).toBe(200);
    }
    emulator.assertConsistent();
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
      expect((await send(emulator, 'PUT', path, read.body)).status).toBe(200);
      const again = await send(emulator, 'GET', path);
      const withoutEtags = (text: unknown) => JSON.stringify(text).replaceAll(/W\/\\"[^"]*\\"/g, '');
      expect(withoutEtags(again.body)).toBe(withoutEtags(read.body));
    }
    emulator.assertConsistent();
  });

  it.each<[string, JsonObject, string]>([
    ['an unknown pool', { backendAddressPool: { id: ids.pool('other') } }, 'InvalidResourceReference'],
    ['an unknown frontend', { frontendIPConfiguration: { id: ids.pool('web') } }, 'InvalidResourceReference'],
    ['a protocol Azure does not have', { protocol: 'Sctp' }, 'InvalidRequestFormat'],
    ['a long idle timeout', { idleTimeoutInMinutes: 31 }, 'LoadBalancingRuleInvalidIdleTimeout'],
    ['a frontend port that is taken', { frontendPort: 81 }, 'RulesUseSameFrontendPortProtocolAndIPConfig'],
    ['a backend port that is taken', { backendPort: 81 }, 'RulesUseSameBackendPortProtocolAndPool'],
  ])('refuses a rule with %s', async (_, change, expected) => {
    const { emulator } = emulated();
    emulator.byHand({ method: 'PUT', path: ids.publicIp('web'), body: bodies.publicIp });
    const good = bodies.loadBalancer('web', [80, 81]);
    const [first, second] = [valueAt(good, 'properties', 'loadBalancingRules')].flat();
    const bad = { ...objectOf(first), properties: { ...objectOf(valueAt(first, 'properties')), ...change } };
    const properties = { ...objectOf(good['properties']), loadBalancingRules: [bad, objectOf(second)] };
    const answered = await send(emulator, 'PUT', ids.loadBalancer('web'), { ...good, properties });
    expect([answered.status, code(answered)]).toEqual([400, expected]);
  });

  it('gives an address to one user only, and of a SKU that fits', async () => {
    const { emulator } = emulated();
    withInbound(emulator, 'web');
    const taken = { ...bodies.natGateway('web') };
    expect(code(await send(emulator, 'PUT', ids.natGateway('web'), taken))).toBe('PublicIPAddressInUse');
    const missing = await send(emulator, 'PUT', ids.loadBalancer('x'), bodies.loadBalancer('x'));
    expect(code(missing)).toBe('InvalidResourceReference');
    const standard = { ...bodies.publicIp, sku: { name: 'Standard' } };
    emulator.byHand({ method: 'PUT', path: ids.publicIp('x'), body: standard });
    const mismatched = await send(emulator, 'PUT', ids.loadBalancer('x'), bodies.loadBalancer('x'));
    expect(code(mismatched)).toBe('PublicIPAndLBSkuDoNotMatch');
    emulator.behave({ publicIpLimit: 2 });
    expect(code(await send(emulator, 'PUT', ids.publicIp('y'), bodies.publicIp))).toBe('PublicIPCountLimitReached');
  });

  it('keeps the priorities of security rules apart', async () => {
    const { emulator } = emulated();
    const rule = (name: string, priority: number, direction = 'Inbound') => ({
      name,
      properties: { priority, direction, access: 'Allow', protocol: 'Tcp' },
    });
    const put = (...securityRules: readonly JsonObject[]) =>
      send(emulator, 'PUT', ids.securityGroup, { location: 'westeurope', properties: { securityRules } });
    expect((await put(rule('a', 500), rule('b', 500, 'Outbound'))).status).toBe(201);
    expect(code(await put(rule('a', 500), rule('b', 500)))).toBe('SecurityRuleConflict');
    expect(code(await put(rule('a', 99)))).toBe('SecurityRuleInvalidPriority');
    expect(code(await put(rule('a', 500), rule('A', 501)))).toBe('DuplicateResourceName');
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

  it('says what is missing or wrong in a request', async () => {
    const { emulator } = emulated();
    const other = ids.publicIp('web').replace('cluster', 'elsewhere');
    expect(code(await send(emulator, 'PUT', other, bodies.publicIp))).toBe('ResourceGroupNotFound');
    expect(code(await send(emulator, 'GET', `https://arm.test${ids.gateway}`))).toBe('MissingApiVersionParameter');
    expect(code(await send(emulator, 'PUT', ids.publicIp('web')))).toBe('InvalidRequestContent');
    expect(code(await send(emulator, 'POST', ids.publicIp('web'), {}))).toBe('MethodNotAllowed');
    expect(code(await send(emulator, 'PUT', ids.pool('web'), {}))).toBe('ParentResourceNotFound');
    expect(code(await send(emulator, 'GET', ids.list('teapots')))).toBe('InvalidResourceType');
    const { location: _, ...nowhere } = bodies.publicIp;
    expect(code(await send(emulator, 'PUT', ids.publicIp('web'), nowhere))).toBe('LocationRequired');
    emulator.behave({ authorize: (header) => header === 'Bearer good' });
    expect(code(await send(emulator, 'GET', ids.gateway))).toBe('ExpiredAuthenticationToken');
    expect((await send(emulator, 'GET', ids.gateway, undefined, { authorization: 'Bearer good' })).status).toBe(200);
  });

  it('throttles when the bucket is empty, and lets in again at its own rate', async () => {
    const { emulator, clock } = emulated({ rateLimits: AZURE_RATE_LIMITS });
    const first = await send(emulator, 'GET', ids.gateway);
    expect(first.headers['x-ms-ratelimit-remaining-subscription-reads']).toBe('249');
    for (let call = 0; call < 249; call += 1) await send(emulator, 'GET', ids.gateway);
    const throttled = await send(emulator, 'GET', ids.gateway);
    expect(throttled).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await send(emulator, 'PUT', ids.gateway, bodies.gateway)).status).toBe(200);
    await clock.advance(1_000);
    expect((await send(emulator, 'GET', ids.gateway)).status).toBe(200);
  });
});

describe('faults and the log', () => {
  it('meets scripted faults in order and tells them apart in the log', async () => {
    const { emulator } = emulated();
    const path = ids.publicIp('web');
    emulator.faults.next({ method: 'PUT', kind: 'publicIPAddresses' }, { kind: 'lose-request' });
    emulator.faults.next({ name: 'web-pip' }, { kind: 'lose-response' });
    emulator.faults.next({ method: 'PUT' }, { kind: 'refuse', status: 503 }, 2);
    emulator.faults.next({ method: 'PUT' }, { kind: 'misreport', status: 500 });
    const reset = expect.objectContaining({ verdict: 'retriable', code: 'connection-reset' });
    await expect(send(emulator, 'PUT', path, bodies.publicIp)).rejects.toThrowError(reset);
    expect(emulator.resource(path)).toBeUndefined();
    await expect(send(emulator, 'PUT', path, bodies.publicIp)).rejects.toThrowError(reset);
    expect(emulator.resource(path)).toBeDefined();
    expect((await send(emulator, 'PUT', ids.publicIp('x'), bodies.publicIp)).status).toBe(503);
    expect((await send(emulator, 'PUT', ids.publicIp('x'), bodies.publicIp)).status).toBe(503);
    expect((await send(emulator, 'PUT', ids.publicIp('x'), bodies.publicIp)).status).toBe(500);
    expect(emulator.resource(ids.publicIp('x'))).toBeDefined();
    expect(emulator.faults.left).toBe(0);
    expect(emulator.log.lines()).toEqual([
      'PUT publicIPAddresses/web-pip lost',
      'PUT publicIPAddresses/x-pip 503 Scripted503',
      'PUT publicIPAddresses/x-pip 503 Scripted503',
      'PUT publicIPAddresses/x-pip 500 InternalServerError',
    ]);
  });

  it('writes the actions of a gateway down so that a diagram can be read from them', async () => {
    const { emulator } = emulated();
    withInbound(emulator, 'a');
    withInbound(emulator, 'b');
    await send(emulator, 'POST', `${ids.gateway}/updateServices`, {
      action: 'PartialUpdate',
      serviceRequests: [inbound('a'), { isDelete: true, service: { name: 'b' } }],
    });
    await send(emulator, 'POST', `${ids.gateway}/updateAddressLocations`, {
      action: 'PartialUpdate',
      addressLocations: [
        { addressLocation: '10.0.0.1', addresses: [{ address: '10.1.0.1', services: ['a'] }, { address: '10.1.0.2' }] },
        { addressLocation: '10.0.0.2', addresses: [] },
      ],
    });
    await send(emulator, 'GET', ids.gateway);
    expect(emulator.log.lines()).toEqual([
      'POST updateServices/sgw 200: +a -b',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=a -10.1.0.2]; -10.0.0.2',
    ]);
    expect([emulator.log.count(), emulator.log.count('POST'), emulator.log.count('GET', 'serviceGateways')]).toEqual([
      3, 2, 1,
    ]);
  });

  it('throttles for a time, with Retry-After in each of its forms', async () => {
    const { emulator, clock } = emulated();
    const forms = {
      seconds: '30',
      date: new Date(clock.now() + 30_000).toUTCString(),
      garbage: 'in a while',
      absent: undefined,
    } as const;
    for (const form of ['seconds', 'date', 'garbage', 'absent'] as const) {
      emulator.faults.throttle({ method: 'GET' }, 30_000, form);
      const answered = await send(emulator, 'GET', ids.gateway);
      expect([answered.status, answered.headers['retry-after']]).toEqual([429, forms[form]]);
      emulator.faults.clear();
    }
    emulator.faults.throttle({}, 30_000);
    await clock.advance(29_999);
    expect((await send(emulator, 'GET', ids.gateway)).headers['retry-after']).toBe('1');
    await clock.advance(1);
    expect((await send(emulator, 'GET', ids.gateway)).status).toBe(200);
  });

  it('takes time on the way, and does nothing for who gave up before it arrived', async () => {
    const { emulator, clock } = emulated({ latency: { minimum: 100, maximum: 100 } });
    const late = send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
    await clock.advance(50);
    expect(emulator.resource(ids.publicIp('web'))).toBeDefined();
    await clock.advance(50);
    expect((await late).status).toBe(201);
    const controller = new AbortController();
    const url = `https://arm.test${ids.publicIp('web')}?api-version=2026-01-01`;
    const aborted = emulator
      .send({ method: 'DELETE', url, headers: {}, signal: controller.signal })
      .catch(() => 'aborted');
    controller.abort();
    await clock.advance(1_000);
    expect(await aborted).toBe('aborted');
    expect(emulator.resource(ids.publicIp('web'))).toBeDefined();
  });

  it('gives the same answers to the same calls', async () => {
    const run = async () => {
      const { emulator, clock } = emulated({
        latency: { minimum: 1, maximum: 90 },
        operationTime: { minimum: 0, maximum: 900 },
      });
      const texts: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        const answered = send(emulator, 'PUT', ids.publicIp(name), bodies.publicIp);
        await clock.advance(1_000);
        texts.push(JSON.stringify(await answered));
      }
      return texts;
    };
    expect(await run()).toEqual(await run());
  });
});
