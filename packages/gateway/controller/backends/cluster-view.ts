import { type EndpointSlice, type Node, type ObjectKey } from '@fairlead/kube';
import { EndpointIndex, type GatheredEndpoints, nodeAddress, nodeExclusion } from '@fairlead/service';

/** What stands behind Services: their endpoints, and the nodes that take connections for them. */
export class ClusterView {
  readonly #endpoints = new EndpointIndex();
  readonly #nodes = new Map<string, Node>();
  #eligible: readonly Node[] | undefined;

  constructor(slices: Iterable<EndpointSlice> = [], nodes: Iterable<Node> = []) {
    for (const slice of slices) this.setSlice(slice);
    for (const node of nodes) this.setNode(node);
  }

  /** Gives the keys of the Services that it concerns. */
  setSlice(slice: EndpointSlice): readonly string[] {
    return this.#endpoints.set(slice);
  }

  deleteSlice(slice: ObjectKey): readonly string[] {
    return this.#endpoints.delete(slice);
  }

  /** Whether that makes a difference to any Service. */
  setNode(node: Node): boolean {
    const before = this.#nodes.get(node.metadata.name);
    this.#nodes.set(node.metadata.name, node);
    this.#eligible = undefined;
    return before === undefined || factsOf(before) !== factsOf(node);
  }

  deleteNode(name: string): boolean {
    this.#eligible = undefined;
    return this.#nodes.delete(name);
  }

  endpointsOf(service: ObjectKey): GatheredEndpoints {
    return this.#endpoints.endpoints(service);
  }

  /** The nodes that connections may be sent to, by name. */
  eligibleNodes(): readonly Node[] {
    this.#eligible ??= [...this.#nodes.values()]
      .filter((node) => nodeExclusion(node, 'left-out') === undefined)
      .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
    return this.#eligible;
  }
}

function factsOf(node: Node): string {
  return JSON.stringify([nodeAddress(node, 'IPv4'), nodeAddress(node, 'IPv6'), nodeExclusion(node, 'left-out')]);
}
