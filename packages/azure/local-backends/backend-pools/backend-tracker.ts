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
import { type RuleClaim, RulesPerNode } from './rules-per-node.ts';

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];

/** What a node is to the load balancers. */
interface KnownNode extends Readonly<Record<IpFamily, IpAddress | undefined>> {
  readonly takesTraffic: boolean;
}

/** What was last told of a Service that is followed. */
interface Followed {
  readonly claim: RuleClaim;
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
  /** Of the Services that are followed, on each node that they have endpoints on. */
  readonly #rules = new RulesPerNode();

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

  /** The addresses of the nodes that serve the Service now and have room for its rules: sorted, each once. */
  addresses(service: ServiceKey, family: IpFamily): readonly IpAddress[] {
    return this.#addresses(this.#claimOf(service), family);
  }

  /** The nodes that serve the Service and have no room for its rules: sorted. */
  nodesWithoutRoom(service: ServiceKey): readonly string[] {
    const claim = this.#claimOf(service);
    const serving = new Set(FAMILIES.flatMap((family) => this.#serving(service, family)));
    return [...serving].filter((name) => !this.#rules.hasRoom(name, claim)).toSorted();
  }

  /** Whether a node of this cluster has the address. */
  isNode(address: IpAddress): boolean {
    return this.#reported.has(address);
  }

  /** From now on, changes of the Service's nodes are told. Gives what it changes for others. */
  follow(claim: RuleClaim): readonly BackendsChange[] {
    const { service } = claim;
    return this.#crowding(service, () => this.#remember(service, this.#look(claim)));
  }

  unfollow(service: ServiceKey): readonly BackendsChange[] {
    return this.#crowding(service, () => this.#remember(service, undefined));
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
    return this.#refresh(this.#rules.claimants(name));
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
      const others = this.#crowding(service, () => this.#remember(service, this.#look(before.claim)));
      return [...this.#changed(service, before), ...others];
    });
  }

  /** Does it, and gives what it changes for the other Services on nodes that have not room for all. */
  #crowding(service: ServiceKey, work: () => void): readonly BackendsChange[] {
    const crowded = new Set(this.#crowdedNodes(service));
    work();
    for (const name of this.#crowdedNodes(service)) crowded.add(name);
    const others = new Set([...crowded].flatMap((name) => this.#rules.claimants(name)));
    others.delete(service);
    return [...others].flatMap((other) => {
      const before = this.#followed.get(other);
      if (before === undefined) return [];
      this.#remember(other, this.#look(before.claim));
      return this.#changed(other, before);
    });
  }

  #crowdedNodes(service: ServiceKey): readonly string[] {
    return [...(this.#followed.get(service)?.nodes ?? [])].filter((name) => this.#rules.isCrowded(name));
  }

  #changed(service: ServiceKey, before: Followed): readonly BackendsChange[] {
    const after = this.#followed.get(service);
    return FAMILIES.filter((family) => !isDeepStrictEqual(before.addresses[family], after?.addresses[family])).map(
      (family) => ({ service, family }),
    );
  }

  #addresses(claim: RuleClaim, family: IpFamily): readonly IpAddress[] {
    const addresses = this.#serving(claim.service, family).flatMap((name) => {
      const address = this.#nodes.get(name)?.[family];
      return address !== undefined && this.#rules.hasRoom(name, claim) ? [address] : [];
    });
    return [...new Set(addresses)].toSorted();
  }

  /** The nodes with endpoints of it that take traffic. */
  #serving(service: ServiceKey, family: IpFamily): readonly string[] {
    const hosts = this.#endpoints.hosts(objectKeyOf(service)).filter((host) => host.family === family);
    return [...selectByNode(hosts).keys()].filter((name) => this.#nodes.get(name)?.takesTraffic);
  }

  #claimOf(service: ServiceKey): RuleClaim {
    return this.#followed.get(service)?.claim ?? { service, rules: 0, createdAt: '' };
  }

  #look(claim: RuleClaim): Followed {
    const hosts = this.#endpoints.hosts(objectKeyOf(claim.service));
    const nodes = new Set(hosts.flatMap(({ nodeName }) => nodeName ?? []));
    const addresses = { IPv4: this.#addresses(claim, 'IPv4'), IPv6: this.#addresses(claim, 'IPv6') };
    return { claim, addresses, nodes };
  }

  #remember(service: ServiceKey, after: Followed | undefined): void {
    for (const name of this.#followed.get(service)?.nodes ?? []) {
      if (!after?.nodes.has(name)) this.#rules.delete(name, service);
    }
    if (after === undefined) {
      this.#followed.delete(service);
      return;
    }
    this.#followed.set(service, after);
    for (const name of after.nodes) this.#rules.set(name, after.claim);
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
