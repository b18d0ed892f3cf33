import { compareTexts, type IpAddress, parseIpAddress } from '@fairlead/control';
import type { Endpoint, EndpointSlice, IpFamily, ObjectReference, Protocol } from '@fairlead/kube';

/** The object behind an endpoint, nearly always a Pod. */
export interface EndpointTarget {
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly uid: string | undefined;
}

/** An address that stands behind a Service, whatever the port. */
export interface EndpointHost {
  readonly address: IpAddress;
  readonly family: IpFamily;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string | undefined;
  readonly zone: string | undefined;
  readonly hostname: string | undefined;
  /** The zones, and the nodes, whose traffic this endpoint is meant for; empty: no hint. Sorted. */
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
  readonly target: EndpointTarget | undefined;
}

/** An address and a port behind one port of a Service. */
export interface ServiceEndpoint extends EndpointHost {
  /** The target port as this slice resolved it: pods may give the same name different numbers. */
  readonly port: number;
}

/** What stands behind one port of a Service: every slice's port of the same name and protocol. */
export interface PortEndpoints {
  /** Empty for the only, nameless port of a Service. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly endpoints: readonly ServiceEndpoint[];
}

export type EndpointProblemCode = 'fqdn-slice' | 'invalid-address' | 'port-without-number' | 'too-many-endpoints';

/** Something in a slice that cannot be balanced and was left out. */
export interface EndpointProblem {
  readonly code: EndpointProblemCode;
  /** The name of the slice. */
  readonly slice: string;
  readonly sentence: string;
}

export interface GatheredEndpoints {
  /** By name, then protocol. A port that no slice has is absent. */
  readonly ports: readonly PortEndpoints[];
  /** By slice, then code. */
  readonly problems: readonly EndpointProblem[];
}

const NO_HINTS: readonly string[] = [];
const HIGHEST_PORT = 65_535;
/** Addresses times ports of one Service: twenty times the most that Kubernetes is made for; the rest is left out. */
const MOST_ENDPOINTS = 100_000;
/** How many bad entries of a slice a problem names. */
const MOST_NAMED = 3;

interface SlicePort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly number: number;
}

/**
 * The endpoints in all the slices of one Service, as one list for each port. How they are spread over slices, and
 * in which order the slices come, makes no difference; an endpoint that is in two slices, as happens while it
 * moves from one to the other, counts once.
 */
export function gatherEndpoints(slices: Iterable<EndpointSlice>): GatheredEndpoints {
  const ports = new Map<string, { name: string; protocol: Protocol; endpoints: Map<string, ServiceEndpoint> }>();
  const problems: EndpointProblem[] = [];
  let room = MOST_ENDPOINTS;
  for (const slice of slices) {
    const hosts = readHosts(slice, problems);
    for (const { name, protocol, number } of readPorts(slice, problems)) {
      const key = `${name}/${protocol}`;
      const port = ports.get(key) ?? { name, protocol, endpoints: new Map() };
      ports.set(key, port);
      const kept = hosts.length <= room ? hosts : hosts.slice(0, room);
      for (const host of kept) keepBetter(port.endpoints, `${host.address} ${number}`, { ...host, port: number });
      room -= kept.length;
      if (kept.length < hosts.length) {
        const sentence = `with it there are more than ${MOST_ENDPOINTS} endpoints of one Service`;
        problems.push({ code: 'too-many-endpoints', slice: slice.metadata.name, sentence });
        break;
      }
    }
  }
  return {
    ports: [...ports.values()]
      .map(({ name, protocol, endpoints }) => ({
        name,
        protocol,
        endpoints: [...endpoints.values()].toSorted(byAddressAndPort),
      }))
      .toSorted((left, right) => compareTexts(left.name, right.name) || compareTexts(left.protocol, right.protocol)),
    problems: problems.toSorted(
      (left, right) => compareTexts(left.slice, right.slice) || compareTexts(left.code, right.code),
    ),
  };
}

/** The addresses in all the slices of one Service, for load balancers that do not care for ports. */
export function gatherHosts(slices: Iterable<EndpointSlice>): readonly EndpointHost[] {
  const hosts = new Map<string, EndpointHost>();
  for (const slice of slices) {
    for (const host of readHosts(slice, [])) keepBetter(hosts, host.address, host);
  }
  return [...hosts.values()].toSorted(byAddress);
}

/** The endpoints behind a port of the Service: it and the slices agree by name and protocol, never by number. */
export function endpointsOfPort(
  gathered: GatheredEndpoints,
  port: { readonly name?: string; readonly protocol?: Protocol },
): readonly ServiceEndpoint[] {
  const { name = '', protocol = 'TCP' } = port;
  return gathered.ports.find((found) => found.name === name && found.protocol === protocol)?.endpoints ?? [];
}

