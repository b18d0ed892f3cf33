import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bodies,
  emulated,
  ids,
  inbound,
  locationsOf,
  removed,
  updateLocations,
  updateServices,
  withInbound,
} from '../testing/samples.ts';

const refused = (code: string) => expect.objectContaining({ name: 'Refusal', code });

function withServices(...names: readonly string[]) {
  const { emulator } = emulated();
  for (const name of names) withInbound(emulator, name);
  return emulator;
}

const namesOf = (emulator: ReturnType<typeof withServices>) =>
  [...emulator.gateway(ids.gateway).services.values()].map(({ name }) => name);

describe('updateServices', () => {
  it('changes only what it names, or with FullUpdate everything', () => {
    const emulator = withServices('a', 'b', 'c');
    updateServices(emulator, [removed('b')]);
    expect(namesOf(emulator)).toEqual(['a', 'c']);
    updateServices(emulator, [inbound('b')], 'FullUpdate');
    expect(namesOf(emulator)).toEqual(['b']);
  });

  it('takes names in any case for the same service, and keeps the first spelling', () => {
    const emulator = withServices('web');
    updateServices(emulator, [{ isDelete: false, service: { name: 'WEB', properties: { serviceType: 'Inbound' } } }]);
    expect(namesOf(emulator)).toEqual(['web']);
  });

  it('leaves an absent field as it is and clears one that is null', () => {
    const emulator = withServices('web');
    const change = (properties: Record<string, null>) =>
      updateServices(emulator, [{ isDelete: false, service: { name: 'web', properties } }]);
    change({});
    expect(emulator.gateway(ids.gateway).services.get('web')?.pools).toHaveLength(1);
    change({ loadBalancerBackendPools: null });
    expect(emulator.gateway(ids.gateway).services.get('web')).toMatchObject({ pools: [], serviceType: 'Inbound' });
  });

  it('does not delete a service that addresses still name, neither by name nor by leaving it out', () => {
    const emulator = withServices('a', 'b');
    updateLocations(emulator, { '10.0.0.1': { '10.1.0.1': ['a'] } });
    const code = 'ServiceWithOverlayMappingsCannotBeDeleted';
    expect(() => updateServices(emulator, [removed('b'), removed('A')])).toThrowError(refused(code));
    expect(() => updateServices(emulator, [inbound('b')], 'FullUpdate')).toThrowError(refused(code));
    expect(namesOf(emulator)).toEqual(['a', 'b']);
    updateLocations(emulator, { '10.0.0.1': {} });
    updateServices(emulator, [removed('a')]);
    expect(namesOf(emulator)).toEqual(['b']);
  });

  it('refuses the whole request when one entry is wrong', () => {
    const emulator = withServices('a');
    const missing = inbound('missing');
    expect(() => updateServices(emulator, [removed('a'), missing])).toThrowError(refused('InvalidResourceReference'));
    expect(() => updateServices(emulator, [removed('a'), removed('A')])).toThrowError(
      refused('DuplicateServicesInRequest'),
    );
    expect(() => updateServices(emulator, [removed('a')], 'Sometimes')).toThrowError(refused('InvalidRequestFormat'));
    expect(namesOf(emulator)).toEqual(['a']);
  });

  it('refuses clients that touch the default outbound service of the gateway, and takes no second one', () => {
    const { emulator } = emulated({ defaultOutbound: true });
    expect(namesOf(emulator)).toEqual(['default-natgw']);
    const code = 'MultipleDefaultServicesNotAllowedInServiceGateway';
    expect(() => updateServices(emulator, [removed('Default-NatGw')])).toThrowError(refused(code));
    emulator.byHand({ method: 'PUT', path: ids.publicIp('egress'), body: bodies.publicIp });
    emulator.byHand({ method: 'PUT', path: ids.natGateway('egress'), body: bodies.natGateway('egress') });
    const outbound = (isDefault: boolean) => ({
      isDelete: false,
      service: {
        name: 'egress',
        properties: { serviceType: 'Outbound', isDefault, publicNatGatewayId: ids.natGateway('egress') },
      },
    });
    expect(() => updateServices(emulator, [outbound(true)])).toThrowError(refused(code));
    updateServices(emulator, [outbound(false)]);
    updateServices(emulator, [], 'FullUpdate');
    expect(namesOf(emulator)).toEqual(['default-natgw']);
  });
});

