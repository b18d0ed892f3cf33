import { isDeepStrictEqual } from 'node:util';
import type { IpAddress, IpFamily } from '@fairlead/control';
import type { EndpointSlice, Node, ObjectKey } from '@fairlead/kube';
import {
  EndpointIndex,
  nodeAddress,
  nodeExclusion,
  objectKeyOf,
  type ServiceKey,
  selectByNode,
  toServiceKey,
} from '@fairlead/service';

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];

/** What a node is to the load balancers. */
interface KnownNode extends Readonly<Record<IpFamily, IpAddress | undefined>> {
  readonly takesTraffic: boolean;
}

/** What was last told of a Service that is followed. */
interface Followed {
  readonly addresses: Readonly<Record<IpFamily, readonly IpAddress[]>>;
  readonly nodes: ReadonlySet<string>;
}

/** The nodes that serve a Service changed, in this family. */
export interface BackendsChange {
  readonly service: ServiceKey;
  readonly family: IpFamily;
}

/**
 * Which nodes serve which Service, from all its EndpointSlices and from the nodes' own addresses. A change costs as
 * much as the Services it concerns, and gives what changed for those that are followed.
 */
export class BackendTracker {
  readonly #endpoints = new EndpointIndex();
  readonly #nodes = new Map<string, KnownNode>();
  /** Address -> how many nodes report it. */
  readonly #reported = new Map<IpAddress, number>();
  readonly #followed = new Map<ServiceKey, Followed>();
  /** Node -> the followed Services with endpoints on it. */
  readonly #followersOf = new Map<string, Set<ServiceKey>>();

  setSlice(slice: EndpointSlice): readonly BackendsChange[] {
    return this.#refresh(this.#endpoints.set(slice));
  }

  deleteSlice(slice: ObjectKey): readonly BackendsChange[] {
    return this.#refresh(this.#endpoints.delete(slice));
  }

  setNode(node: Node): readonly BackendsChange[] {
    return this.#setNode(node.metadata.name, toKnownNode(node));
  }

  deleteNode(name: string): readonly BackendsChange[] {
    return this.#setNode(name, undefined);
  }

  /** The addresses of the nodes that serve the Service now: sorted, each once. */
  addresses(service: ServiceKey, family: IpFamily): readonly IpAddress[] {
    const hosts = this.#endpoints.hosts(objectKeyOf(service)).filter((host) => host.family === family);
    const addresses = [...selectByNode(hosts).keys()].flatMap((name) => {
      const node = this.#nodes.get(name);
      return node?.takesTraffic ? (node[family] ?? []) : [];
    });
    return [...new Set(addresses)].toSorted();
  }

  /** Whether a node of this cluster has the address. */
  isNode(address: IpAddress): boolean {
    return this.#reported.has(address);
  }

  /** From now on, changes of the Service's nodes are told. */
  follow(service: ServiceKey): void {
    this.#remember(service, this.#look(service));
  }

  unfollow(service: ServiceKey): void {
    this.#remember(service, undefined);
  }

  #setNode(name: string, after: KnownNode | undefined): readonly BackendsChange[] {
    const before = this.#nodes.get(name);
    if (isDeepStrictEqual(before, after)) return [];
    for (const family of FAMILIES) {
      this.#count(before?.[family], -1);
      this.#count(after?.[family], 1);
    }
    if (after === undefined) this.#nodes.delete(name);
    else this.#nodes.set(name, after);
    return this.#refresh([...(this.#followersOf.get(name) ?? [])]);
  }

  #count(address: IpAddress | undefined, more: 1 | -1): void {
    if (address === undefined) return;
    const count = (this.#reported.get(address) ?? 0) + more;
    if (count === 0) this.#reported.delete(address);
    else this.#reported.set(address, count);
  }

  #refresh(services: readonly string[]): readonly BackendsChange[] {
    return services.map(toServiceKey).flatMap((service) => {
      const before = this.#followed.get(service);
      if (before === undefined) return [];
      const after = this.#look(service);
      this.#remember(service, after);
      const changed = FAMILIES.filter(
        (family) => !isDeepStrictEqual(before.addresses[family], after.addresses[family]),
      );
      return changed.map((family) => ({ service, family }));
    });
  }

  #look(service: ServiceKey): Followed {
    const hosts = this.#endpoints.hosts(objectKeyOf(service));
    const nodes = new Set(hosts.flatMap(({ nodeName }) => nodeName ?? []));
    const addresses = { IPv4: this.addresses(service, 'IPv4'), IPv6: this.addresses(service, 'IPv6') };
    return { addresses, nodes };
  }

  #remember(service: ServiceKey, after: Followed | undefined): void {
    for (const name of this.#followed.get(service)?.nodes ?? []) {
      const followers = this.#followersOf.get(name);
      followers?.delete(service);
      if (followers?.size === 0) this.#followersOf.delete(name);
    }
    if (after === undefined) {
      this.#followed.delete(service);
      return;
    }
    this.#followed.set(service, after);
    for (const name of after.nodes) {
      const followers = this.#followersOf.get(name);
      if (followers === undefined) this.#followersOf.set(name, new Set([service]));
      else followers.add(service);
    }
  }
}

/** A node that is not ready takes traffic: the probe notices sooner that it does not, and nothing is to be written. */
function toKnownNode(node: Node): KnownNode {
  return {
    takesTraffic: nodeExclusion(node, 'left-to-health-checks') === undefined,
    IPv4: nodeAddress(node, 'IPv4'),
    IPv6: nodeAddress(node, 'IPv6'),
  };
}
