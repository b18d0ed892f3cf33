import type { ImportType, ServiceImport } from '@fairlead/clusterset/mcs';
import { type IpAddress, type IpFamily, parseIpAddress } from '@fairlead/control';
import type { EndpointSlice } from '@fairlead/kube';
import { isLabel } from '../wire/index.ts';
import { distinctPorts, importedAddresses, importedPorts, portKey, portsOf, type ServedPort } from './imported.ts';
import { subjectOfImport, subjectOfSlice, type ServiceView } from './service-view.ts';
import type { ZoneSettings } from './settings.ts';

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

/** Endpoints times ports of one Service: each is a record under several names, and no reply has room for more. */
const MOST_ENDPOINT_PORTS = 4_000;
const MOST_CLUSTERS = 200;
/** What is left out is told so often at most, for each cluster and reason. */
const MOST_TOLD = 100;

/** What each cluster contributes: this cluster first, then by name. */
export function clusterShares(view: ServiceView, type: ImportType, settings: ZoneSettings): readonly ClusterShare[] {
  const slices = Map.groupBy(view.slices, ({ metadata }) => subjectOfSlice(metadata)?.cluster ?? '');
  const older = new Map(honouredImports(view, settings).map((one) => [clusterOf(one, settings), one]));
  const clusters = [...new Set([...slices.keys(), ...older.keys()])].filter((cluster) => cluster !== '');
  const sorted = clusters.toSorted(
    (left, right) => rank(left, settings) - rank(right, settings) || (left < right ? -1 : 1),
  );
  const served = sorted.slice(0, MOST_CLUSTERS);
  const allotments = allot(new Map(served.map((cluster) => [cluster, demandOf(slices.get(cluster) ?? [])])));
  return sorted.map((cluster) => {
    const own = slices.get(cluster) ?? [];
    const olderImport = older.get(cluster);
    const most = allotments.get(cluster);
    const isNameable = cluster.split('.').every(isLabel);
    const share = { cluster, isLocal: cluster === settings.cluster, isNameable };
    if (most === undefined) return { ...share, ...OVERLOOKED };
    return {
      ...share,
      ...(olderImport === undefined ? fromSlices(own, most) : fromOlderImport(olderImport, own, type, most)),
    };
  });
}

/**
 * How much of the Service each cluster may have: labels are easily made up, and one Service cannot keep the server from
 * answering for all others. Clusters that need less than an equal part leave the rest to the others.
 */
function allot(demands: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  let left = MOST_ENDPOINT_PORTS;
  let clusters = demands.size;
  return new Map(
    [...demands]
      .toSorted(([, one], [, other]) => one - other)
      .map(([cluster, demand]) => {
        const most = Math.min(demand, Math.floor(left / clusters));
        left -= most;
        clusters -= 1;
        return [cluster, most];
      }),
  );
}

/** Of ready endpoints; no more than all may have, whatever there is. */
function demandOf(slices: readonly EndpointSlice[]): number {
  let demand = 0;
  for (const slice of slices) {
    const cost = costOf(slice);
    const before = demand;
    for (const { addresses, conditions } of slice.endpoints ?? []) {
      if (conditions?.ready !== false) demand += addresses.length * cost;
      if (demand >= MOST_ENDPOINT_PORTS) return MOST_ENDPOINT_PORTS;
    }
    if (demand === before) demand += cost;
  }
  return Math.min(demand, MOST_ENDPOINT_PORTS);
}

/** Of one endpoint. */
function costOf({ ports }: EndpointSlice): number {
  return Math.max(1, ports?.length ?? 0);
}

/** Only of clusters that the operator named: it is theirs to say that they are trusted. */
export function honouredImports({ olderImports }: ServiceView, settings: ZoneSettings): readonly ServiceImport[] {
  return olderImports.filter((one) => settings.olderClusters.includes(clusterOf(one, settings)));
}

function clusterOf(one: ServiceImport, { olderNamespace }: ZoneSettings): string {
  return subjectOfImport(one, olderNamespace).cluster ?? '';
}

function rank(cluster: string, settings: ZoneSettings): number {
  return cluster === settings.cluster ? 0 : 1;
}

type Found = Pick<ClusterShare, 'sources' | 'endpoints' | 'ports' | 'leftOut' | 'faults'>;

const TOO_MANY_CLUSTERS = `more than ${MOST_CLUSTERS} clusters have the Service`;
const OVERLOOKED: Found = {
  sources: [],
  endpoints: [],
  ports: [],
  leftOut: [TOO_MANY_CLUSTERS],
  faults: [TOO_MANY_CLUSTERS],
};

