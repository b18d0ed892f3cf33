import type { ImportType, ServiceImport } from '@fairlead/clusterset/mcs';
import { type IpAddress, type IpFamily, parseIpAddress } from '@fairlead/control';
import type { EndpointSlice, Protocol } from '@fairlead/kube';
import { isLabel } from '../wire/index.ts';
import { belongingOfImport, belongingOfSlice, type ServiceView } from './service-view.ts';
import type { ZoneSettings } from './settings.ts';

/** A port under which a Service, or one endpoint, can be asked for by SRV. */
export interface ServedPort {
  /** Empty for the only one, which needs no name. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

export interface ServedEndpoint {
  readonly address: IpAddress;
  readonly family: IpFamily;
  /** Its host name, or its address with dashes. */
  readonly host: string;
  readonly ports: readonly ServedPort[];
}

/** What one cluster contributes to a Service, and what it does not, and why. */
export interface ClusterShare {
  readonly cluster: string;
  readonly isLocal: boolean;
  /** Whether it can be part of a name. */
  readonly isNameable: boolean;
  /** Where it was read: the names of slices, or of the cluster's own ServiceImport. */
  readonly sources: readonly string[];
  /** Ready ones, each once, in a stable order. */
  readonly endpoints: readonly ServedEndpoint[];
  readonly ports: readonly ServedPort[];
  readonly leftOut: readonly string[];
  /** What of it only an operator can mend: a pod that is not ready yet is none of them. */
  readonly faults: readonly string[];
}

/** Endpoints times ports of one cluster and Service: each is a record under several names. */
const MOST_ENDPOINT_PORTS = 10_000;

/** What each cluster contributes: this cluster first, then by name. */
export function clusterShares(view: ServiceView, type: ImportType, settings: ZoneSettings): readonly ClusterShare[] {
  const slices = Map.groupBy(view.slices, ({ metadata }) => belongingOfSlice(metadata)?.cluster ?? '');
  const older = new Map(honouredImports(view, settings).map((one) => [clusterOf(one, settings), one]));
  const clusters = [...new Set([...slices.keys(), ...older.keys()])].filter((cluster) => cluster !== '');
  return clusters
    .toSorted((left, right) => rank(left, settings) - rank(right, settings) || (left < right ? -1 : 1))
    .map((cluster) => {
      const own = slices.get(cluster) ?? [];
      const olderImport = older.get(cluster);
      const found = olderImport === undefined ? fromSlices(own) : fromOlderImport(olderImport, own, type);
      const isNameable = cluster.split('.').every(isLabel);
      return { cluster, isLocal: cluster === settings.cluster, isNameable, ...limited(found) };
    });
}

/** One cluster cannot have the zone of all others grow without bounds. */
function limited(found: Found): Found {
  let count = 0;
  const endpoints = found.endpoints.filter(({ ports }) => (count += Math.max(1, ports.length)) <= MOST_ENDPOINT_PORTS);
  const beyond = found.endpoints.length - endpoints.length;
  if (beyond === 0) return found;
  const reason = `${beyond} endpoints: with their ports, they are more than ${MOST_ENDPOINT_PORTS}`;
  return { ...found, endpoints, leftOut: [...found.leftOut, reason], faults: [...found.faults, reason] };
}

/** Only of clusters that the operator named: it is theirs to say that they are trusted. */
export function honouredImports({ olderImports }: ServiceView, settings: ZoneSettings): readonly ServiceImport[] {
  return olderImports.filter((one) => settings.olderClusters.includes(clusterOf(one, settings)));
}

function clusterOf(one: ServiceImport, { olderNamespace }: ZoneSettings): string {
  return belongingOfImport(one, olderNamespace).cluster ?? '';
}

function rank(cluster: string, settings: ZoneSettings): number {
  return cluster === settings.cluster ? 0 : 1;
}

type Found = Pick<ClusterShare, 'sources' | 'endpoints' | 'ports' | 'leftOut' | 'faults'>;

