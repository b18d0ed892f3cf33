import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, valueAt } from '../../json.ts';
import { bodies, emulated, ids, removed, updateServices, withInbound } from '../testing/samples.ts';
import { code, send } from '../testing/send.ts';

describe('what the emulated resource manager refuses', () => {
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
    updateServices(emulator, [removed('web'), removed('egress')]);
    expect(code(await send(emulator, 'DELETE', ids.natGateway('egress')))).toBe('InUseNatGatewayCannotBeDeleted');
    const { properties: serving } = bodies.natGateway('egress');
    const detached = { ...bodies.natGateway('egress'), properties: { ...objectOf(serving), serviceGateway: null } };
    expect((await send(emulator, 'PUT', ids.natGateway('egress'), detached)).status).toBe(200);
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

  it.each<[string, JsonObject, string]>([
    ['an unknown pool', { backendAddressPool: { id: ids.pool('other') } }, 'InvalidResourceReference'],
    ['an unknown frontend', { frontendIPConfiguration: { id: ids.pool('web') } }, 'InvalidResourceReference'],
    ['a protocol Azure does not have', { protocol: 'Sctp' }, 'InvalidRequestFormat'],
    ['a port that no frontend can have', { frontendPort: 65_535 }, 'InvalidRequestFormat'],
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

  it('lets no more rules lead to an address than a network interface takes, over all load balancers', async () => {
    const { emulator } = emulated();
    const put = (name: string, rules: number, addresses: readonly string[]) => {
      emulator.byHand({ method: 'PUT', path: ids.publicIp(name), body: bodies.publicIp });
      const body = bodies.loadBalancer(
        name,
        Array.from({ length: rules }, (_, index) => 1_000 + index),
      );
      const entries = addresses.map((ipAddress) => ({ name: ipAddress, properties: { ipAddress } }));
      const [pool] = [valueAt(body, 'properties', 'backendAddressPools')].flat();
      const properties = { ...objectOf(valueAt(pool, 'properties')), loadBalancerBackendAddresses: entries };
      const backendAddressPools = [{ ...objectOf(pool), properties }];
      return send(emulator, 'PUT', ids.loadBalancer(name), {
        ...body,
        properties: { ...objectOf(body['properties']), backendAddressPools },
      });
    };
    expect((await put('one', 200, ['10.0.0.4', '10.0.0.5'])).status).toBe(201);
    expect(code(await put('two', 100, ['10.0.0.5', '10.0.0.6']))).toBe('NetworkInterfaceRuleCountLimitReached');
    expect((await put('two', 99, ['10.0.0.5', '10.0.0.6'])).status).toBe(201);
    expect((await put('two', 299, ['10.0.0.6'])).status).toBe(200);
    expect(code(await put('two', 300, ['10.0.0.6']))).toBe('NetworkInterfaceRuleCountLimitReached');
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

  it('refers to nothing that it failed at, until that is written again', async () => {
    const { emulator } = emulated();
    emulator.faults.next({ method: 'PUT' }, { kind: 'fail-operation', code: 'InternalServerError' });
    const address = () => send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
    const balancer = () => send(emulator, 'PUT', ids.loadBalancer('web'), bodies.loadBalancer('web'));
    await address();
    const refused = await balancer();
    expect([refused.status, code(refused)]).toEqual([400, 'ReferencedResourceNotProvisioned']);
    await address();
    expect((await balancer()).status).toBe(201);
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

  it('takes descriptions of security rules up to 140 characters', async () => {
    const { emulator } = emulated();
    const put = (description: string) => {
      const properties = { priority: 500, direction: 'Inbound', access: 'Allow', protocol: 'Tcp', description };
      const securityRules = [{ name: 'a', properties }];
      return send(emulator, 'PUT', ids.securityGroup, { location: 'westeurope', properties: { securityRules } });
    };
    expect((await put('x'.repeat(140))).status).toBe(201);
    expect(code(await put('x'.repeat(141)))).toBe('SecurityRuleInvalidDescription');
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
});
