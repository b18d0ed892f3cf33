import { familyOf, type IpAddress, type IpFamily, SetMultimap } from '@fairlead/control';
import type { Node } from '@fairlead/kube';
import { nodeAddress } from '@fairlead/service';
import type { AddressKey } from '../engine/address-table.ts';

type NodeAddresses = Readonly<Record<IpFamily, IpAddress | undefined>>;

const NO_WATCHERS: ReadonlySet<string> = new Set();

/** Where the nodes are, and who wants to know. An address sits under the IP of its own family. */
export class NodeDirectory {
  readonly #nodes = new Map<string, NodeAddresses>();
  /** Node -> its watchers, whether or not it is known. */
  readonly #watchers = new SetMultimap<string, string>();
  /** How many nodes have an address of each family. */
  readonly #counts: Record<IpFamily, number> = { IPv4: 0, IPv6: 0 };
  /** Asker -> the nodes it asked for. */
  readonly #watched = new Map<string, ReadonlySet<string>>();

  /** Takes a node as it is now. Gives those who have to look again, if its addresses changed. */
  set(node: Node): ReadonlySet<string> {
    const { name } = node.metadata;
    const before = this.#nodes.get(name);
    const after = { IPv4: nodeAddress(node, 'IPv4'), IPv6: nodeAddress(node, 'IPv6') };
    if (before !== undefined && before.IPv4 === after.IPv4 && before.IPv6 === after.IPv6) return NO_WATCHERS;
    this.#nodes.set(name, after);
    this.#count(before, -1);
    this.#count(after, 1);
    return this.#watchersOf(name);
  }

  delete(name: string): ReadonlySet<string> {
    const before = this.#nodes.get(name);
    if (before === undefined) return NO_WATCHERS;
    this.#nodes.delete(name);
    this.#count(before, -1);
    return this.#watchersOf(name);
  }

  /** The families that some node has, IPv4 first; IPv4 as long as no node is known. */
  get families(): readonly IpFamily[] {
    const { IPv4, IPv6 } = this.#counts;
    if (IPv6 === 0) return ['IPv4'];
    return IPv4 === 0 ? ['IPv6'] : ['IPv4', 'IPv6'];
  }

  /** The entry of an address on a node; undefined while the node, or its IP of that family, is not known. */
  addressKeyOf(address: IpAddress, nodeName: string | undefined): AddressKey | undefined {
    const location = nodeName === undefined ? undefined : this.#nodes.get(nodeName)?.[familyOf(address)];
    return location === undefined ? undefined : { location, address };
  }

  /** From now on the watcher is told when one of these nodes changes, and of no other. */
  watch(watcher: string, nodes: ReadonlySet<string>): void {
    for (const node of this.#watched.get(watcher) ?? []) if (!nodes.has(node)) this.#watchers.delete(node, watcher);
    for (const node of nodes) this.#watchers.add(node, watcher);
    if (nodes.size === 0) this.#watched.delete(watcher);
    else this.#watched.set(watcher, nodes);
  }

  #count(addresses: NodeAddresses | undefined, by: 1 | -1): void {
    for (const family of ['IPv4', 'IPv6'] as const) if (addresses?.[family] !== undefined) this.#counts[family] += by;
  }

  #watchersOf(name: string): ReadonlySet<string> {
    return new Set(this.#watchers.get(name));
  }
}
