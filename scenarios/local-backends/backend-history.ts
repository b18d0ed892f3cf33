import { type EndpointSlice, type IpFamily, type Node, SERVICE_NAME_LABEL } from '@fairlead/kube';

const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
const AUTOSCALER_TAINT = 'ToBeDeletedByClusterAutoscaler';

/** Node -> its address of each family; without the nodes that take no traffic. */
type Addresses = ReadonlyMap<string, Readonly<Partial<Record<IpFamily, string>>>>;
/** The nodes that serve a Service, by family. */
type Hosts = Readonly<Record<IpFamily, readonly string[]>>;

/** Both are told by a watch of its own, so that a listener may have heard more of the one than of the other. */
interface Moment {
  readonly endpoints: number;
  readonly nodes: number;
}

const NO_HOSTS: Hosts = { IPv4: [], IPv6: [] };
const BEGINNING: readonly Moment[] = [{ endpoints: 0, nodes: 0 }];

/**
 * Everything that was ever true of endpoints and nodes, worked out from the objects without any help of the part. It
 * tells what a pool should hold, and whether what is written to one was true at some moment, and not at an older one
 * than what was written to it before.
 */
export class BackendHistory {
  #nodes: Addresses[] = [new Map()];
  readonly #hosts = new Map<string, Hosts[]>();
  /** Pool -> the earliest moments at which what it holds was true. */
  readonly #moments = new Map<string, readonly Moment[]>();

  /** To be told after every change of either. */
  note(slices: readonly EndpointSlice[], nodes: readonly Node[]): void {
    const addresses = addressesOf(nodes);
    if (textOf(addresses) !== textOf(this.#nodes.at(-1))) this.#nodes.push(addresses);
    const services = new Set(slices.map(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] ?? ''));
    for (const service of new Set([...services, ...this.#hosts.keys()])) {
      const own = slices.filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === service);
      const hosts = { IPv4: hostsIn(own, 'IPv4'), IPv6: hostsIn(own, 'IPv6') };
      const known = this.#hostsOf(service);
      if (JSON.stringify(hosts) !== JSON.stringify(known.at(-1))) known.push(hosts);
    }
  }

  /** What the pool of the Service should hold now: sorted. */
  wanted(service: string, family: IpFamily): readonly string[] {
    const hosts = this.#hostsOf(service);
    return this.#wantedAt(service, family, { endpoints: hosts.length - 1, nodes: this.#nodes.length - 1 });
  }

  /** How often endpoints of the Service, or nodes, have changed. */
  changesOf(service: string): number {
    return this.#hostsOf(service).length + this.#nodes.length;
  }

  /** Something was written to a pool. False when it was never right, or only before what the pool held until then. */
  explains(pool: string, service: string, family: IpFamily, content: readonly string[]): boolean {
    const text = content.join();
    const candidates: Moment[] = [];
    for (let endpoints = 0; endpoints < this.#hostsOf(service).length; endpoints += 1) {
      for (let nodes = 0; nodes < this.#nodes.length; nodes += 1) {
        const moment = { endpoints, nodes };
        const isLater = (this.#moments.get(pool) ?? BEGINNING).some((earlier) => isNotAfter(earlier, moment));
        if (isLater && this.#wantedAt(service, family, moment).join() === text) candidates.push(moment);
      }
    }
    if (candidates.length === 0) return false;
    const earliest = candidates.filter(
      (moment) => !candidates.some((other) => other !== moment && isNotAfter(other, moment)),
    );
    this.#moments.set(pool, earliest);
    return true;
  }

  #hostsOf(service: string): Hosts[] {
    const known = this.#hosts.get(service);
    if (known !== undefined) return known;
    const hosts = [NO_HOSTS];
    this.#hosts.set(service, hosts);
    return hosts;
  }

  #wantedAt(service: string, family: IpFamily, moment: Moment): readonly string[] {
    const addresses = this.#nodes[moment.nodes];
    const hosts = this.#hostsOf(service)[moment.endpoints]?.[family] ?? [];
    return hosts.flatMap((node) => addresses?.get(node)?.[family] ?? []).toSorted();
  }
}

function isNotAfter(left: Moment, right: Moment): boolean {
  return left.endpoints <= right.endpoints && left.nodes <= right.nodes;
}

function addressesOf(nodes: readonly Node[]): Addresses {
  const taking = nodes.filter(
    ({ metadata, spec }) =>
      metadata.labels?.[EXCLUDE_LABEL] === undefined &&
      metadata.deletionTimestamp === undefined &&
      spec?.taints?.some(({ key }) => key === AUTOSCALER_TAINT) !== true,
  );
  return new Map(
    taking.map(({ metadata, status }) => {
      const internal = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
      const byFamily = internal.map(({ address }) => [address.includes(':') ? 'IPv6' : 'IPv4', address] as const);
      return [metadata.name, Object.fromEntries(byFamily)];
    }),
  );
}

/**
 * The nodes on which something is ready, or on which the last is finishing. An address that is in two slices, dying in
 * one and living in the other, has passed on to the living.
 */
function hostsIn(slices: readonly EndpointSlice[], family: IpFamily): readonly string[] {
  const listed = slices.flatMap(({ addressType, endpoints }) => (addressType === family ? (endpoints ?? []) : []));
  const serving = new Set<string>();
  for (const same of Map.groupBy(listed, ({ addresses }) => addresses[0]).values()) {
    const isReady = same.some(({ conditions }) => conditions?.ready ?? true);
    const isFinishing = same.every(({ conditions }) => conditions?.terminating ?? false);
    const serves = isReady || (isFinishing && same.some(({ conditions }) => conditions?.serving ?? true));
    const [node] = same.flatMap(({ nodeName }) => nodeName ?? []);
    if (serves && node !== undefined) serving.add(node);
  }
  return [...serving].toSorted();
}

function textOf(addresses: Addresses | undefined): string {
  return JSON.stringify([...(addresses ?? [])]);
}
