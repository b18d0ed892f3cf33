import { listOf, textOf, valueAt } from '../../../json.ts';
import { invalid } from '../../requests/refusal.ts';
import type { ResourceStore } from '../store.ts';
import type { KindRules } from './rules.ts';

export const virtualNetworkRules: KindRules = {
  inUseCode: 'InUseVirtualNetworkCannotBeDeleted',
  check({ id, body, before }, store) {
    if (listOf(valueAt(body, 'properties', 'addressSpace', 'addressPrefixes')).length === 0) {
      throw invalid('InvalidRequestFormat', `${id} needs an address space.`);
    }
    const names = new Set<string>();
    for (const subnet of listOf(valueAt(body, 'properties', 'subnets'))) {
      const name = textOf(valueAt(subnet, 'name'));
      if (name === '' || names.has(name.toLowerCase())) {
        throw invalid('DuplicateResourceName', `${id}: each subnet needs a name of its own (${name}).`);
      }
      names.add(name.toLowerCase());
      const one = valueAt(subnet, 'properties', 'addressPrefix');
      if (one === undefined && listOf(valueAt(subnet, 'properties', 'addressPrefixes')).length === 0) {
        throw invalid('InvalidRequestFormat', `${id}: subnet ${name} needs an address prefix.`);
      }
    }
    for (const subnet of listOf(valueAt(before?.body, 'properties', 'subnets'))) {
      const name = textOf(valueAt(subnet, 'name'));
      if (!names.has(name.toLowerCase())) checkSubnetUnused(`${id}/subnets/${name}`, store);
    }
  },
};

/** Throws while something has an address in the subnet. */
export function checkSubnetUnused(id: string, store: ResourceStore): void {
  const [user] = store.usersOfPart(id);
  if (user !== undefined) throw invalid('InUseSubnetCannotBeDeleted', `${id} is in use by ${user.from}.`);
}
