import { type JsonDraft, listOf, textOf, valueAt } from '../../../json.ts';
import { invalid } from '../../requests/refusal.ts';
import { rootKey } from '../../requests/target.ts';
import type { ResourceStore, StoredResource } from '../store.ts';
import type { Draft, KindRules } from './rules.ts';

const SKUS = ['Basic', 'Standard', 'StandardV2'];

export const publicIpAddressRules: KindRules = {
  inUseCode: 'PublicIPAddressCannotBeDeleted',
  check({ id, body, before }: Draft) {
    const sku = skuOf(body);
    if (!SKUS.includes(sku)) throw invalid('InvalidParameter', `${id}: there is no SKU ${sku}.`);
    const method = valueAt(body, 'properties', 'publicIPAllocationMethod');
    if (sku !== 'Basic' && method !== 'Static') {
      throw invalid('InvalidParameter', `${id}: an address of SKU ${sku} must be allocated statically.`);
    }
    if (before === undefined) return;
    const same = sku === skuOf(before.body) && familyOf(body) === familyOf(before.body);
    if (!same) throw invalid('PropertyChangeNotAllowed', `${id}: SKU and IP version cannot be changed.`);
    const isMoved = placeOf(body) !== placeOf(before.body);
    if (isMoved) throw invalid('PropertyChangeNotAllowed', `${id}: zones and prefix cannot be changed.`);
  },
  derived({ id }: StoredResource, store: ResourceStore) {
    const derived: JsonDraft = {};
    for (const { from } of store.usersOf(id)) {
      if (/\/frontendIPConfigurations\//i.test(from)) derived['ipConfiguration'] = { id: from };
      else derived['natGateway'] = { id: from };
    }
    return derived;
  },
};

/** Where it is, and where it comes from. */
function placeOf(body: Draft['body']): string {
  const zones = listOf(valueAt(body, 'zones')).map(textOf);
  return `${zones.toSorted((left, right) => (left < right ? -1 : 1)).join()} ${textOf(valueAt(body, 'properties', 'publicIPPrefix', 'id'))}`.toLowerCase();
}

function skuOf(body: Draft['body']): string {
  return textOf(valueAt(body, 'sku', 'name')) || 'Basic';
}

export function familyOf(body: Draft['body']): 'IPv4' | 'IPv6' {
  return valueAt(body, 'properties', 'publicIPAddressVersion') === 'IPv6' ? 'IPv6' : 'IPv4';
}

/** A public address belongs to one frontend or NAT gateway, of a SKU that goes with its own. */
export function checkPublicIpUse(
  user: string,
  target: string,
  store: ResourceStore,
  sku: { readonly name: string; readonly code: string },
): void {
  const address = store.find(target);
  if (valueAt(address?.body, 'sku', 'name') !== sku.name) {
    throw invalid(sku.code, `${user} needs a public IP address of SKU ${sku.name}; ${target} is of another.`);
  }
  const other = store.usersOf(target).find(({ from }) => rootKey(from) !== rootKey(user));
  if (other === undefined) return;
  throw invalid('PublicIPAddressInUse', `${user} refers to ${target}, which is already allocated to ${other.from}.`);
}