function fromSlices(slices: readonly EndpointSlice[]): Found {
  const endpoints = new Map<string, ServedEndpoint>();
  const ports = new Map<string, ServedPort>();
  const leftOut: string[] = [];
  const faults: string[] = [];
  const sorted = slices.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  for (const slice of sorted) {
    const own = portsOf(slice.ports ?? []);
    for (const port of own) ports.set(portKey(port), port);
    for (const { addresses, conditions, hostname } of slice.endpoints ?? []) {
      if (conditions?.ready === false) {
        leftOut.push(`${addresses.join(', ')} of ${slice.metadata.name}: not ready`);
        continue;
      }
      for (const text of addresses) {
        const parsed = parseIpAddress(text);
        if (parsed === undefined || parsed.family !== slice.addressType) {
          faults.push(`${text} of ${slice.metadata.name}: no ${slice.addressType} address`);
          continue;
        }
        const host = hostOf(hostname, parsed.address);
        // While endpoints move between slices, one may be in two of them.
        const key = `${host} ${parsed.address}`;
        const known = endpoints.get(key)?.ports ?? [];
        endpoints.set(key, { ...parsed, host, ports: distinctPorts([...known, ...own]) });
      }
    }
  }
  leftOut.push(...faults);
  if (endpoints.size === 0) leftOut.push('the cluster has no ready endpoints');
  const inOrder = [...endpoints].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, endpoint]) => endpoint);
  return {
    sources: sorted.map(({ metadata }) => metadata.name),
    endpoints: inOrder,
    ports: distinctPorts([...ports.values()]),
    leftOut,
    faults,
  };
}

/**
 * The address and the ports of a cluster with older software are in its own ServiceImport; its slices only say whether
 * anything is ready there. A headless Service has its pods in the slices, then as now.
 */
function fromOlderImport({ metadata, spec }: ServiceImport, slices: readonly EndpointSlice[], type: ImportType): Found {
  const behind = fromSlices(slices);
  const sources = [metadata.name, ...behind.sources];
  if (spec.type !== type) {
    const reason = `the cluster exports it as ${spec.type}`;
    return { ...behind, sources, endpoints: [], leftOut: [reason], faults: [reason] };
  }
  if (type === 'Headless') return { ...behind, sources };
  const isWithoutPods = slices.length > 0 && behind.endpoints.length === 0;
  const endpoints = (spec.ips ?? []).flatMap((text) => {
    const parsed = parseIpAddress(text);
    return parsed === undefined || isWithoutPods
      ? []
      : [{ ...parsed, host: hostOf(undefined, parsed.address), ports: [] }];
  });
  const leftOut = endpoints.length === 0 ? ['the cluster has no ready endpoints'] : [];
  return { sources, endpoints, ports: portsOf(spec.ports ?? []), leftOut, faults: [] };
}

/** What has no number, or one that is none, cannot be told by SRV. */
export function portsOf(
  ports: readonly { readonly name?: string; readonly protocol?: Protocol; readonly port?: number }[],
): readonly ServedPort[] {
  return ports.flatMap(({ name = '', protocol = 'TCP', port }) => (isPort(port) ? [{ name, protocol, port }] : []));
}

function isPort(port: number | undefined): port is number {
  return port !== undefined && Number.isInteger(port) && port > 0 && port <= 65_535;
}

function distinctPorts(ports: readonly ServedPort[]): readonly ServedPort[] {
  const byKey = new Map(ports.map((port) => [portKey(port), port]));
  return [...byKey].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, port]) => port);
}

export function portKey({ name, protocol, port }: ServedPort): string {
  return `${name} ${protocol} ${port}`;
}

function hostOf(hostname: string | undefined, address: IpAddress): string {
  const lower = hostname?.toLowerCase() ?? '';
  if (isLabel(lower)) return lower;
  // No label begins or ends with a dash, as `::1` would.
  return address.replaceAll(/[.:]/g, '-').replace(/^-/, '0-').replace(/-$/, '-0');
}
