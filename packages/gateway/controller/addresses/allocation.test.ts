import { requireIpAddress } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AllocationRequest } from './allocation-request.ts';
import { Allocator } from './allocation.ts';
import { DEFAULT_POOL, isL2PortId, type L2Port, type L2PortId, l4PortText } from './l2-port.ts';
import type { NamespaceLimits } from './namespace-use.ts';

function id(text: string): L2PortId {
  if (!isL2PortId(text)) throw new Error(`${text} is no id`);
  return text;
}

const key = (text: string): ServiceKey => {
  const [namespace = '', name = ''] = text.split('/');
  return `${namespace}/${name}`;
};

function pool(...addresses: string[]): L2Port[] {
  return addresses.map((text) => {
    const address = requireIpAddress(text);
    return {
      id: id(address),
      pool: DEFAULT_POOL,
      address,
      ingress: address,
      family: address.includes(':') ? 'IPv6' : 'IPv4',
    };
  });
}

function request(service: string, ports: string, changes: Partial<AllocationRequest> = {}): AllocationRequest {
  return {
    service: key(service),
    pool: DEFAULT_POOL,
    isPoolAsked: false,
    permittedPools: [DEFAULT_POOL],
    families: ['IPv4'],
    everyFamilyRequired: true,
    l4Ports: ports.split(' ').map((text) => {
      const [protocol, port] = text.split('/');
      return { protocol: protocol === 'UDP' ? 'UDP' : 'TCP', port: Number(port) };
    }),
    exclusive: false,
    requestedAddresses: [],
    createdAt: '',
    ...changes,
  };
}

/** The world shows the Service with what it is to have. */
function settle(allocator: Allocator, service: string) {
  return allocator.settle(key(service), allocator.holding(key(service)));
}

const addressesOf = (allocation: ReturnType<Allocator['assign']>) =>
  allocation.kind === 'assigned' ? allocation.l2Ports.map((l2Port) => l2Port.address) : allocation.refusal.code;

describe('an address that is asked for', () => {
  it('is not left out silently where the pool has none of its family, and the Service would do with the other', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    const asked = { families: ['IPv4', 'IPv6'], everyFamilyRequired: false } as const;
    const requestedAddresses = [requireIpAddress('fd00::1')];
    expect(addressesOf(allocator.assign(request('default/a', 'TCP/80', asked)))).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('default/b', 'TCP/81', { ...asked, requestedAddresses })))).toBe(
      'address-unknown',
    );
  });
});

describe('an edit', () => {
  it('that is taken back before the world showed it gives back what the Service had', () => {
    const allocator = new Allocator(pool('192.0.2.1', 'fd00::1'));
    const both = request('default/a', 'TCP/80', { families: ['IPv4', 'IPv6'] });
    allocator.assign(both);
    settle(allocator, 'default/a');
    allocator.assign({ ...both, families: ['IPv4'] });
    expect(addressesOf(allocator.assign(both))).toEqual(['192.0.2.1', 'fd00::1']);
  });

  it('that is refused goes on with more of its ports once they are free on its address', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    allocator.assign(request('default/kept', 'TCP/25'));
    allocator.assign(request('default/other', 'TCP/80'));
    for (const name of ['kept', 'other']) settle(allocator, `default/${name}`);
    expect(allocator.keep(request('default/kept', 'TCP/53 TCP/80'))?.l4Ports).toEqual([{ protocol: 'TCP', port: 53 }]);
    allocator.release(key('default/other'));
    expect(settle(allocator, 'default/other')).toEqual(['default/kept']);
    expect(allocator.holding(key('default/kept'))?.l4Ports).toHaveLength(2);
    expect(allocator.assigned(key('default/kept')).map(({ address }) => address)).toEqual(['192.0.2.1']);
  });

  it('is no way around the limits of a namespace', () => {
    const alone = new Allocator(pool('192.0.2.1', '192.0.2.2'), { exclusiveAddresses: 0 });
    alone.assign(request('greedy/a', 'TCP/80'));
    settle(alone, 'greedy/a');
    alone.assign(request('greedy/a', 'TCP/80', { exclusive: true }));
    expect(addressesOf(alone.assign(request('other/b', 'TCP/443')))).toEqual(['192.0.2.1']);

    const second = new Allocator(pool('192.0.2.1', '192.0.2.2'), { addressesPerPort: 1 });
    second.assign(request('greedy/a', 'TCP/1000'));
    second.assign(request('greedy/b', 'TCP/80'));
    for (const name of ['a', 'b']) settle(second, `greedy/${name}`);
    second.reserve(key('greedy/c'), { l2Ports: [id('192.0.2.2')], l4Ports: [{ protocol: 'TCP', port: 1001 }] });
    expect(addressesOf(second.assign(request('greedy/c', 'TCP/80')))).toBe('namespace-limit');
  });
});