describe('updateAddressLocations', () => {
  it('adds, changes and removes addresses, and a location without any', () => {
    const emulator = withServices('a', 'b');
    updateLocations(emulator, {
      '10.0.0.1': { '10.1.0.1': ['a'], '10.1.0.2': ['a', 'B'] },
      '10.0.0.2': { '10.1.0.3': ['b'] },
    });
    updateLocations(emulator, { '10.0.0.1': { '10.1.0.1': [], '10.1.0.2': ['b'] }, '10.0.0.2': {} });
    expect(locationsOf(emulator)).toEqual({ '10.0.0.1': { '10.1.0.2': ['b'] } });
    updateLocations(emulator, { '10.0.0.1': { '10.1.0.2': [] } });
    expect(locationsOf(emulator)).toEqual({});
  });

  it('replaces the addresses of a location, or all locations, with FullUpdate at that level', () => {
    const emulator = withServices('a');
    updateLocations(emulator, { '10.0.0.1': { '10.1.0.1': ['a'] }, '10.0.0.2': { '10.1.0.2': ['a'] } });
    updateLocations(emulator, { '10.0.0.1': { '10.1.0.9': ['a'] } }, 'PartialUpdate', 'FullUpdate');
    expect(locationsOf(emulator)).toEqual({ '10.0.0.1': { '10.1.0.9': ['a'] }, '10.0.0.2': { '10.1.0.2': ['a'] } });
    updateLocations(emulator, { '10.0.0.2': { '10.1.0.3': ['a'] } }, 'FullUpdate', 'PartialUpdate');
    expect(locationsOf(emulator)).toEqual({ '10.0.0.2': { '10.1.0.2': ['a'], '10.1.0.3': ['a'] } });
  });

  it('takes two spellings of an address for one, and refuses a location that comes twice', () => {
    const emulator = withServices('a');
    updateLocations(emulator, { 'FD00:0:0::A': { 'fd00:1::0:1': ['a'] } });
    expect(locationsOf(emulator)).toEqual({ 'fd00::a': { 'fd00:1::1': ['a'] } });
    const twice = { 'fd00::a': {}, 'FD00::000A': {} };
    expect(() => updateLocations(emulator, twice)).toThrowError(refused('DuplicateLocationsInRequest'));
  });

  it.each([
    ['a service that is not registered', { '10.0.0.1': { '10.1.0.1': ['missing'] } }, 'InvalidResourceReference'],
    ['an address of another family', { '10.0.0.1': { 'fd00::1': ['a'] } }, 'InvalidRequestFormat'],
    ['what is no address', { node: { '10.1.0.1': ['a'] } }, 'InvalidRequestFormat'],
  ])('refuses the whole request for %s', (_, bad, code) => {
    const emulator = withServices('a');
    expect(() => updateLocations(emulator, { '10.0.0.9': { '10.1.0.9': ['a'] }, ...bad })).toThrowError(refused(code));
    expect(locationsOf(emulator)).toEqual({});
  });

  it('always knows which services are in use, whatever the order of changes', () => {
    const names = ['a', 'b', 'c'];
    const services = fc.subarray(names);
    const node = fc.constantFrom('10.0.0.1', '10.0.0.2');
    const pod = fc.constantFrom('10.1.0.1', '10.1.0.2', '10.1.0.3');
    const action = fc.constantFrom('PartialUpdate', 'FullUpdate');
    const change = fc.record({
      locations: fc.dictionary(node, fc.dictionary(pod, services)),
      outer: action,
      inner: action,
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const emulator = withServices(...names);
        for (const { locations, outer, inner } of changes) updateLocations(emulator, locations, outer, inner);
        const used = new Set(
          Object.values(locationsOf(emulator)).flatMap((addresses) => Object.values(addresses).flat()),
        );
        const isRefused = (name: string) => {
          try {
            updateServices(emulator, [removed(name)]);
            return false;
          } catch {
            return true;
          }
        };
        expect(names.filter(isRefused)).toEqual(names.filter((name) => used.has(name)));
        expect(namesOf(emulator)).toEqual(names.filter((name) => used.has(name)));
        emulator.assertConsistent();
      }),
      { numRuns: 60 },
    );
  });
});
