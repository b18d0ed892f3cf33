import type { Endpoint, EndpointSlice } from '@fairlead/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointsOfPort, gatherEndpoints, gatherHosts } from './endpoints.ts';
import { shuffled, slice, sliceContents } from '../testing/slices.ts';

const web = [{ name: 'web', protocol: 'TCP', port: 8080 }] as const;
const dying = { ready: false, serving: true, terminating: true } as const;

function states(endpoints: readonly Endpoint[]): unknown {
  const [host] = gatherHosts([slice({ endpoints })]);
  return host && { ready: host.ready, serving: host.serving, terminating: host.terminating };
}

/** The endpoints of a port in short: `address:port`. */
function short(slices: readonly EndpointSlice[], name = 'web', protocol: 'TCP' | 'UDP' = 'TCP'): readonly string[] {
  return endpointsOfPort(gatherEndpoints(slices), { name, protocol }).map(({ address, port }) => `${address}:${port}`);
}

it('takes no port that is none, and no more endpoints of one Service than it can bear', () => {
  const slice = (name: string, ports: readonly number[], count: number): EndpointSlice => ({
    metadata: { name },
    addressType: 'IPv4',
    ports: ports.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' })),
    endpoints: Array.from({ length: count }, (_, index) => ({ addresses: [`10.${index >> 8}.${index & 255}.1`] })),
  });
  const invented = gatherEndpoints([slice('invented', [70_000], 1)]);
  expect(invented).toMatchObject({ ports: [], problems: [{ code: 'port-without-number' }] });
  const ports = Array.from({ length: 100 }, (_, index) => index + 1);
  const huge = gatherEndpoints(['a', 'b', 'c'].map((name) => slice(name, ports, 900)));
  expect(huge.problems.map(({ code }) => code)).toContain('too-many-endpoints');
  expect(huge.ports.reduce((sum, { endpoints }) => sum + endpoints.length, 0)).toBeLessThanOrEqual(100_000);
});