describe('Allocator', () => {
  it('lets TCP/53 and UDP/53 of two Services share an address', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    expect(addressesOf(allocator.assign(request('a/dns', 'TCP/53')))).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('b/dns', 'UDP/53')))).toEqual(['192.0.2.1']);
  });

  it('gives the same port of two Services two addresses, and refuses the third by name', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    expect(addressesOf(allocator.assign(request('a/web', 'TCP/80')))).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/80')))).toEqual(['192.0.2.2']);
    const refused = allocator.assign(request('c/web', 'TCP/80'));
    expect(refused).toMatchObject({ kind: 'refused', refusal: { code: 'port-taken' } });
    expect(refused).toMatchObject({
      refusal: { message: 'there is no IPv4 address of the 2 in the pool that has TCP/80 free and may be shared' },
    });
    expect(refused.kind === 'refused' && refused.refusal.detail).toContain('192.0.2.1: TCP/80 belongs to a/web');
  });

  it('tells an empty pool from a missing family', () => {
    expect(addressesOf(new Allocator([]).assign(request('a/web', 'TCP/80')))).toBe('pool-empty');
    const onlyIpv4 = new Allocator(pool('192.0.2.1'));
    expect(addressesOf(onlyIpv4.assign(request('a/web', 'TCP/80', { families: ['IPv6'] })))).toBe('family-missing');
  });

  it('leaves out a family the pool lacks when it was only preferred, and refuses when it was required', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    const both = { families: ['IPv4', 'IPv6'] } as const;
    const preferred = allocator.assign(request('a/web', 'TCP/80', { ...both, everyFamilyRequired: false }));
    expect(addressesOf(preferred)).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/81', both)))).toBe('family-missing');
  });

  it('gives both families or none', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2', '2001:db8::1'));
    allocator.assign(request('a/web', 'TCP/80', { families: ['IPv6'] }));
    const both = request('b/web', 'TCP/80', { families: ['IPv4', 'IPv6'] });
    expect(addressesOf(allocator.assign(both))).toBe('port-taken');
    expect(allocator.assigned(key('b/web'))).toEqual([]);
    expect(addressesOf(allocator.assign(request('c/web', 'TCP/80')))).toEqual(['192.0.2.1']);
  });

  it('keeps an exclusive Service alone on its address, whoever comes first', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    allocator.assign(request('a/web', 'TCP/80'));
    expect(addressesOf(allocator.assign(request('b/alone', 'TCP/81', { exclusive: true })))).toEqual(['192.0.2.2']);
    expect(addressesOf(allocator.assign(request('c/web', 'TCP/82')))).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('d/alone', 'TCP/83', { exclusive: true })))).toBe('port-taken');
  });

  it('honours a requested address, and says who has it', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    const wants = (text: string) => ({ requestedAddresses: [requireIpAddress(text)] });
    expect(addressesOf(allocator.assign(request('a/web', 'TCP/80', wants('192.0.2.2'))))).toEqual(['192.0.2.2']);
    const taken = allocator.assign(request('b/web', 'TCP/80', wants('192.0.2.2')));
    expect(taken).toMatchObject({ refusal: { code: 'address-taken' } });
    expect(taken.kind === 'refused' && taken.refusal.detail).toContain('TCP/80 belongs to a/web');
    expect(addressesOf(allocator.assign(request('c/web', 'TCP/80', wants('192.0.2.9'))))).toBe('address-unknown');
  });

  it('keeps the address of a Service whose ports change while they fit, and moves it when they do not', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    allocator.assign(request('a/web', 'TCP/80'));
    allocator.assign(request('b/web', 'TCP/443'));
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/443 TCP/8443')))).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/443 TCP/80')))).toEqual(['192.0.2.2']);
  });

  it('keeps serving what it can when an edit asks for a port that others hold everywhere', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    allocator.assign(request('a/web', 'TCP/80'));
    allocator.assign(request('b/web', 'TCP/443'));
    const edited = allocator.assign(request('b/web', 'TCP/443 TCP/80'));
    expect(edited).toMatchObject({
      kind: 'assigned',
      l4Ports: [{ protocol: 'TCP', port: 443 }],
      shortfall: { code: 'port-taken', detail: '192.0.2.1: TCP/80 belongs to a/web' },
    });
    allocator.release(key('b/web'));
    settle(allocator, 'b/web');
    expect(addressesOf(allocator.assign(request('c/web', 'TCP/443')))).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('d/web', 'TCP/80')))).toBe('port-taken');
  });

  it('gives a Service back what it had before a restart, and lets the older keep it when two claim the same', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    allocator.reserve(key('a/web'), { l2Ports: [id('192.0.2.2')], l4Ports: [{ protocol: 'TCP', port: 80 }] });
    allocator.reserve(key('b/web'), { l2Ports: [id('192.0.2.2')], l4Ports: [{ protocol: 'TCP', port: 80 }] });
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/80')))).toEqual(['192.0.2.1']);
    expect(addressesOf(allocator.assign(request('a/web', 'TCP/80')))).toEqual(['192.0.2.2']);
  });

  it('moves a Service whose address left the pool, or that asks for another', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    expect(addressesOf(allocator.assign(request('a/web', 'TCP/80')))).toEqual(['192.0.2.1']);
    const other = { requestedAddresses: [requireIpAddress('192.0.2.2')] };
    expect(addressesOf(allocator.assign(request('a/web', 'TCP/80', other)))).toEqual(['192.0.2.2']);
  });

  it('keeps what a Service gave up from others until it is settled', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    allocator.assign(request('a/web', 'TCP/80'));
    allocator.assign(request('a/web', 'TCP/80', { requestedAddresses: [requireIpAddress('192.0.2.2')] }));
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/80')))).toBe('port-taken');
    expect(settle(allocator, 'a/web')).toEqual(['b/web']);
    expect(settle(allocator, 'a/web')).toEqual([]);
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/80')))).toEqual(['192.0.2.1']);
    allocator.release(key('a/web'));
    expect(addressesOf(allocator.assign(request('c/web', 'TCP/80')))).toBe('port-taken');
    settle(allocator, 'a/web');
    expect(addressesOf(allocator.assign(request('c/web', 'TCP/80')))).toEqual(['192.0.2.2']);
  });

  it('keeps others off what a Service was still seen with after a restart', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    allocator.reserve(key('a/web'), {
      l2Ports: [id('192.0.2.1'), id('192.0.2.77')],
      l4Ports: [{ protocol: 'TCP', port: 80 }],
    });
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/80')))).toEqual(['192.0.2.2']);
    settle(allocator, 'a/web');
    expect(addressesOf(allocator.assign(request('c/web', 'TCP/80')))).toEqual(['192.0.2.1']);
  });

  it('keeps the families a Service has when an edit asks for one that the pool lacks', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    allocator.assign(request('a/web', 'TCP/80'));
    const edited = allocator.assign(request('a/web', 'TCP/80', { families: ['IPv4', 'IPv6'] }));
    expect(addressesOf(edited)).toEqual(['192.0.2.1']);
    expect(edited).toMatchObject({ shortfall: { code: 'family-missing' } });
  });

  it('gives an exclusive Service its address back alone after a restart, unless others are on it', () => {
    const l4Ports = [{ protocol: 'TCP', port: 81 }] as const;
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2'));
    allocator.reserve(key('b/alone'), { l2Ports: [id('192.0.2.1')], l4Ports });
    allocator.keepAlone(key('b/alone'));
    expect(addressesOf(allocator.assign(request('a/web', 'TCP/80')))).toEqual(['192.0.2.2']);
    const crowded = new Allocator(pool('192.0.2.1'));
    crowded.reserve(key('b/alone'), { l2Ports: [id('192.0.2.1')], l4Ports });
    crowded.reserve(key('a/web'), { l2Ports: [id('192.0.2.1')], l4Ports: [{ protocol: 'TCP', port: 80 }] });
    crowded.keepAlone(key('b/alone'));
    expect(addressesOf(crowded.assign(request('a/web', 'TCP/80')))).toEqual(['192.0.2.1']);
  });

  it('tells that others may come when an exclusive Service becomes willing to share', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    allocator.assign(request('a/web', 'TCP/80', { exclusive: true }));
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/81')))).toBe('port-taken');
    allocator.assign(request('a/web', 'TCP/80'));
    expect(settle(allocator, 'a/web')).toEqual(['b/web']);
    expect(addressesOf(allocator.assign(request('b/web', 'TCP/81')))).toEqual(['192.0.2.1']);
  });

  it('finds a freed address again although it lies before those searched last', () => {
    const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2', '192.0.2.3'));
    for (const name of ['a/web', 'b/web', 'c/web']) allocator.assign(request(name, 'TCP/80'));
    expect(addressesOf(allocator.assign(request('d/web', 'TCP/80')))).toBe('port-taken');
    allocator.release(key('b/web'));
    settle(allocator, 'b/web');
    expect(addressesOf(allocator.assign(request('d/web', 'TCP/80')))).toEqual(['192.0.2.2']);
  });

  it('tells a Service that became exclusive when it is alone on the address it has', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    for (const [name, port] of [
      ['a/web', 'TCP/80'],
      ['b/web', 'TCP/81'],
    ] as const)
      allocator.assign(request(name, port));
    expect(allocator.assign(request('c/web', 'TCP/80'))).toMatchObject({ kind: 'refused' });
    expect(allocator.assign(request('a/web', 'TCP/80', { exclusive: true }))).toMatchObject({ shortfall: {} });
    allocator.release(key('b/web'));
    expect(settle(allocator, 'b/web')).toEqual(['a/web']);
  });

  it('tells a Service that waited for a port, and then for others to leave the address', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    for (const [name, port] of [
      ['a/web', 'TCP/80'],
      ['b/web', 'TCP/81'],
    ] as const)
      allocator.assign(request(name, port));
    expect(allocator.assign(request('c/alone', 'TCP/80', { exclusive: true }))).toMatchObject({ kind: 'refused' });
    allocator.release(key('a/web'));
    expect(settle(allocator, 'a/web')).toEqual([]);
    allocator.release(key('b/web'));
    expect(settle(allocator, 'b/web')).toEqual(['c/alone']);
  });

  it('gives what becomes free to the oldest that it is enough for, and wakes no other', () => {
    const allocator = new Allocator(pool('192.0.2.1'));
    allocator.assign(request('a/web', 'TCP/80 TCP/81'));
    allocator.assign(request('b/both', 'TCP/80 TCP/82', { createdAt: '3' }));
    allocator.assign(request('c/late', 'TCP/80', { createdAt: '2' }));
    allocator.assign(request('d/blocked', 'TCP/80 TCP/443', { createdAt: '1' }));
    allocator.assign(request('e/tls', 'TCP/443'));
    allocator.assign(request('f/other', 'TCP/443', { createdAt: '0' }));
    allocator.release(key('a/web'));
    expect(settle(allocator, 'a/web')).toEqual(['c/late']);
    expect(addressesOf(allocator.assign(request('c/late', 'TCP/80')))).toEqual(['192.0.2.1']);
    allocator.release(key('c/late'));
    expect(settle(allocator, 'c/late')).toEqual(['b/both']);
  });

  it('holds each namespace to its limits, and lets it have more when it gives something back', () => {
    const limited = (limits: NamespaceLimits) => new Allocator(pool('192.0.2.1', '192.0.2.2', '192.0.2.3'), limits);
    const ports = limited({ addressesPerPort: 1 });
    expect(addressesOf(ports.assign(request('greedy/a', 'TCP/80')))).toEqual(['192.0.2.1']);
    expect(ports.assign(request('greedy/b', 'TCP/80'))).toMatchObject({
      refusal: {
        code: 'namespace-limit',
        message: 'its namespace has TCP/80 on 1 addresses, which is all that it may',
      },
    });
    expect(addressesOf(ports.assign(request('greedy/c', 'TCP/81')))).toEqual(['192.0.2.1']);
    expect(addressesOf(ports.assign(request('modest/a', 'TCP/80')))).toEqual(['192.0.2.2']);
    ports.release(key('greedy/a'));
    expect(settle(ports, 'greedy/a')).toEqual(['greedy/b']);

    const addresses = limited({ addresses: 1 });
    expect(addressesOf(addresses.assign(request('greedy/a', 'TCP/80')))).toEqual(['192.0.2.1']);
    expect(addressesOf(addresses.assign(request('greedy/b', 'TCP/81')))).toEqual(['192.0.2.1']);
    expect(addressesOf(addresses.assign(request('greedy/c', 'TCP/80')))).toBe('namespace-limit');
    const elsewhere = { requestedAddresses: [requireIpAddress('192.0.2.2')] };
    expect(addresses.assign(request('greedy/b', 'TCP/81', elsewhere))).toMatchObject({
      shortfall: { code: 'namespace-limit' },
    });
    addresses.release(key('greedy/a'));
    settle(addresses, 'greedy/a');
    expect(addressesOf(addresses.assign(request('greedy/b', 'TCP/81', elsewhere)))).toEqual(['192.0.2.2']);

    const alone = limited({ exclusiveAddresses: 1 });
    expect(addressesOf(alone.assign(request('greedy/a', 'TCP/80', { exclusive: true })))).toEqual(['192.0.2.1']);
    expect(addressesOf(alone.assign(request('greedy/b', 'TCP/80', { exclusive: true })))).toBe('namespace-limit');
    expect(addressesOf(alone.assign(request('greedy/c', 'TCP/80')))).toEqual(['192.0.2.2']);
  });

  it('never gives one L4 port of an address to two Services, whatever the order of events', () => {
    const event = fc.record({
      service: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      kind: fc.constantFrom('assign', 'assign', 'release', 'settle'),
      ports: fc.uniqueArray(fc.constantFrom('TCP/80', 'TCP/443', 'UDP/53', 'TCP/53'), { minLength: 1 }),
      families: fc.constantFrom<('IPv4' | 'IPv6')[]>(['IPv4'], ['IPv6'], ['IPv4', 'IPv6']),
      exclusive: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const allocator = new Allocator(pool('192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'));
        const seen = new Map<string, Grant[]>();
        for (const { service, kind, ports, families, exclusive } of events) {
          const past = seen.get(service) ?? [];
          if (kind === 'settle') {
            const assigned = allocator.assigned(key(service));
            settle(allocator, service);
            seen.set(service, assigned.length === 0 ? [] : past.slice(-1));
            continue;
          }
          if (kind === 'release') {
            allocator.release(key(service));
            continue;
          }
          const result = allocator.assign(request(service, ports.join(' '), { families, exclusive }));
          const given = result.kind === 'refused' ? [] : result.l2Ports;
          expect(allocator.assigned(key(service))).toEqual(given);
          if (result.kind === 'refused') continue;
          const addresses = result.l2Ports.map((l2Port) => l2Port.address);
          // What it keeps after an edit that cannot be honoured, it may have to share.
          const alone = exclusive && result.shortfall === undefined;
          seen.set(service, [...past, { addresses, ports: result.l4Ports.map(l4PortText), exclusive: alone }]);
          const served = result.l2Ports.map((l2Port) => l2Port.family);
          expect(families).toEqual(expect.arrayContaining(served));
          expect(result.shortfall !== undefined || served.length === families.length).toBe(true);
          expectNoConflict(seen);
        }
      }),
      { numRuns: 500 },
    );
  });

  describe('with several pools', () => {
    const inPool = (name: string, ...addresses: string[]) => pool(...addresses).map((one) => ({ ...one, pool: name }));
    const from = (name: string, changes: Partial<AllocationRequest> = {}): Partial<AllocationRequest> => ({
      pool: name,
      permittedPools: ['a', 'b'],
      ...changes,
    });
    const both = () => new Allocator([...inPool('a', '192.0.2.1'), ...inPool('b', '192.0.2.2', '192.0.2.3')]);

    it('gives addresses of the pool that is asked for, and of no other', () => {
      const allocator = both();
      expect(addressesOf(allocator.assign(request('s/one', 'TCP/80', from('b'))))).toEqual(['192.0.2.2']);
      expect(addressesOf(allocator.assign(request('s/two', 'TCP/80', from('a'))))).toEqual(['192.0.2.1']);
      expect(addressesOf(allocator.assign(request('s/three', 'TCP/80', from('a'))))).toBe('port-taken');
    });

    it('finds an address that is asked for in the pool that has it, unless another pool is named', () => {
      const asked = { requestedAddresses: [requireIpAddress('192.0.2.3')] };
      expect(addressesOf(both().assign(request('s/one', 'TCP/80', from('a', asked))))).toEqual(['192.0.2.3']);
      const named = from('a', { ...asked, isPoolAsked: true });
      expect(addressesOf(both().assign(request('s/one', 'TCP/80', named)))).toBe('address-unknown');
      const forbidden = from('a', { ...asked, permittedPools: ['a'] });
      expect(addressesOf(both().assign(request('s/one', 'TCP/80', forbidden)))).toBe('address-unknown');
    });

    it('moves a Service to another pool when it asks for that, and keeps it where it is when there is no room', () => {
      const allocator = both();
      allocator.assign(request('s/one', 'TCP/80', from('a')));
      expect(addressesOf(allocator.assign(request('s/one', 'TCP/80', from('b'))))).toEqual(['192.0.2.2']);
      settle(allocator, 's/one');
      allocator.assign(request('s/two', 'TCP/80', from('a')));
      const back = allocator.assign(request('s/one', 'TCP/80', from('a')));
      expect(addressesOf(back)).toEqual(['192.0.2.2']);
      expect(back).toMatchObject({ shortfall: { code: 'port-taken' } });
    });

    it('keeps nothing for a Service on a pool that it may not use any more', () => {
      const allocator = both();
      allocator.assign(request('s/one', 'TCP/80', from('b')));
      const moved = request('s/one', 'TCP/80', from('ghost', { permittedPools: ['a'] }));
      expect(addressesOf(allocator.assign(moved))).toBe('pool-empty');
    });

    it('gives a new address to the oldest that waits, and tells what one more would help', () => {
      const allocator = both();
      allocator.assign(request('s/one', 'TCP/80', from('a')));
      const waiting = allocator.assign(request('s/two', 'TCP/80', from('a', { createdAt: '2' })));
      expect(waiting).toMatchObject({ refusal: { wouldHelp: { pool: 'a', families: ['IPv4'] } } });
      allocator.assign(request('s/three', 'TCP/80', from('a', { createdAt: '1' })));
      const [added] = inPool('a', '192.0.2.4');
      expect(added === undefined ? [] : allocator.add(added)).toEqual(['s/three']);
    });

    it('retires an address that no Service is on, and gives it to none after that', () => {
      const allocator = both();
      allocator.assign(request('s/one', 'TCP/80', from('b')));
      const [used, unused] = [allocator.at(requireIpAddress('192.0.2.2')), allocator.at(requireIpAddress('192.0.2.3'))];
      if (used === undefined || unused === undefined) throw new Error('both are there');
      expect([allocator.isUsed(used), allocator.retire(used)]).toEqual([true, false]);
      expect(allocator.unused()).toEqual([allocator.at(requireIpAddress('192.0.2.1')), unused]);
      expect(allocator.retire(unused)).toBe(true);
      expect(addressesOf(allocator.assign(request('s/two', 'TCP/80', from('b'))))).toBe('port-taken');
    });

    it('lets a Service that is refused go on with what is left of what it has', () => {
      const allocator = both();
      allocator.assign(request('s/one', 'TCP/80 TCP/443', from('b')));
      const kept = allocator.keep(request('s/one', 'TCP/443', from('b')));
      expect(kept?.l4Ports).toEqual([{ protocol: 'TCP', port: 443 }]);
      expect(allocator.keep(request('s/none', 'TCP/80', from('b')))).toBeUndefined();
    });
  });
});

interface Grant {
  readonly addresses: readonly string[];
  readonly ports: readonly string[];
  readonly exclusive: boolean;
}

/** Whatever a Service was ever given since it was last settled, nobody else may have. */
function expectNoConflict(seen: ReadonlyMap<string, readonly Grant[]>): void {
  const grants = [...seen].flatMap(([service, held]) => held.map((grant) => ({ service, ...grant })));
  for (const one of grants) {
    for (const other of grants) {
      if (one.service === other.service) continue;
      const shared = one.addresses.filter((address) => other.addresses.includes(address));
      if (shared.length === 0) continue;
      expect(one.exclusive).toBe(false);
      expect(one.ports.filter((port) => other.ports.includes(port))).toEqual([]);
    }
  }
}
