import { valueAt } from '../../../json.ts';
import { invalid } from '../../requests/refusal.ts';
import type { KindRules } from './rules.ts';

export const serviceGatewayRules: KindRules = {
  inUseCode: 'InUseServiceGatewayCannotBeDeleted',
  check({ id, body, before }) {
    const network = valueAt(body, 'properties', 'virtualNetwork', 'id');
    if (typeof network !== 'string') throw invalid('InvalidRequestFormat', `${id} needs a virtual network.`);
    const previous = valueAt(before?.body, 'properties', 'virtualNetwork', 'id');
    if (typeof previous === 'string' && previous.toLowerCase() !== network.toLowerCase()) {
      throw invalid('PropertyChangeNotAllowed', `${id}: the virtual network cannot be changed.`);
    }
  },
};
