import { isDeepStrictEqual } from 'node:util';
import { type IpAddress, type IpFamily, KeyedCounts } from '@fairlead/control';
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
import type { RuleClaim } from './node-claims.ts';
import { RulesPerNode } from './rules-per-node.ts';

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
  readonly #reported = new KeyedCounts<IpAddress>();
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
    const addresses = this.#serving(service, family).flatMap((name) => {
      const address = this.#nodes.get(name)?.[family];
      return address !== undefined && this.#rules.hasRoom(name, service) ? [address] : [];
    });
    return [...new Set(addresses)].toSorted();
  }

  /** The nodes that serve the Service and have no room for its rules: sorted. */
  nodesWithoutRoom(service: ServiceKey): readonly string[] {
    const serving = new Set(FAMILIES.flatMap((family) => this.#serving(service, family)));
    return [...serving].filter((name) => !this.#rules.hasRoom(name, service)).toSorted();
  }

  /** Whether a node of this cluster has the address. */
  isNode(address: IpAddress): boolean {
    return this.#reported.get(address) > 0;
  }

  /** From now on, changes of the Service's nodes are told. Gives what it changes for others. */
  follow(claim: RuleClaim): readonly BackendsChange[] {
    return this.#refreshOthers(this.#remember(claim));
  }

  unfollow(service: ServiceKey): readonly BackendsChange[] {
    const moved = this.#claimOn(new Set(), service, undefined);
    this.#followed.delete(service);
    return this.#refreshOthers(moved);
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
    if (address !== undefined) this.#reported.add(address, more);
  }

  #refresh(services: readonly string[]): readonly BackendsChange[] {
    return services.map(toServiceKey).flatMap((service) => {
      const before = this.#followed.get(service);
      if (before === undefined) return [];
      const moved = this.#remember(before.claim);
      return [...this.#changed(service, before), ...this.#refreshOthers(moved)];
    });
  }

  /** For those whose rules a node has room for, and had not before, or the other way round. */
  #refreshOthers(services: ReadonlySet<ServiceKey>): readonly BackendsChange[] {
    return [...services].flatMap((service) => {
      const before = this.#followed.get(service);
      if (before === undefined) return [];
      this.#followed.set(service, { ...before, addresses: this.#allAddresses(service) });
      return this.#changed(service, before);
    });
  }

  #changed(service: ServiceKey, before: Followed): readonly BackendsChange[] {
    const after = this.#followed.get(service);
    return FAMILIES.filter((family) => !isDeepStrictEqual(before.addresses[family], after?.addresses[family])).map(
      (family) => ({ service, family }),
    );
  }

  /** The nodes with endpoints of it that take traffic. */
  #serving(service: ServiceKey, family: IpFamily): readonly string[] {
    const hosts = this.#endpoints.hosts(objectKeyOf(service)).filter((host) => host.family === family);
    return [...selectByNode(hosts).keys()].filter((name) => this.#nodes.get(name)?.takesTraffic);
  }

  #allAddresses(service: ServiceKey): Followed['addresses'] {
    return { IPv4: this.addresses(service, 'IPv4'), IPv6: this.addresses(service, 'IPv6') };
  }

  /** Looks at the Service anew; gives those for whom a node has room by this, or has none any more. */
  #remember(claim: RuleClaim): ReadonlySet<ServiceKey> {
    const { service } = claim;
    const hosts = this.#endpoints.hosts(objectKeyOf(service));
    const nodes = new Set(hosts.flatMap(({ nodeName }) => nodeName ?? []));
    const moved = this.#claimOn(nodes, service, claim);
    this.#followed.set(service, { claim, addresses: this.#allAddresses(service), nodes });
    return moved;
  }

  #claimOn(nodes: ReadonlySet<string>, service: ServiceKey, claim: RuleClaim | undefined): ReadonlySet<ServiceKey> {
    const left = [...(this.#followed.get(service)?.nodes ?? [])].filter((name) => !nodes.has(name));
    const moved = left.flatMap((name) => this.#rules.delete(name, service));
    if (claim !== undefined) moved.push(...[...nodes].flatMap((name) => this.#rules.set(name, claim)));
    return new Set(moved);
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
