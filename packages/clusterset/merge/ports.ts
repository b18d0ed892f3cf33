import type { ImportedPort } from '../mcs/types.ts';

/**
 * `intersection`: only ports that every cluster exposes, so that no connection is led to a cluster that does not have
 * its port. `union`: all of them, as KEP-1645 has it; of two that exclude each other, that of the older export.
 */
export type PortPolicy = 'intersection' | 'union';

/** The ports of one cluster. */
export interface ClusterPorts {
  readonly cluster: string;
  readonly ports: readonly ImportedPort[];
}

export interface MergedPorts {
  readonly ports: readonly ImportedPort[];
  /** What the clusters do not agree upon: `metrics TCP/9090, exposed by b`. */
  readonly differences: readonly { readonly text: string; readonly clusters: readonly string[] }[];
}

/** Merges the ports of clusters that are sorted by age, the oldest first. */
export function mergePorts(sorted: readonly ClusterPorts[], policy: PortPolicy): MergedPorts {
  const offers = offersOf(sorted);
  const kept: Offer[] = [];
  const differences: { text: string; clusters: readonly string[] }[] = [];
  for (const offer of offers) {
    const { port, clusters, appProtocols } = offer;
    const isCommon = clusters.length === sorted.length;
    const isServed = policy === 'union' ? !kept.some((other) => excludes(other.port, port)) : isCommon;
    if (isServed) kept.push(offer);
    if (!isCommon) differences.push({ text: portText(port), clusters });
    else if (appProtocols.size > 1) {
      differences.push({ text: `${portText(port)} as ${[...appProtocols].join(' or ')}`, clusters });
    }
  }
  return { ports: kept.map(({ port }) => port), differences };
}

/** `http TCP/80`, or `TCP/80` where it has no name. */
export function portText({ name = '', protocol = 'TCP', port }: ImportedPort): string {
  return `${name === '' ? '' : `${name} `}${protocol}/${port}`;
}

interface Offer {
  /** As the oldest of its clusters has it. */
  readonly port: ImportedPort;
  readonly clusters: string[];
  readonly appProtocols: Set<string>;
}

/** Every different port, in the order in which the oldest clusters list them. */
function offersOf(sorted: readonly ClusterPorts[]): readonly Offer[] {
  const offers = new Map<string, Offer>();
  for (const { cluster, ports } of sorted) {
    for (const port of ports) {
      const id = portText(port);
      const offer = offers.get(id) ?? { port, clusters: [], appProtocols: new Set() };
      offers.set(id, offer);
      if (offer.clusters.at(-1) !== cluster) offer.clusters.push(cluster);
      offer.appProtocols.add(port.appProtocol ?? 'none');
    }
  }
  return [...offers.values()];
}

/** A Service can have neither two ports of one name nor one number twice. */
export function excludes(left: ImportedPort, right: ImportedPort): boolean {
  if ((left.name ?? '') === (right.name ?? '')) return true;
  return (left.protocol ?? 'TCP') === (right.protocol ?? 'TCP') && left.port === right.port;
}
