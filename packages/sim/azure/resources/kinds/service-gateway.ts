import { type JsonObject, textOf, valueAt } from '../../../json.ts';
import { invalid } from '../../requests/refusal.ts';
import type { KindRules } from './rules.ts';

export const serviceGatewayRules: KindRules = {
  inUseCode: 'InUseServiceGatewayCannotBeDeleted',
  check({ id, body, before }) {
    const network = valueAt(body, 'properties', 'virtualNetwork', 'id');
    if (typeof network !== 'string') throw invalid('InvalidRequestFormat', `${id} needs a virtual network.`);
    const sku = textOf(valueAt(body, 'sku', 'name'));
    if (sku !== '' && sku !== 'Standard') throw invalid('InvalidParameter', `${id}: there is no SKU ${sku}.`);
    for (const target of ['routeTargetAddress', 'routeTargetAddressV6']) checkTarget(id, body, network, target);
    const previous = valueAt(before?.body, 'properties', 'virtualNetwork', 'id');
    if (typeof previous === 'string' && previous.toLowerCase() !== network.toLowerCase()) {
      throw invalid('PropertyChangeNotAllowed', `${id}: the virtual network cannot be changed.`);
    }
  },
};

/** What traffic is led to is an address in a subnet of the gateway's network. */
function checkTarget(id: string, body: JsonObject, network: string, name: string): void {
  const target = valueAt(body, 'properties', name);
  if (target === undefined) return;
  const subnet = textOf(valueAt(target, 'subnet', 'id')).toLowerCase();
  if (!subnet.startsWith(`${network.toLowerCase()}/subnets/`)) {
    throw invalid('InvalidRequestFormat', `${id}: ${name} needs a subnet of ${network}.`);
  }
  const isStatic = valueAt(target, 'privateIPAllocationMethod') === 'Static';
  if (isStatic && textOf(valueAt(target, 'privateIPAddress')) === '') {
    throw invalid('InvalidRequestFormat', `${id}: a static ${name} needs its address.`);
  }
}
