import { parseIpRange } from '@fairlead/control';
import { type JsonObject, listOf, textOf, without } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { badRequest, internalError, Refusal } from '../refusal.ts';
import { spelled } from './addresses.ts';
import { RULE_MATCH } from './fields.ts';
import { idOf, type NeutronWorld } from './world.ts';

const WITH_PORTS = ['tcp', 'udp', 'sctp', 'dccp', 'udplite'];
const PROTOCOLS = [...WITH_PORTS, 'icmp', 'ipv6-icmp', 'icmpv6', 'any', 'vrrp', 'esp', 'ah', 'gre'];

/** The group that every project has from the start. */
export function defaultSecurityGroup(world: NeutronWorld, projectId: string): JsonObject {
  const found = world.store
    .all('security-groups')
    .find((group) => group['project_id'] === projectId && group['name'] === 'default');
  if (found !== undefined) return found;
  const group = addGroup(world, projectId, { name: 'default', description: 'Default security group' });
  for (const ethertype of ['IPv4', 'IPv6']) {
    addRule(world, group, { direction: 'ingress', ethertype, remote_group_id: idOf(group) }, `3${ethertype.slice(-1)}`);
  }
  return world.store.find('security-groups', idOf(group)) ?? group;
}

export function createSecurityGroup(world: NeutronWorld, requester: Requester, fields: JsonObject): JsonObject {
  world.checkQuota(requester, 'security-groups', 'security_group');
  return addGroup(world, requester.projectId, fields);
}

/** A new group lets everything out. */
function addGroup(world: NeutronWorld, projectId: string, fields: JsonObject): JsonObject {
  const body = { name: '', project_id: projectId, stateful: true, shared: false, security_group_rules: [], ...fields };
  const group = world.store.add('security-groups', body, 1);
  for (const ethertype of ['IPv4', 'IPv6'])
    addRule(world, group, { direction: 'egress', ethertype }, `2${ethertype.slice(-1)}`);
  return world.store.find('security-groups', idOf(group)) ?? group;
}

export function deleteSecurityGroup(world: NeutronWorld, group: JsonObject): void {
  const id = idOf(group);
  if (world.store.all('ports').some((port) => listOf(port['security_groups']).includes(id))) {
    throw new Refusal(409, 'SecurityGroupInUse', `Security Group ${id} in use.`);
  }
  for (const rule of rulesOf(world, id)) world.store.remove('security-group-rules', idOf(rule));
  world.store.remove('security-groups', id);
}

/** `POST /security-group-rules`. */
export function createRule(world: NeutronWorld, requester: Requester, fields: JsonObject): JsonObject {
  const group = world.required(requester, 'security-groups', textOf(fields['security_group_id']));
  const remote = textOf(fields['remote_group_id']);
  if (remote !== '') world.required(requester, 'security-groups', remote);
  const prefix = prefixOf(fields);
  const rule: JsonObject = prefix === undefined ? fields : { ...fields, remote_ip_prefix: prefix };
  checkRule(rule);
  const twin = rulesOf(world, idOf(group)).find((one) =>
    RULE_MATCH.every((name) => (one[name] ?? null) === (rule[name] ?? null)),
  );
  if (twin !== undefined) {
    const message = `Security group rule already exists. Rule id is ${idOf(twin)}.`;
    throw new Refusal(409, 'SecurityGroupRuleExists', message);
  }
  return addRule(world, group, rule);
}

/** This release fails at any change of a rule. */
export function changeRule(): never {
  throw internalError();
}

export function deleteRule(world: NeutronWorld, rule: JsonObject): void {
  world.store.remove('security-group-rules', idOf(rule));
  showRules(world, textOf(rule['security_group_id']));
}

/** `suffix` makes the id out of the group's own, for rules that come with it. */
function addRule(world: NeutronWorld, group: JsonObject, fields: JsonObject, suffix?: string): JsonObject {
  const rule = {
    protocol: null,
    port_range_min: null,
    port_range_max: null,
    remote_ip_prefix: null,
    remote_address_group_id: null,
    remote_group_id: null,
    normalized_cidr: fields['remote_ip_prefix'] ?? null,
    belongs_to_default_sg: false,
    ...fields,
    project_id: group['project_id'] ?? '',
    security_group_id: idOf(group),
  };
  const id = suffix === undefined ? [] : ([`${idOf(group).slice(0, -suffix.length)}${suffix}`] as const);
  const made = without(world.store.add('security-group-rules', rule, 0, ...id), 'tags');
  world.store.complete('security-group-rules', made, {});
  showRules(world, idOf(group));
  return made;
}

/** A group shows its rules. */
function showRules(world: NeutronWorld, groupId: string): void {
  const group = world.store.find('security-groups', groupId);
  if (group === undefined) return;
  world.store.complete('security-groups', group, { security_group_rules: rulesOf(world, groupId) });
}

function rulesOf(world: NeutronWorld, groupId: string): readonly JsonObject[] {
  return world.store.all('security-group-rules').filter((rule) => rule['security_group_id'] === groupId);
}

/** An address by itself is the range that holds only it. */
function prefixOf({ remote_ip_prefix }: JsonObject): string | undefined {
  const text = textOf(remote_ip_prefix);
  if (text === '') return undefined;
  const address = spelled(text);
  if (address !== undefined) return `${address}/${address.includes(':') ? 128 : 32}`;
  const range = parseIpRange(text);
  if (range === undefined) {
    throw badRequest(`Invalid input for remote_ip_prefix. Reason: '${text}' is not a valid IP subnet.`);
  }
  return text;
}

function checkRule(rule: JsonObject): void {
  const { ethertype, remote_ip_prefix, port_range_min, port_range_max } = rule;
  const protocol = textOf(rule['protocol']);
  if (protocol !== '' && !PROTOCOLS.includes(protocol)) {
    throw new Refusal(
      400,
      'SecurityGroupRuleInvalidProtocol',
      `Security group rule protocol ${protocol} not supported.`,
    );
  }
  if (textOf(remote_ip_prefix) !== '' && textOf(rule['remote_group_id']) !== '') {
    const message = 'Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.';
    throw new Refusal(400, 'SecurityGroupMultipleRemoteEntites', message);
  }
  const hasPorts = typeof port_range_min === 'number' || typeof port_range_max === 'number';
  if (hasPorts && protocol === '') {
    const message = 'Must also specify protocol if port range is given.';
    throw new Refusal(400, 'SecurityGroupProtocolRequiredWithPorts', message);
  }
  const isReversed = Number(port_range_min) > Number(port_range_max);
  if (hasPorts && WITH_PORTS.includes(protocol) && isReversed) {
    const message = 'For TCP/UDP protocols, port_range_min must be <= port_range_max';
    throw new Refusal(400, 'SecurityGroupInvalidPortRange', message);
  }
  const family = parseIpRange(textOf(remote_ip_prefix))?.family;
  if (family === undefined || family === (textOf(ethertype) || 'IPv4')) return;
  const message = `Conflicting value ethertype ${textOf(ethertype) || 'IPv4'} for CIDR ${textOf(remote_ip_prefix)}`;
  throw new Refusal(400, 'SecurityGroupRuleParameterConflict', message);
}
