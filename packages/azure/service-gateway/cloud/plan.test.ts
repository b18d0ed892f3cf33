import { VirtualClock } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArmTags } from '../../arm/index.ts';
import type { ServiceSpec } from '../engine/service-spec.ts';
import { loadBalancerId, natGatewayId, publicIpId, tagsFor } from '../scope.ts';
import { scope } from '../testing/azure-bench.ts';
import { inbound, outbound } from '../testing/keys.ts';
import { changedSpec, inboundSpec, outboundSpec } from '../testing/specs.ts';
import { Inventory } from './inventory.ts';
import { planCreation, planDeletion, type ResourceStep, writesOfCreation } from './plan.ts';

/** Carries a plan out in the inventory, as Azure would. */
function carryOut(spec: ServiceSpec, inventory: Inventory): void {
  const { prepare, register, tidyUp } = planCreation({ scope, inventory }, spec);
  for (const step of [...prepare, ...tidyUp]) apply(step, inventory);
  if (register?.isDelete !== false) return;
  const { name, properties } = register.service;
  const { serviceType, isDefault = false, loadBalancerBackendPools, publicNatGatewayId } = properties;
  const listed = {
    serviceType,
    isDefault,
    ...(loadBalancerBackendPools ? { loadBalancerBackendPools } : {}),
    ...(publicNatGatewayId ? { publicNatGatewayId } : {}),
  };
  inventory.setRegistration(name, { state: 'present', body: { name, properties: listed } });
}

function apply(step: ResourceStep, inventory: Inventory): void {
  if (step.kind === 'delete') return inventory.set(step.resource, step.id, { state: 'absent' });
  const named = { id: step.id, name: step.id.slice(step.id.lastIndexOf('/') + 1) };
  switch (step.resource) {
    case 'publicIPAddresses':
      return inventory.set(step.resource, step.id, {
        state: 'present',
        body: { ...step.body, ...named, id: step.id },
      });
    case 'loadBalancers':
      return inventory.set(step.resource, step.id, {
        state: 'present',
        body: { ...step.body, ...named, id: step.id },
      });
    case 'natGateways':
      return inventory.set(step.resource, step.id, {
        state: 'present',
        body: { ...step.body, ...named, id: step.id },
      });
  }
}

const ports = fc.uniqueArray(
  fc.record({
    protocol: fc.constantFrom('TCP', 'UDP'),
    port: fc.integer({ min: 1, max: 9 }),
    targetPort: fc.integer({ min: 1, max: 9 }),
  }),
  { maxLength: 4, selector: ({ protocol, port }) => `${protocol} ${port}` },
);
const someSpec: fc.Arbitrary<ServiceSpec> = fc.oneof(
  fc
    .record({
      ports,
      family: fc.constantFrom('IPv4', 'IPv6'),
      idleTimeoutMinutes: fc.constantFrom(4, 15),
      addressTags: fc.dictionary(fc.constantFrom('team', 'Team', 'costs', '__proto__'), fc.constantFrom('', 'a', 'A')),
    } as const)
    .map((changes) => inboundSpec('web', changes)),
  fc
    .record({
      families: fc.constantFrom<('IPv4' | 'IPv6')[][]>(['IPv4'], ['IPv4', 'IPv6'], ['IPv6']),
      isDefault: fc.boolean(),
    })
    .map((changes) => outboundSpec('blue', changes)),
);

const calls = (steps: readonly ResourceStep[]) =>
  steps.map(({ kind, resource, id }) => `${kind} ${resource}/${id.slice(id.lastIndexOf('/') + 1)}`);

