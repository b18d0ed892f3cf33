import { equalJson, type JsonObject, textOf } from '../../json.ts';
import { badRequest } from '../refusal.ts';
import type { Kind } from './store.ts';

const LONGEST_TEXT = 255;

/** Which fields of a kind can be given at its creation, changed later, and filtered by. */
interface Fields {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly shown: readonly string[];
}

const COMMON = ['id', 'name', 'description', 'project_id', 'tenant_id', 'revision_number', 'tags'];

/** What makes two rules of a security group the same. */
export const RULE_MATCH = [
  'direction',
  'ethertype',
  'protocol',
  'port_range_min',
  'port_range_max',
  'remote_ip_prefix',
  'remote_group_id',
];
const RULE = ['security_group_id', ...RULE_MATCH];

const FIELDS: Readonly<Record<Kind, Fields>> = {
  networks: {
    created: ['name', 'description', 'shared', 'router:external', 'admin_state_up'],
    changed: ['name', 'description', 'shared', 'admin_state_up'],
    shown: [...COMMON, 'router:external', 'shared', 'status'],
  },
  subnets: {
    created: [
      'name',
      'description',
      'network_id',
      'ip_version',
      'cidr',
      'enable_dhcp',
      'gateway_ip',
      'allocation_pools',
    ],
    changed: ['name', 'description'],
    shown: [...COMMON, 'network_id', 'ip_version', 'cidr'],
  },
  ports: {
    created: [
      'name',
      'description',
      'network_id',
      'fixed_ips',
      'security_groups',
      'allowed_address_pairs',
      'device_id',
      'device_owner',
      'admin_state_up',
      'mac_address',
      'tags',
    ],
    changed: [
      'name',
      'description',
      'fixed_ips',
      'security_groups',
      'allowed_address_pairs',
      'device_id',
      'device_owner',
      'admin_state_up',
    ],
    shown: [...COMMON, 'network_id', 'fixed_ips', 'device_id', 'device_owner', 'status', 'mac_address'],
  },
  floatingips: {
    created: ['description', 'floating_network_id', 'floating_ip_address', 'subnet_id', 'port_id', 'fixed_ip_address'],
    changed: ['description', 'port_id', 'fixed_ip_address'],
    shown: [
      ...COMMON.filter((name) => name !== 'name'),
      'floating_network_id',
      'floating_ip_address',
      'fixed_ip_address',
      'port_id',
      'router_id',
      'status',
    ],
  },
  routers: {
    created: ['name', 'description', 'external_gateway_info', 'admin_state_up'],
    changed: ['name', 'description'],
    shown: COMMON,
  },
  'security-groups': { created: ['name', 'description'], changed: ['name', 'description'], shown: COMMON },
  'security-group-rules': {
    created: [...RULE, 'description'],
    changed: ['description'],
    shown: [...COMMON.filter((name) => name !== 'name'), ...RULE],
  },
};

export function filtersOf(kind: Kind): ReadonlySet<string> {
  return new Set(FIELDS[kind].shown);
}

export function checkCreated(kind: Kind, fields: JsonObject): void {
  const { created, shown } = FIELDS[kind];
  for (const name of Object.keys(fields)) {
    if (created.includes(name)) continue;
    if (shown.includes(name)) throw badRequest(`Attribute '${name}' not allowed in POST`);
    throw badRequest(`Unrecognized attribute(s) '${name}'`);
  }
  checkTexts(fields);
}

export function checkChanged(kind: Kind, fields: JsonObject): void {
  const { created, changed, shown } = FIELDS[kind];
  for (const name of Object.keys(fields)) {
    if (changed.includes(name)) continue;
    if (created.includes(name) || shown.includes(name)) throw badRequest(`Cannot update read-only attribute ${name}`);
    throw badRequest(`Unrecognized attribute(s) '${name}'`);
  }
  checkTexts(fields);
}

/** Whether a change would change anything. */
export function differs(object: JsonObject, fields: JsonObject): boolean {
  return Object.entries(fields).some(([name, value]) => !equalJson(object[name], value));
}

function checkTexts(fields: JsonObject): void {
  for (const name of ['name', 'description']) {
    const text = textOf(fields[name]);
    if (text.length <= LONGEST_TEXT) continue;
    throw badRequest(`Invalid input for ${name}. Reason: '${text}' exceeds maximum length of ${LONGEST_TEXT}.`);
  }
}
