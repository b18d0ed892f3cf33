import type { Endpoint, EndpointPort, EndpointSlice } from '@fairlead/kube';
import fc from 'fast-check';

export interface SliceShape {
  readonly name?: string;
  /** The Service it belongs to; `web` unless told otherwise, null for none. */
  readonly service?: string | null;
  readonly resourceVersion?: string;
  readonly addressType?: EndpointSlice['addressType'];
  readonly endpoints?: readonly Endpoint[] | null;
  readonly ports?: readonly EndpointPort[] | null;
}

/** A slice in the namespace `shop`. */
export function slice(shape: SliceShape): EndpointSlice {
  const { name = 'web-1', service = 'web', resourceVersion, addressType = 'IPv4', endpoints = [], ports = [] } = shape;
  return {
    metadata: {
      name,
      namespace: 'shop',
      labels: service === null ? {} : { 'kubernetes.io/service-name': service },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    addressType,
    endpoints,
    ports,
  };
}

const conditions = fc.record(
  { ready: fc.boolean(), serving: fc.boolean(), terminating: fc.boolean() },
  { requiredKeys: [] },
);

/** Few addresses and nodes, so that collisions are the rule. */
const endpointOf = (address: fc.Arbitrary<string>): fc.Arbitrary<Endpoint> =>
  fc.record(
    {
      addresses: address.map((text) => [text]),
      conditions,
      nodeName: fc.constantFrom('node-a', 'node-b'),
      zone: fc.constantFrom('zone-1', 'zone-2'),
      hostname: fc.constantFrom('web-0', 'web-1'),
      targetRef: fc.record({ kind: fc.constant('Pod'), uid: fc.constantFrom('u1', 'u2') }),
      hints: fc.record({ forZones: fc.array(fc.record({ name: fc.constantFrom('zone-1', 'zone-2') })) }),
    },
    { requiredKeys: ['addresses'] },
  );

const port: fc.Arbitrary<EndpointPort> = fc.record(
  {
    name: fc.constantFrom('', 'web', 'dns'),
    protocol: fc.constantFrom('TCP', 'UDP'),
    port: fc.constantFrom(0, 53, 80, 8080),
  },
  { requiredKeys: [] },
);

const contentsOf = (
  addressType: EndpointSlice['addressType'],
  ...addresses: readonly string[]
): fc.Arbitrary<SliceShape> =>
  fc.record({
    addressType: fc.constant(addressType),
    endpoints: fc.array(endpointOf(fc.constantFrom(...addresses)), { maxLength: 6 }),
    ports: fc.array(port, { maxLength: 3 }),
  });

/** What may be in a slice, bad addresses and ports included. */
export const sliceContents: fc.Arbitrary<SliceShape> = fc.oneof(
  contentsOf('IPv4', '10.0.0.1', '10.0.0.2', '10.0.0.3', 'bad'),
  contentsOf('IPv6', '2001:db8::1', '2001:DB8:0::1', '2001:db8::2'),
  contentsOf('FQDN', 'web.example.com'),
);

export function shuffled<Item>(items: readonly Item[], random: Iterator<number>): Item[] {
  return items
    .map((item) => ({ item, rank: random.next().value ?? 0 }))
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}
