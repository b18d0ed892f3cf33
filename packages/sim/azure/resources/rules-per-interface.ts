import { isJsonObject, type JsonObject, listOf, textOf, valueAt } from '../../json.ts';
import { invalid } from '../requests/refusal.ts';
import { lastSegment } from '../requests/target.ts';
import type { Draft } from './kinds/rules.ts';
import type { ResourceStore } from './store.ts';

/** Over all load balancers. An address in a pool stands for the interface that has it. */
const MOST_RULES = 299;

/** The code is a word of our own: Azure's is not published. */
export function checkRulesPerInterface({ id, body, before }: Draft, store: ResourceStore): void {
  const gained = gaining(body, before?.body);
  if (gained.size === 0) return;
  const others = store.ofKind('loadBalancers').filter((other) => other.id.toLowerCase() !== id.toLowerCase());
  const counts = new Map<string, number>();
  for (const one of [body, ...others.map((other) => other.body)]) {
    for (const [address, rules] of rulesPerAddress(one)) {
      if (gained.has(address)) counts.set(address, (counts.get(address) ?? 0) + rules);
    }
  }
  const full = [...counts].find(([, rules]) => rules > MOST_RULES);
  if (full === undefined) return;
  const message = `The interface with ${full[0]} cannot have more than ${MOST_RULES} load balancing rules.`;
  throw invalid('NetworkInterfaceRuleCountLimitReached', message);
}

/** Addresses that more rules lead to than before. */
function gaining(body: JsonObject, before: JsonObject | undefined): ReadonlySet<string> {
  const old = before === undefined ? new Map<string, number>() : rulesPerAddress(before);
  return new Set(
    [...rulesPerAddress(body)]
      .filter(([address, rules]) => rules > (old.get(address) ?? 0))
      .map(([address]) => address),
  );
}

const known = new WeakMap<JsonObject, ReadonlyMap<string, number>>();

function rulesPerAddress(body: JsonObject): ReadonlyMap<string, number> {
  const counted = known.get(body) ?? countRules(body);
  known.set(body, counted);
  return counted;
}

function countRules(body: JsonObject): ReadonlyMap<string, number> {
  const ofPool = new Map<string, number>();
  for (const rule of listOf(valueAt(body, 'properties', 'loadBalancingRules'))) {
    const several = listOf(valueAt(rule, 'properties', 'backendAddressPools'));
    const ids = [valueAt(rule, 'properties', 'backendAddressPool'), ...several].map((to) => textOf(valueAt(to, 'id')));
    for (const name of new Set(ids.filter((id) => id !== '').map((id) => lastSegment(id.toLowerCase())))) {
      ofPool.set(name, (ofPool.get(name) ?? 0) + 1);
    }
  }
  const counts = new Map<string, number>();
  for (const pool of listOf(valueAt(body, 'properties', 'backendAddressPools')).filter(isJsonObject)) {
    const rules = ofPool.get(textOf(pool['name']).toLowerCase()) ?? 0;
    for (const entry of listOf(valueAt(pool, 'properties', 'loadBalancerBackendAddresses'))) {
      const address = textOf(valueAt(entry, 'properties', 'ipAddress')).toLowerCase();
      if (address !== '') counts.set(address, (counts.get(address) ?? 0) + rules);
    }
  }
  return counts;
}
