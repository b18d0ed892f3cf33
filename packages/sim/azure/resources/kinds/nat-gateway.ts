import { listOf, textOf, valueAt } from '../../../json.ts';
import { invalid } from '../../requests/refusal.ts';
import { checkPublicIpUse, familyOf } from './public-ip-address.ts';
import type { KindRules } from './rules.ts';

const FAMILIES = { publicIpAddresses: 'IPv4', publicIpAddressesV6: 'IPv6' } as const;

export const natGatewayRules: KindRules = {
  inUseCode: 'InUseNatGatewayCannotBeDeleted',
  check({ id, body }, store) {
    const sku = textOf(valueAt(body, 'sku', 'name'));
    if (sku !== 'Standard' && sku !== 'StandardV2') throw invalid('InvalidParameter', `${id}: there is no SKU ${sku}.`);
    for (const [list, family] of Object.entries(FAMILIES)) {
      for (const reference of listOf(valueAt(body, 'properties', list))) {
        const target = textOf(valueAt(reference, 'id'));
        checkPublicIpUse(id, target, store, { name: sku, code: 'PublicIPAndNatGatewaySkuDoNotMatch' });
        const address = store.find(target);
        if (address !== undefined && familyOf(address.body) !== family) {
          throw invalid('InvalidRequestFormat', `${id}: ${target} in ${list} is not ${family}.`);
        }
      }
    }
  },
  checkDeletion({ id, body }) {
    const gateway = valueAt(body, 'properties', 'serviceGateway', 'id');
    if (gateway === undefined) return;
    throw invalid('InUseNatGatewayCannotBeDeleted', `${id} serves ${textOf(gateway)}: detach it first.`);
  },
  derived({ id }, store) {
    const subnets = store.usersOf(id).filter(({ from }) => /\/subnets\//i.test(from));
    return subnets.length === 0 ? {} : { subnets: subnets.map(({ from }) => ({ id: from })) };
  },
};
