import { listOf, textOf, valueAt } from '../../../json.ts';
import { invalid } from '../../requests/refusal.ts';
import type { KindRules } from './rules.ts';

const LOWEST_PRIORITY = 100;
const HIGHEST_PRIORITY = 4096;
const LONGEST_DESCRIPTION = 140;

export const networkSecurityGroupRules: KindRules = {
  inUseCode: 'InUseNetworkSecurityGroupCannotBeDeleted',
  check({ id, body }) {
    const names = new Set<string>();
    const taken = new Map<string, string>();
    for (const rule of listOf(valueAt(body, 'properties', 'securityRules'))) {
      const name = textOf(valueAt(rule, 'name'));
      if (name === '' || names.has(name.toLowerCase())) {
        throw invalid('DuplicateResourceName', `${id}: each rule needs a name of its own (${name}).`);
      }
      names.add(name.toLowerCase());
      const priority = Number(valueAt(rule, 'properties', 'priority'));
      if (!(priority >= LOWEST_PRIORITY && priority <= HIGHEST_PRIORITY)) {
        throw invalid('SecurityRuleInvalidPriority', `${id}: rule ${name} has the priority ${priority}.`);
      }
      if (textOf(valueAt(rule, 'properties', 'description')).length > LONGEST_DESCRIPTION) {
        throw invalid('SecurityRuleInvalidDescription', `${id}: the description of rule ${name} is too long.`);
      }
      const place = `${textOf(valueAt(rule, 'properties', 'direction'))} ${priority}`;
      const other = taken.get(place);
      if (other !== undefined) {
        throw invalid('SecurityRuleConflict', `${id}: rules ${other} and ${name} are both ${place}.`);
      }
      taken.set(place, name);
    }
  },
  derived({ id }, store) {
    const subnets = store.usersOf(id).filter(({ from }) => /\/subnets\//i.test(from));
    return subnets.length === 0 ? {} : { subnets: subnets.map(({ from }) => ({ id: from })) };
  },
};
