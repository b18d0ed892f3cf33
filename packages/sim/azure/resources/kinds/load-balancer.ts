import { isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf, valueAt } from '../../../json.ts';
import { invalid, invalidReference } from '../../requests/refusal.ts';
import { checkRulesPerInterface } from '../rules-per-interface.ts';
import type { ResourceStore, StoredResource } from '../store.ts';
import { checkPublicIpUse } from './public-ip-address.ts';
import type { Draft, KindRules } from './rules.ts';

const SKUS = ['Standard', 'Service'];
const HIGHEST_PORT = 65_534;
/** In minutes. */
const IDLE_TIMEOUTS = { Service: { minimum: 4, maximum: 30 }, Standard: { minimum: 4, maximum: 100 } };
const LISTS = ['frontendIPConfigurations', 'backendAddressPools', 'loadBalancingRules', 'probes'] as const;

export const loadBalancerRules: KindRules = {
  inUseCode: 'InUseLoadBalancerCannotBeDeleted',
  check(draft, store) {
    const { id, body, before } = draft;
    const sku = skuOf(body);
    if (!SKUS.includes(sku)) throw invalid('InvalidParameter', `${id}: there is no SKU ${sku}.`);
    if (before !== undefined && skuOf(before.body) !== sku) {
      throw invalid('PropertyChangeNotAllowed', `${id}: the SKU cannot be changed.`);
    }
    for (const list of LISTS) checkNames(id, list, partsOf(body, list));
    const frontends = partsOf(body, 'frontendIPConfigurations');
    for (const frontend of frontends) checkFrontend(draft, frontend, store);
    checkNoAddressTwice(id, frontends);
    const rules = partsOf(body, 'loadBalancingRules');
    const own = ownParts(draft);
    for (const rule of rules) checkRule(draft, own, rule);
    checkNoTwoRulesAlike(id, rules);
    checkNothingUsedIsDropped(draft, store);
    checkRulesPerInterface(draft, store);
  },
};

/** What Azure adds to a pool when it answers: the rules that use it. */
export function derivedOfPool(parent: StoredResource, name: string): JsonObject {
  const id = `${parent.id}/backendAddressPools/${name}`.toLowerCase();
  const using = partsOf(parent.body, 'loadBalancingRules').filter((rule) => poolsOf(rule).includes(id));
  if (using.length === 0) return {};
  return {
    loadBalancingRules: using.map((rule) => ({ id: `${parent.id}/loadBalancingRules/${textOf(rule['name'])}` })),
  };
}

function skuOf(body: JsonObject): string {
  return textOf(valueAt(body, 'sku', 'name'));
}

function partsOf(body: JsonObject, list: (typeof LISTS)[number]): readonly JsonObject[] {
  return listOf(valueAt(body, 'properties', list)).filter(isJsonObject);
}

function checkNames(id: string, list: string, parts: readonly JsonObject[]): void {
  const names = parts.map((part) => textOf(part['name']).toLowerCase());
  if (names.includes('')) throw invalid('InvalidRequestFormat', `${id}: one of the ${list} has no name.`);
  if (new Set(names).size < names.length) {
    throw invalid('DuplicateResourceName', `${id}: two of the ${list} have the same name.`);
  }
}

function checkFrontend({ id, body }: Draft, frontend: JsonObject, store: ResourceStore): void {
  const user = `${id}/frontendIPConfigurations/${textOf(frontend['name'])}`;
  const publicIp = valueAt(frontend, 'properties', 'publicIPAddress', 'id');
  const subnet = valueAt(frontend, 'properties', 'subnet', 'id');
  if ((publicIp === undefined) === (subnet === undefined)) {
    throw invalid('InvalidRequestFormat', `${user} needs either a public IP address or a subnet.`);
  }
  if (publicIp === undefined) return;
  const sku = skuOf(body) === 'Service' ? 'StandardV2' : 'Standard';
  checkPublicIpUse(user, textOf(publicIp), store, { name: sku, code: 'PublicIPAndLBSkuDoNotMatch' });
}

function checkNoAddressTwice(id: string, frontends: readonly JsonObject[]): void {
  const seen = new Set<string>();
  for (const frontend of frontends) {
    const address = idOf(valueAt(frontend, 'properties', 'publicIPAddress'));
    if (seen.has(address)) throw invalid('PublicIPAddressInUse', `${id}: two frontends refer to ${address}.`);
    if (address !== '') seen.add(address);
  }
}