describe('the plan of a service', () => {
  it('registers the default outbound service again that is registered as another', () => {
    const inventory = new Inventory(new VirtualClock());
    carryOut(outboundSpec('blue'), inventory);
    const register = (isDefault: boolean) =>
      planCreation({ scope, inventory }, outboundSpec('blue', { isDefault })).register;
    expect(register(false)).toBeUndefined();
    expect(register(true)).toMatchObject({ isDelete: false, service: { properties: { isDefault: true } } });
  });

  it('makes the address first, then what uses it, then the registration', () => {
    const plan = planCreation({ scope, inventory: new Inventory(new VirtualClock()) }, inboundSpec('web'));
    expect(calls(plan.prepare)).toEqual(['put publicIPAddresses/web-pip', 'put loadBalancers/web']);
    expect(plan.register?.service.name).toBe('web');
    expect(plan.tidyUp).toEqual([]);
  });

  it('has nothing left to do once it was carried out, whatever was there before', () => {
    fc.assert(
      fc.property(fc.array(someSpec, { maxLength: 4 }), someSpec, (earlier, last) => {
        const inventory = new Inventory(new VirtualClock());
        for (const spec of [...earlier, last]) carryOut(spec, inventory);
        expect(writesOfCreation(planCreation({ scope, inventory }, last))).toBe(0);
      }),
    );
  });

  it('takes down everything that it ever made', () => {
    fc.assert(
      fc.property(fc.array(someSpec, { minLength: 1, maxLength: 4 }), (specs) => {
        const inventory = new Inventory(new VirtualClock());
        for (const spec of specs) carryOut(spec, inventory);
        for (const { key } of specs)
          for (const step of planDeletion({ scope, inventory }, key).remove) apply(step, inventory);
        for (const kind of ['publicIPAddresses', 'loadBalancers', 'natGateways'] as const) {
          expect([...inventory.present(kind)]).toEqual([]);
        }
      }),
    );
  });

  it('deletes the address of the family that a Service no longer has, after the load balancer has let go of it', () => {
    const inventory = new Inventory(new VirtualClock());
    carryOut(inboundSpec('web'), inventory);
    const plan = planCreation({ scope, inventory }, inboundSpec('web', { family: 'IPv6' }));
    expect(calls(plan.prepare)).toEqual(['put publicIPAddresses/web-pip-v6', 'put loadBalancers/web']);
    expect(calls(plan.tidyUp)).toEqual(['delete publicIPAddresses/web-pip']);
  });

  it('keeps the tags of others', () => {
    const inventory = new Inventory(new VirtualClock());
    carryOut(inboundSpec('web'), inventory);
    const id = loadBalancerId(scope, inbound('web'));
    const known = inventory.find('loadBalancers', id);
    if (known.state !== 'present') throw new Error('there is no load balancer');
    const tags = { ...known.body.tags, costs: 'shop' };
    inventory.set('loadBalancers', id, { state: 'present', body: { ...known.body, tags } });
    const [step] = planCreation({ scope, inventory }, changedSpec('web', 81)).prepare;
    expect(step).toMatchObject({ kind: 'put', body: { tags: { costs: 'shop', 'fairlead-service': 'web' } } });
  });

  it('never lets a tag that a Service asks for take the place of our marks', () => {
    const inventory = new Inventory(new VirtualClock());
    const spec = inboundSpec('web', { addressTags: { 'fairlead-cluster': 'theirs', team: 'shop' } });
    carryOut(spec, inventory);
    const known = inventory.find('publicIPAddresses', publicIpId(scope, inbound('web'), 'IPv4'));
    if (known.state !== 'present') throw new Error('there is no address');
    expect(known.body.tags).toEqual({ ...tagsFor(scope, spec), team: 'shop' });
  });

  it('takes a NAT gateway off the service gateway with all else it has left as it is', () => {
    const inventory = new Inventory(new VirtualClock());
    carryOut(outboundSpec('blue'), inventory);
    const id = natGatewayId(scope, outbound('blue'));
    const known = inventory.find('natGateways', id);
    if (known.state !== 'present') throw new Error('there is no NAT gateway');
    const tags = { ...known.body.tags, costs: 'shop' };
    inventory.set('natGateways', id, { state: 'present', body: { ...known.body, tags } });
    const [step] = planDeletion({ scope, inventory }, outbound('blue')).remove;
    const { properties } = known.body;
    expect(step).toMatchObject({ kind: 'put', body: { tags, properties: { ...properties, serviceGateway: null } } });
  });

  it('repairs what Azure has failed at', () => {
    const inventory = new Inventory(new VirtualClock());
    carryOut(inboundSpec('web'), inventory);
    const id = publicIpId(scope, inbound('web'), 'IPv4');
    const known = inventory.find('publicIPAddresses', id);
    if (known.state !== 'present') throw new Error('there is no address');
    const properties = { ...known.body.properties, provisioningState: 'Failed' } as const;
    inventory.set('publicIPAddresses', id, { state: 'present', body: { ...known.body, properties } });
    expect(calls(planCreation({ scope, inventory }, inboundSpec('web')).prepare)).toEqual([
      'put publicIPAddresses/web-pip',
    ]);
  });

  describe('when the name is taken', () => {
    const others: ArmTags = { ...tagsFor(scope, outboundSpec('blue')), 'fairlead-cluster': 'another' };
    const natGateway = (tags: ArmTags, serviceGateway = scope.gatewayId) => ({
      id: natGatewayId(scope, outbound('blue')),
      name: 'blue',
      location: scope.location,
      sku: { name: 'StandardV2' } as const,
      tags,
      properties: { serviceGateway: { id: serviceGateway } },
    });

    it.each([
      ['another cluster', natGateway(others)],
      ['another program altogether', { ...natGateway({}), properties: {} }],
    ])('refuses what belongs to %s, and never deletes it', (_, body) => {
      const inventory = new Inventory(new VirtualClock());
      inventory.set('natGateways', body.id, { state: 'present', body });
      expect(() => planCreation({ scope, inventory }, outboundSpec('blue'))).toThrowError(
        expect.objectContaining({ verdict: 'terminal', code: 'name-taken' }),
      );
      expect(planDeletion({ scope, inventory }, outbound('blue')).remove).toEqual([]);
    });

    it.each([
      ['leads to a NAT gateway of another name', 'Outbound', natGatewayId(scope, outbound('grey'))],
      ['is for the other direction', 'Inbound', undefined],
    ] as const)('refuses it where the service of the gateway %s, and never unregisters that', (_, serviceType, nat) => {
      const inventory = new Inventory(new VirtualClock());
      const properties = { serviceType, ...(nat === undefined ? {} : { publicNatGatewayId: nat }) };
      inventory.setRegistration('blue', { state: 'present', body: { name: 'blue', properties } });
      expect(() => planCreation({ scope, inventory }, outboundSpec('blue'))).toThrowError(
        expect.objectContaining({ verdict: 'terminal', code: 'name-taken' }),
      );
      expect(planDeletion({ scope, inventory }, outbound('blue')).unregister).toBeUndefined();
    });

    it('never unregisters the service of a NAT gateway that belongs to another cluster', () => {
      const inventory = new Inventory(new VirtualClock());
      const body = natGateway(others);
      inventory.set('natGateways', body.id, { state: 'present', body });
      const properties = { serviceType: 'Outbound', publicNatGatewayId: body.id } as const;
      inventory.setRegistration('blue', { state: 'present', body: { name: 'blue', properties } });
      expect(planDeletion({ scope, inventory }, outbound('blue'))).toEqual({ unregister: undefined, remove: [] });
    });

    it('never unregisters a service of its name that nothing shows to be ours', () => {
      const inventory = new Inventory(new VirtualClock());
      const body = { name: 'blue', properties: { serviceType: 'Outbound' } } as const;
      inventory.setRegistration('blue', { state: 'present', body });
      expect(planDeletion({ scope, inventory }, outbound('blue')).unregister).toBeUndefined();
    });

    it('registers a service of ours anew that an operator has led elsewhere', () => {
      const inventory = new Inventory(new VirtualClock());
      carryOut(outboundSpec('blue'), inventory);
      const elsewhere = natGatewayId(scope, outbound('grey'));
      const properties = { serviceType: 'Outbound', publicNatGatewayId: elsewhere } as const;
      inventory.setRegistration('blue', { state: 'present', body: { name: 'blue', properties } });
      expect(planCreation({ scope, inventory }, outboundSpec('blue')).register).toMatchObject({ isDelete: false });
    });

    it('takes over what is without marks and already part of our gateway', () => {
      const inventory = new Inventory(new VirtualClock());
      const body = natGateway({});
      inventory.set('natGateways', body.id, { state: 'present', body });
      expect(calls(planCreation({ scope, inventory }, outboundSpec('blue')).prepare)).toContain('put natGateways/blue');
    });
  });

  it('unregisters a service of which it is not known whether it is registered', () => {
    const inventory = new Inventory(new VirtualClock());
    expect(planDeletion({ scope, inventory }, inbound('web')).unregister).toBeUndefined();
    inventory.setRegistration('web', { state: 'unknown' });
    expect(planDeletion({ scope, inventory }, inbound('web')).unregister).toMatchObject({ isDelete: true });
  });
});
