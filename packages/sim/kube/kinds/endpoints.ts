import { equalJson, listOf, objectOf, without } from '../../json.ts';
import { type KubeObject, withMetadata } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import { addressProblems, familyOf, specialAddressProblems } from '../validation/addresses.ts';
import {
  duplicate,
  type FieldProblem,
  IMMUTABLE,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '../validation/field-problem.ts';
import { metadataProblems } from '../validation/metadata.ts';
import { dnsLabelProblems, labelKeyProblems, type NameRule, subdomainProblems } from '../validation/names.ts';
import { PROTOCOLS, portNumberProblems } from '../validation/ports.ts';
import { builtIn, PLAIN_RULES, type ServedKind } from './kind.ts';

export type TargetReference = {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
};

export type EndpointAddress = {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: TargetReference;
};

export type EndpointPort = {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
};

export type EndpointSubset = {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
};

export type Endpoints = KubeObject & { readonly subsets?: readonly EndpointSubset[] };

/** The decoder has made sure of the rest. */
export function isEndpoints(object: KubeObject): object is Endpoints {
  return object.kind === 'Endpoints' && object.apiVersion === 'v1';
}

function asEndpoints(object: KubeObject): Endpoints {
  if (isEndpoints(object)) return object;
  throw new TypeError(`expected Endpoints, not a ${object.kind}`);
}

export type SliceEndpoint = {
  readonly addresses: readonly string[] | null;
  readonly conditions: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly hostname?: string;
  readonly targetRef?: TargetReference;
  readonly nodeName?: string;
  readonly zone?: string;
};

export type SlicePort = {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
};

export type EndpointSlice = KubeObject & {
  readonly addressType: string;
  readonly endpoints: readonly SliceEndpoint[] | null;
  readonly ports: readonly SlicePort[] | null;
};

/** The decoder has made sure of the rest. */
export function isEndpointSlice(object: KubeObject): object is EndpointSlice {
  return object.kind === 'EndpointSlice' && object.apiVersion === 'discovery.k8s.io/v1';
}

function asEndpointSlice(object: KubeObject): EndpointSlice {
  if (isEndpointSlice(object)) return object;
  throw new TypeError(`expected an EndpointSlice, not a ${object.kind}`);
}

function named(rule: NameRule, field: string, value: string | undefined): readonly FieldProblem[] {
  if (value === undefined || value === '') return [];
  return rule(value).map((problem) => invalidValue(field, value, problem));
}

function protocolProblems(field: string, protocol = ''): readonly FieldProblem[] {
  return PROTOCOLS.includes(protocol) ? [] : [notSupported(field, protocol, PROTOCOLS)];
}

function endpointsProblems({ subsets = [] }: Endpoints): readonly FieldProblem[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const field = `subsets[${index}]`;
    const empty = addresses.length + notReadyAddresses.length === 0;
    return [
      ...(empty ? [required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...addresses.flatMap((address, at) => endpointAddressProblems(`${field}.addresses[${at}]`, address)),
      ...notReadyAddresses.flatMap((address, at) =>
        endpointAddressProblems(`${field}.notReadyAddresses[${at}]`, address),
      ),
      ...ports.flatMap((port, at) => endpointPortProblems(`${field}.ports[${at}]`, port, ports.length > 1)),
    ];
  });
}

function endpointAddressProblems(field: string, address: EndpointAddress): readonly FieldProblem[] {
  const malformed = addressProblems(`${field}.ip`, address.ip);
  const unusable = invalidValue(`${field}.ip`, address.ip, 'must be a valid IP address');
  return [
    ...malformed,
    ...named(dnsLabelProblems, `${field}.hostname`, address.hostname),
    ...named(subdomainProblems, `${field}.nodeName`, address.nodeName),
    ...(malformed.length > 0 ? [unusable] : specialAddressProblems(`${field}.ip`, address.ip)),
  ];
}

function endpointPortProblems(field: string, port: EndpointPort, needsName: boolean): readonly FieldProblem[] {
  const unnamed = needsName && (port.name ?? '') === '';
  return [
    ...(unnamed ? [required(`${field}.name`)] : named(dnsLabelProblems, `${field}.name`, port.name)),
    ...portNumberProblems(`${field}.port`, port.port),
    ...protocolProblems(`${field}.protocol`, port.protocol),
    ...named(labelKeyProblems, `${field}.appProtocol`, port.appProtocol),
  ];
}

export const endpointsKind: ServedKind = builtIn({
  plural: 'endpoints',
  kind: 'Endpoints',
  shortNames: ['ep'],
  schema: builtInSchema('io.k8s.api.core.v1.Endpoints'),
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  rules: {
    ...PLAIN_RULES,
    createOnUpdate: true,
    validateCreate: (object) => endpointsProblems(asEndpoints(object)),
    update: {
      ...PLAIN_RULES.update,
      validate: (next, previous) =>
        equalJson(next.subsets, previous.subsets) ? [] : endpointsProblems(asEndpoints(next)),
    },
  },
});

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MOST_ENDPOINTS = 1000;
const MOST_ADDRESSES = 100;
const MOST_PORTS = 20_000;

function sliceProblems(slice: EndpointSlice): readonly FieldProblem[] {
  return [...addressTypeProblems(slice.addressType), ...slicePortsProblems(slice), ...sliceEndpointsProblems(slice)];
}

function addressTypeProblems(type: string): readonly FieldProblem[] {
  if (type === '') return [required('addressType')];
  return ADDRESS_TYPES.includes(type) ? [] : [notSupported('addressType', type, ADDRESS_TYPES)];
}

function slicePortsProblems({ ports }: EndpointSlice): readonly FieldProblem[] {
  const all = ports ?? [];
  if (all.length > MOST_PORTS) return [tooMany('ports', all.length, MOST_PORTS)];
  return all.flatMap(({ name = '', protocol, appProtocol }, index) => {
    const field = `ports[${index}]`;
    const repeated = all.findIndex((other) => (other.name ?? '') === name) < index;
    return [
      ...named(dnsLabelProblems, `${field}.name`, name),
      ...(repeated ? [duplicate(`${field}.name`, name)] : []),
      ...protocolProblems(`${field}.protocol`, protocol),
      ...named(labelKeyProblems, `${field}.appProtocol`, appProtocol),
    ];
  });
}

function sliceEndpointsProblems({ addressType, endpoints }: EndpointSlice): readonly FieldProblem[] {
  const all = endpoints ?? [];
  if (all.length > MOST_ENDPOINTS) return [tooMany('endpoints', all.length, MOST_ENDPOINTS)];
  return all.flatMap(({ addresses, nodeName, hostname }, index) => {
    const field = `endpoints[${index}]`;
    const given = addresses ?? [];
    return [
      ...(given.length === 0 ? [required(`${field}.addresses`, 'must contain at least 1 address')] : []),
      ...(given.length > MOST_ADDRESSES ? [tooMany(`${field}.addresses`, given.length, MOST_ADDRESSES)] : []),
      ...given.flatMap((address, at) => sliceAddressProblems(`${field}.addresses`, at, address, addressType)),
      ...named(subdomainProblems, `${field}.nodeName`, nodeName),
      ...hostnameProblems(`${field}.hostname`, hostname),
    ];
  });
}

/** Where it is given, an empty one is wrong, too. */
function hostnameProblems(field: string, hostname: string | undefined): readonly FieldProblem[] {
  if (hostname === undefined) return [];
  return dnsLabelProblems(hostname).map((problem) => invalidValue(field, hostname, problem));
}

function sliceAddressProblems(field: string, index: number, address: string, type: string): readonly FieldProblem[] {
  const place = `${field}[${index}]`;
  if (type === 'FQDN') return named(subdomainProblems, place, address);
  const malformed = addressProblems(place, address);
  if (malformed.length > 0) return malformed;
  const wrongFamily = familyOf(address) === type ? [] : [invalidValue(field, address, `must be an ${type} address`)];
  return [...wrongFamily, ...specialAddressProblems(place, address)];
}

/** A port always says what it is called and speaks. */
function withPortDefaults(object: KubeObject): KubeObject {
  const { ports } = asEndpointSlice(object);
  if (ports === null || ports.every(({ name }) => name !== undefined)) return object;
  return { ...object, ports: ports.map(({ name = '', ...rest }) => ({ name, ...rest })) };
}

/** An empty list is stored as none. */
function withoutEmptyLists(object: KubeObject): KubeObject {
  const { endpoints, ports } = asEndpointSlice(object);
  if (endpoints?.length !== 0 && ports?.length !== 0) return object;
  return {
    ...object,
    endpoints: endpoints?.length === 0 ? null : endpoints,
    ports: ports?.length === 0 ? null : ports,
  };
}

function withGeneration(next: KubeObject, previous: KubeObject): KubeObject {
  const content = (object: KubeObject) => without(object, 'kind', 'apiVersion', 'metadata');
  const same = equalJson(content(next), content(previous)) && equalJson(next.metadata.labels, previous.metadata.labels);
  return same ? next : withMetadata(next, { generation: (previous.metadata.generation ?? 0) + 1 });
}

/** Only slices that an older version of the API left behind have it. */
function withoutTopology(object: KubeObject): KubeObject {
  const endpoints = listOf(object.endpoints).map(objectOf);
  if (!endpoints.some((endpoint) => 'deprecatedTopology' in endpoint)) return object;
  return { ...object, endpoints: endpoints.map((endpoint) => without(endpoint, 'deprecatedTopology')) };
}

export const endpointSlices: ServedKind = builtIn({
  group: 'discovery.k8s.io',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  schema: builtInSchema('io.k8s.api.discovery.v1.EndpointSlice'),
  defaults: withPortDefaults,
  rules: {
    ...PLAIN_RULES,
    prepareCreate: (object) => withMetadata(withoutEmptyLists(withoutTopology(object)), { generation: 1 }),
    warnings: ({ addressType }, previous) =>
      addressType === 'FQDN' && previous === undefined ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
    validateCreate: (object) => sliceProblems(asEndpointSlice(object)),
    update: {
      ...PLAIN_RULES.update,
      prepare: (next, previous) => withGeneration(withoutEmptyLists(next), previous),
      validate(next, previous) {
        const slice = asEndpointSlice(next);
        const moved = slice.addressType !== asEndpointSlice(previous).addressType;
        const known = equalJson(next.endpoints, previous.endpoints) ? [] : sliceEndpointsProblems(slice);
        const problems: FieldProblem[] = [
          ...addressTypeProblems(slice.addressType),
          ...slicePortsProblems(slice),
          ...known,
        ];
        const { metadata } = next;
        const rules = { namespaced: true, name: subdomainProblems, qualifiedFinalizers: true };
        problems.push(...metadataProblems(metadata, rules));
        return [...problems, ...(moved ? [invalidValue('addressType', slice.addressType, IMMUTABLE)] : [])];
      },
    },
  },
});