/** The ids of what a rule can refer to, in lower case: gathered once for all rules. */
function ownParts({ id, body }: Draft) {
  const idsOf = (list: (typeof LISTS)[number]): ReadonlySet<string> =>
    new Set(partsOf(body, list).map((part) => `${id}/${list}/${textOf(part['name'])}`.toLowerCase()));
  return {
    frontends: idsOf('frontendIPConfigurations'),
    pools: idsOf('backendAddressPools'),
    probes: idsOf('probes'),
  };
}

function checkRule({ id, body }: Draft, own: ReturnType<typeof ownParts>, rule: JsonObject): void {
  const name = `${id}/loadBalancingRules/${textOf(rule['name'])}`;
  const frontend = idOf(valueAt(rule, 'properties', 'frontendIPConfiguration'));
  if (!own.frontends.has(frontend)) throw invalidReference(frontend);
  for (const pool of poolsOf(rule)) if (!own.pools.has(pool)) throw invalidReference(pool);
  const probe = idOf(valueAt(rule, 'properties', 'probe'));
  if (probe !== '' && !own.probes.has(probe)) throw invalidReference(probe);
  const protocol = valueAt(rule, 'properties', 'protocol');
  if (protocol !== 'Tcp' && protocol !== 'Udp' && protocol !== 'All') {
    throw invalid('InvalidRequestFormat', `${name}: the protocol must be Tcp, Udp or All.`);
  }
  const { frontendPort } = portsOf(objectOf(rule['properties']));
  if (!(frontendPort >= 1 && frontendPort <= HIGHEST_PORT) && protocol !== 'All') {
    throw invalid(
      'InvalidRequestFormat',
      `${name}: the frontend port ${frontendPort} is not from 1 to ${HIGHEST_PORT}.`,
    );
  }
  const minutes = Number(valueAt(rule, 'properties', 'idleTimeoutInMinutes') ?? 4);
  const { minimum, maximum } = IDLE_TIMEOUTS[skuOf(body) === 'Service' ? 'Service' : 'Standard'];
  if (!(minutes >= minimum && minutes <= maximum)) {
    throw invalid('LoadBalancingRuleInvalidIdleTimeout', `${name}: idle timeout ${minutes} is out of range.`);
  }
}

function checkNoTwoRulesAlike(id: string, rules: readonly JsonObject[]): void {
  const frontends = new Set<string>();
  const backends = new Set<string>();
  for (const rule of rules) {
    const properties = objectOf(rule['properties']);
    const protocol = textOf(properties['protocol']);
    const { frontendPort, backendPort } = portsOf(properties);
    const front = `${idOf(properties['frontendIPConfiguration'])} ${protocol} ${frontendPort}`;
    if (frontends.has(front)) {
      const message = `${id}: two rules use the same frontend, protocol and port (${frontendPort}).`;
      throw invalid('RulesUseSameFrontendPortProtocolAndIPConfig', message);
    }
    frontends.add(front);
    if (properties['enableFloatingIP'] === true) continue;
    for (const pool of poolsOf(rule)) {
      const back = `${pool} ${protocol} ${backendPort}`;
      if (backends.has(back)) {
        const message = `${id}: two rules use the same pool, protocol and port (${backendPort}).`;
        throw invalid('RulesUseSameBackendPortProtocolAndPool', message);
      }
      backends.add(back);
    }
  }
}

function portsOf(properties: JsonObject): { readonly frontendPort: number; readonly backendPort: number } {
  return { frontendPort: Number(properties['frontendPort']), backendPort: Number(properties['backendPort']) };
}

/** A pool that a gateway's service names stays until the service lets go of it. */
function checkNothingUsedIsDropped({ id, body, before }: Draft, store: ResourceStore): void {
  if (before === undefined) return;
  const kept = new Set(partsOf(body, 'backendAddressPools').map((pool) => textOf(pool['name']).toLowerCase()));
  for (const pool of partsOf(before.body, 'backendAddressPools')) {
    const name = textOf(pool['name']);
    if (!kept.has(name.toLowerCase())) checkPoolUnused(`${id}/backendAddressPools/${name}`, store);
  }
}

/** Throws while a service of a gateway names the pool. */
export function checkPoolUnused(id: string, store: ResourceStore): void {
  const [user] = store.usersOfPart(id);
  if (user === undefined) return;
  throw invalid('InUseBackendAddressPoolCannotBeDeleted', `${id} is in use by ${user.from}.`);
}

function poolsOf(rule: JsonObject): readonly string[] {
  const one = idOf(valueAt(rule, 'properties', 'backendAddressPool'));
  const several = listOf(valueAt(rule, 'properties', 'backendAddressPools')).map(idOf);
  return [...new Set([one, ...several])].filter((pool) => pool !== '');
}

function idOf(reference: Json | undefined): string {
  return textOf(valueAt(reference, 'id')).toLowerCase();
}