function readHosts(slice: EndpointSlice, problems: EndpointProblem[]): readonly EndpointHost[] {
  const { addressType } = slice;
  if (addressType === 'FQDN') {
    const sentence = 'it lists names instead of addresses (addressType FQDN); use slices of type IPv4 or IPv6';
    problems.push({ code: 'fqdn-slice', slice: slice.metadata.name, sentence });
    return [];
  }
  const hosts: EndpointHost[] = [];
  const invalid: string[] = [];
  for (const endpoint of slice.endpoints ?? []) {
    // Addresses after the first have no meaning in the API, and no proxy reads them.
    const text = endpoint.addresses[0] ?? '';
    const parsed = parseIpAddress(text);
    if (parsed?.family === addressType) hosts.push(toHost(endpoint, parsed.address, addressType));
    else invalid.push(text);
  }
  if (invalid.length > 0) {
    const sentence = `it has entries that are no ${addressType} address: ${someOf(invalid)}`;
    problems.push({ code: 'invalid-address', slice: slice.metadata.name, sentence });
  }
  return hosts;
}

function toHost(endpoint: Endpoint, address: IpAddress, family: IpFamily): EndpointHost {
  const { conditions, hints, nodeName, zone, hostname, targetRef } = endpoint;
  return {
    address,
    family,
    // Unknown counts as ready and serving, and as not terminating: so the API has it.
    ready: conditions?.ready ?? true,
    serving: conditions?.serving ?? true,
    terminating: conditions?.terminating ?? false,
    nodeName,
    zone,
    hostname,
    zoneHints: hints?.forZones?.map((hint) => hint.name).toSorted(compareTexts) ?? NO_HINTS,
    nodeHints: hints?.forNodes?.map((hint) => hint.name).toSorted(compareTexts) ?? NO_HINTS,
    target: targetRef && toTarget(targetRef),
  };
}

function readPorts(slice: EndpointSlice, problems: EndpointProblem[]): readonly SlicePort[] {
  const ports: SlicePort[] = [];
  const unnumbered: string[] = [];
  for (const { name = '', protocol = 'TCP', port } of slice.ports ?? []) {
    // The API server takes any number here.
    if (port !== undefined && port > 0 && port <= HIGHEST_PORT) ports.push({ name, protocol, number: port });
    else unnumbered.push(name);
  }
  if (unnumbered.length > 0) {
    const sentence = `it has ports without a number: ${someOf(unnumbered)}`;
    problems.push({ code: 'port-without-number', slice: slice.metadata.name, sentence });
  }
  return ports;
}

/** The first few, quoted: a slice holds up to a thousand endpoints. */
function someOf(texts: readonly string[]): string {
  const named = texts
    .toSorted(compareTexts)
    .slice(0, MOST_NAMED)
    .map((text) => JSON.stringify(text))
    .join(', ');
  return texts.length > MOST_NAMED ? `${named} and ${texts.length - MOST_NAMED} more` : named;
}

function toTarget({ kind, namespace, name, uid }: ObjectReference): EndpointTarget {
  return { kind, namespace, name, uid };
}

function keepBetter<Host extends EndpointHost>(hosts: Map<string, Host>, key: string, candidate: Host): void {
  const incumbent = hosts.get(key);
  if (incumbent === undefined || isBetter(candidate, incumbent)) hosts.set(key, candidate);
}

/**
 * A total order, so that the outcome depends on no other order. A living endpoint comes before a terminating one,
 * even if not ready yet: an address in two slices may have passed from a dying pod to a new one.
 */
function isBetter(candidate: EndpointHost, incumbent: EndpointHost): boolean {
  if (candidate.ready !== incumbent.ready) return candidate.ready;
  if (candidate.terminating !== incumbent.terminating) return !candidate.terminating;
  if (candidate.serving !== incumbent.serving) return candidate.serving;
  return tieBreaker(candidate) < tieBreaker(incumbent);
}

/** Sorts a known node before an unknown one: without its node an endpoint is local to none. */
function tieBreaker({ nodeName, zone, hostname, zoneHints, nodeHints, target }: EndpointHost): string {
  const { kind, namespace, name, uid } = target ?? {};
  const unknownNode = nodeName === undefined;
  return JSON.stringify([unknownNode, nodeName, zone, hostname, zoneHints, nodeHints, kind, namespace, name, uid]);
}

const byAddress = (left: EndpointHost, right: EndpointHost): number => compareTexts(left.address, right.address);
const byAddressAndPort = (left: ServiceEndpoint, right: ServiceEndpoint): number =>
  byAddress(left, right) || left.port - right.port;