describe('gatherEndpoints', () => {
  it('takes unknown conditions for ready, serving and not terminating', () => {
    const expected = { ready: true, serving: true, terminating: false };
    expect(states([{ addresses: ['10.0.0.1'] }])).toEqual(expected);
    expect(states([{ addresses: ['10.0.0.1'], conditions: {} }])).toEqual(expected);
    expect(states([{ addresses: ['10.0.0.1'], conditions: dying }])).toEqual(dying);
  });

  it('resolves a port slice by slice, since pods may give a name different numbers', () => {
    const slices = [
      slice({ name: 'a', ports: web, endpoints: [{ addresses: ['10.0.0.1'] }] }),
      slice({ name: 'b', ports: [{ ...web[0], port: 9090 }], endpoints: [{ addresses: ['10.0.0.2'] }] }),
    ];
    expect(short(slices)).toEqual(['10.0.0.1:8080', '10.0.0.2:9090']);
  });

  it('leaves a slice out of the ports that it lacks', () => {
    const slices = [
      slice({ name: 'a', ports: web, endpoints: [{ addresses: ['10.0.0.1'] }] }),
      slice({ name: 'b', ports: [{ name: 'metrics', port: 9100 }], endpoints: [{ addresses: ['10.0.0.2'] }] }),
    ];
    expect(short(slices, 'web')).toEqual(['10.0.0.1:8080']);
    expect(short(slices, 'metrics')).toEqual(['10.0.0.2:9100']);
    expect(short(slices, 'absent')).toEqual([]);
  });

  it('tells protocols of the same name apart', () => {
    const ports = [
      { name: 'dns', protocol: 'TCP', port: 53 },
      { name: 'dns', protocol: 'UDP', port: 5353 },
    ] as const;
    const slices = [slice({ ports, endpoints: [{ addresses: ['10.0.0.1'] }] })];
    expect(short(slices, 'dns', 'TCP')).toEqual(['10.0.0.1:53']);
    expect(short(slices, 'dns', 'UDP')).toEqual(['10.0.0.1:5353']);
  });

  it('matches the nameless port of a Service with the nameless port of a slice', () => {
    const gathered = gatherEndpoints([slice({ ports: [{ port: 80 }], endpoints: [{ addresses: ['10.0.0.1'] }] })]);
    expect(endpointsOfPort(gathered, {})).toHaveLength(1);
    expect(endpointsOfPort(gathered, { name: '' })).toHaveLength(1);
  });

  it('reads the null that the server writes for an empty list', () => {
    expect(gatherEndpoints([slice({ endpoints: null, ports: null })])).toEqual({ ports: [], problems: [] });
    expect(gatherEndpoints([slice({ endpoints: null, ports: web })]).ports).toMatchObject([{ endpoints: [] }]);
  });

  it('counts an endpoint once while it moves from one slice to another', () => {
    const moving = { addresses: ['10.0.0.1'], nodeName: 'node-a' };
    const slices = ['a', 'b'].map((name) => slice({ name, ports: web, endpoints: [moving] }));
    expect(short(slices)).toEqual(['10.0.0.1:8080']);
  });

  it('gives one address one spelling', () => {
    const spellings = ['2001:db8:0:0:0:0:0:1', '2001:DB8::1'].map((address, index) =>
      slice({ name: `s${index}`, addressType: 'IPv6', ports: web, endpoints: [{ addresses: [address] }] }),
    );
    expect(short(spellings)).toEqual(['2001:db8::1:8080']);
  });

  it.each([
    ['a ready one before one that is not', { ready: true }, { ready: false, serving: false }],
    ['a living one before a terminating one', { ready: false, serving: false, terminating: false }, dying],
    ['a serving one before one that stopped', dying, { ready: false, serving: false, terminating: true }],
  ])('prefers, of two entries for one address, %s', (_name, better, worse) => {
    const entries = [better, worse].map((conditions, index) =>
      slice({ name: `s${index}`, ports: web, endpoints: [{ addresses: ['10.0.0.1'], conditions }] }),
    );
    for (const slices of [entries, entries.toReversed()]) {
      expect(endpointsOfPort(gatherEndpoints(slices), { name: 'web' })).toMatchObject([better]);
    }
  });

  it('prefers, of two equal entries for one address, the one that knows its node', () => {
    const known = slice({ name: 'a', ports: web, endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'node-a' }] });
    const unknown = slice({ name: 'b', ports: web, endpoints: [{ addresses: ['10.0.0.1'] }] });
    for (const slices of [
      [known, unknown],
      [unknown, known],
    ]) {
      expect(endpointsOfPort(gatherEndpoints(slices), { name: 'web' })).toMatchObject([{ nodeName: 'node-a' }]);
    }
  });

  it('chooses the same of two entries that differ only in the pod behind them, whichever comes first', () => {
    const entries = ['u2', 'u1'].map((uid) =>
      slice({ name: uid, ports: web, endpoints: [{ addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', uid } }] }),
    );
    for (const slices of [entries, entries.toReversed()]) {
      expect(endpointsOfPort(gatherEndpoints(slices), { name: 'web' })).toMatchObject([{ target: { uid: 'u1' } }]);
    }
  });

  it('reads only the first address of an entry: the API gives the others no meaning', () => {
    expect(short([slice({ ports: web, endpoints: [{ addresses: ['10.0.0.2', '10.0.0.1'] }] })])).toEqual([
      '10.0.0.2:8080',
    ]);
  });

  it('keeps the readiness of each port apart, as mirrored Endpoints may have it', () => {
    const ready = slice({ name: 'a', ports: web, endpoints: [{ addresses: ['10.0.0.1'] }] });
    const unready = slice({
      name: 'b',
      ports: [{ name: 'admin', port: 9000 }],
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }],
    });
    const gathered = gatherEndpoints([ready, unready]);
    expect(endpointsOfPort(gathered, { name: 'web' })).toMatchObject([{ ready: true }]);
    expect(endpointsOfPort(gathered, { name: 'admin' })).toMatchObject([{ ready: false }]);
    expect(gatherHosts([ready, unready])).toMatchObject([{ ready: true }]);
  });

  it('reports what it leaves out, and keeps the rest', () => {
    const gathered = gatherEndpoints([
      slice({ name: 'names', addressType: 'FQDN', ports: web, endpoints: [{ addresses: ['web.example.com'] }] }),
      slice({
        name: 'mixed',
        ports: [...web, { name: 'any' }, { name: 'zero', port: 0 }],
        endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['2001:db8::1'] }, { addresses: ['10.0.0.300'] }],
      }),
    ]);
    expect(gathered.problems).toEqual([
      {
        code: 'invalid-address',
        slice: 'mixed',
        sentence: 'it has entries that are no IPv4 address: "10.0.0.300", "2001:db8::1"',
      },
      { code: 'port-without-number', slice: 'mixed', sentence: 'it has ports without a number: "any", "zero"' },
      {
        code: 'fqdn-slice',
        slice: 'names',
        sentence: 'it lists names instead of addresses (addressType FQDN); use slices of type IPv4 or IPv6',
      },
    ]);
    expect(endpointsOfPort(gathered, { name: 'web' })).toMatchObject([{ address: '10.0.0.1' }]);
  });

  it('names only the first of many bad entries', () => {
    const endpoints = Array.from({ length: 1000 }, (_, index) => ({ addresses: [`bad-${index}`] }));
    const [problem] = gatherEndpoints([slice({ endpoints })]).problems;
    expect(problem?.sentence).toBe('it has entries that are no IPv4 address: "bad-0", "bad-1", "bad-10" and 997 more');
  });

  it('does not depend on the order of slices, nor of the endpoints and ports in them', () => {
    fc.assert(
      fc.property(fc.array(sliceContents), fc.infiniteStream(fc.nat()), (contents, random) => {
        const slices = contents.map((content, index) => slice({ name: `s${index}`, ...content }));
        const reordered = shuffled(slices, random).map((each) => ({
          ...each,
          endpoints: shuffled(each.endpoints ?? [], random),
          ports: shuffled(each.ports ?? [], random),
        }));
        expect(gatherEndpoints(reordered)).toEqual(gatherEndpoints(slices));
        expect(gatherHosts(reordered)).toEqual(gatherHosts(slices));
      }),
    );
  });

  it('does not depend on how the endpoints are spread over slices, nor on copies during a move', () => {
    fc.assert(
      fc.property(fc.array(sliceContents), fc.infiniteStream(fc.nat()), (contents, random) => {
        const slices = contents.map((content, index) => slice({ name: `s${index}`, ...content }));
        const spread = slices.flatMap((each, index) =>
          [0, 1, 2].map((piece) =>
            slice({
              ...each,
              name: `s${index}-${piece}`,
              endpoints: (each.endpoints ?? []).filter(() => (random.next().value ?? 0) % 2 === 0),
            }),
          ),
        );
        const whole = gatherEndpoints([...slices, ...spread]);
        expect(whole.ports).toEqual(gatherEndpoints(slices).ports);
        expect(gatherHosts([...slices, ...spread])).toEqual(gatherHosts(slices));
      }),
    );
  });

  it('has each address and port at most once, and every address that a slice has', () => {
    fc.assert(
      fc.property(fc.array(sliceContents), (contents) => {
        const slices = contents.map((content, index) => slice({ name: `s${index}`, ...content }));
        for (const { endpoints } of gatherEndpoints(slices).ports) {
          const keys = endpoints.map(({ address, port }) => `${address} ${port}`);
          expect(keys).toEqual([...new Set(keys)]);
        }
        const addresses = new Set(gatherHosts(slices).map((host) => host.address));
        const numbered = slices.filter((each) => each.ports?.some((port) => (port.port ?? 0) > 0));
        const served = gatherEndpoints(numbered).ports.flatMap((port) => port.endpoints.map(({ address }) => address));
        expect(new Set(served)).toEqual(new Set(gatherHosts(numbered).map((host) => host.address)));
        expect([...served].every((address) => addresses.has(address))).toBe(true);
      }),
    );
  });
});