/** Takes `most` endpoints, times their ports; costs no more than that, whatever the slices hold. */
function fromSlices(slices: readonly EndpointSlice[], most: number): Found {
  const endpoints = new Map<string, ServedEndpoint>();
  const ports = new Map<string, ServedPort>();
  const unready = new LimitedLines();
  const unsound = new LimitedLines();
  let left = most;
  let beyond = 0;
  const sorted = slices.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  for (const slice of sorted) {
    const cost = costOf(slice);
    const all = slice.endpoints ?? [];
    if (left < cost) {
      beyond += all.length;
      continue;
    }
    const begun = left;
    const own = distinctPorts(portsOf(slice.ports ?? []));
    for (const port of own) ports.set(portKey(port), port);
    for (const [at, { addresses, conditions, hostname }] of all.entries()) {
      if (conditions?.ready === false) {
        unready.add(() => `${addresses.join(', ')} of ${slice.metadata.name}: not ready`);
        continue;
      }
      if (left < cost * addresses.length) {
        beyond += all.length - at;
        break;
      }
      left -= cost * addresses.length;
      for (const text of addresses) {
        const parsed = parseIpAddress(text);
        if (parsed === undefined || parsed.family !== slice.addressType) {
          unsound.add(() => `${text} of ${slice.metadata.name}: no ${slice.addressType} address`);
          continue;
        }
        const host = hostOf(hostname, parsed.address);
        // While endpoints move between slices, one may be in two of them.
        const key = `${host} ${parsed.address}`;
        const known = endpoints.get(key)?.ports;
        const both = known === undefined || known === own ? own : distinctPorts([...known, ...own]);
        endpoints.set(key, { ...parsed, host, ports: both });
      }
    }
    // To read its ports takes as long as to read an endpoint.
    if (left === begun) left -= cost;
  }
  const faults = [
    ...unsound.lines,
    ...(beyond === 0 ? [] : [`${beyond} endpoints: with their ports, they are more than ${most}`]),
  ];
  const inOrder = [...endpoints].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, endpoint]) => endpoint);
  return {
    sources: sorted.map(({ metadata }) => metadata.name),
    endpoints: inOrder,
    ports: distinctPorts([...ports.values()]),
    leftOut: [...unready.lines, ...faults, ...(endpoints.size === 0 ? ['the cluster has no ready endpoints'] : [])],
    faults,
  };
}

/** Lines for `why` and the status page: the first few, and how many more there are. */
class LimitedLines {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: () => string): void {
    if (this.#lines.length < MOST_TOLD) this.#lines.push(line());
    else this.#more += 1;
  }

  get lines(): readonly string[] {
    return this.#more === 0 ? this.#lines : [...this.#lines, `and ${this.#more} more of this kind`];
  }
}

/**
 * The address and the ports of a cluster with older software are in its own ServiceImport; its slices only say whether
 * anything is ready there. A headless Service has its pods in the slices, then as now.
 */
function fromOlderImport(
  { metadata, spec }: ServiceImport,
  slices: readonly EndpointSlice[],
  type: ImportType,
  most: number,
): Found {
  const behind = fromSlices(slices, most);
  const sources = [metadata.name, ...behind.sources];
  if (spec.type !== type) {
    const reason = `the cluster exports it as ${spec.type}`;
    return { ...behind, sources, endpoints: [], leftOut: [reason], faults: [reason] };
  }
  if (type === 'Headless') return { ...behind, sources };
  const isWithoutPods = slices.length > 0 && behind.endpoints.length === 0;
  const { addresses, leftOut: otherAddresses } = importedAddresses(spec);
  const { ports, leftOut: otherPorts } = importedPorts(spec);
  const endpoints = isWithoutPods
    ? []
    : addresses.map((parsed) => ({ ...parsed, host: hostOf(undefined, parsed.address), ports: [] }));
  const beyond = [...otherPorts, ...otherAddresses];
  const leftOut = endpoints.length === 0 ? ['the cluster has no ready endpoints', ...beyond] : beyond;
  return { sources, endpoints, ports, leftOut, faults: [] };
}

function hostOf(hostname: string | undefined, address: IpAddress): string {
  const lower = hostname?.toLowerCase() ?? '';
  if (isLabel(lower)) return lower;
  // No label begins or ends with a dash, as `::1` would.
  return address.replaceAll(/[.:]/g, '-').replace(/^-/, '0-').replace(/-$/, '-0');
}
