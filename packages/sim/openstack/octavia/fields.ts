import { parseIpAddress, parseIpRange } from '@fairlead/control';
import { isJsonList, isJsonObject, type Json, type JsonDraft, type JsonObject, objectOf } from '../../json.ts';
import { invalid } from './refusals.ts';
import type { OctaviaKind } from './store.ts';

/** What is wrong with a value, in Octavia's words; undefined when nothing is. */
type Check = (value: Json) => string | undefined;

interface Attribute {
  readonly check: Check;
  readonly isMandatory?: boolean;
  /** What it is when a creation does not name it, or a change sets it to null. */
  readonly initial?: Json;
  readonly isFixed?: boolean;
  /** The minor version of the API that it came with. */
  readonly since?: number;
}

type Attributes = Readonly<Record<string, Attribute>>;

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const LONGEST_TEXT = 255;
const MAX_TIMEOUT = 24 * 24 * 3_600_000;

const text: Check = (value) => {
  if (typeof value !== 'string') return 'Value should be string';
  return value.length > LONGEST_TEXT
    ? `Value should have a maximum character requirement of ${LONGEST_TEXT}`
    : undefined;
};
const uuid: Check = (value) =>
  typeof value === 'string' && UUID.test(value) ? undefined : 'Value should be UUID format';
const address: Check = (value) =>
  typeof value === 'string' && parseIpAddress(value) !== undefined ? undefined : 'Value should be IPv4 or IPv6 format';
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'Wrong type. Expected bool');
const tags: Check = (value) =>
  isJsonList(value) ? value.map(text).find((wrong) => wrong !== undefined) : 'Wrong type.';
const object: Check = (value) => (isJsonObject(value) ? undefined : 'Wrong type.');
const list: Check = (value) => (isJsonList(value) ? undefined : 'Wrong type.');
const cidrs: Check = (value) => {
  const isRange = (one: Json) => typeof one === 'string' && one.includes('/') && parseIpRange(one) !== undefined;
  return isJsonList(value) && value.every(isRange) ? undefined : 'Value should be IPv4 or IPv6 CIDR format';
};
const number =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER): Check =>
  (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'Wrong type. Expected int';
    if (value < minimum) return `Value should be greater or equal to ${minimum}`;
    return value > maximum ? `Value should be lower or equal to ${maximum}` : undefined;
  };
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `Value should be one of: ${values.join(', ')}`;

const timeout = (initial: number): Attribute => ({ check: number(0, MAX_TIMEOUT), initial, since: 1 });
const port = { check: number(1, 65_535), isMandatory: true, isFixed: true };

const COMMON: Attributes = {
  name: { check: text, initial: '' },
  admin_state_up: { check: flag, initial: true },
  tags: { check: tags, initial: [], since: 5 },
};
const DESCRIBED: Attributes = { ...COMMON, description: { check: text, initial: '' } };
const OWNED: Attributes = { project_id: { check: text, isFixed: true }, tenant_id: { check: text, isFixed: true } };

const ATTRIBUTES: Readonly<Record<OctaviaKind, Attributes>> = {
  loadbalancers: {
    ...DESCRIBED,
    ...OWNED,
    vip_address: { check: address, isFixed: true },
    vip_port_id: { check: uuid, isFixed: true },
    vip_subnet_id: { check: uuid, isFixed: true },
    vip_network_id: { check: uuid, isFixed: true },
    vip_sg_ids: { check: list, initial: [], since: 29 },
    vip_qos_policy_id: { check: uuid, initial: null },
    additional_vips: { check: list, initial: [], isFixed: true, since: 26 },
    provider: { check: text, isFixed: true },
    flavor_id: { check: uuid, initial: null, isFixed: true, since: 6 },
    availability_zone: { check: text, initial: null, isFixed: true, since: 14 },
    listeners: { check: list, isFixed: true },
    pools: { check: list, isFixed: true },
  },
  listeners: {
    ...DESCRIBED,
    ...OWNED,
    loadbalancer_id: { check: uuid, isMandatory: true, isFixed: true },
    protocol: {
      check: oneOf('TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'UDP', 'SCTP', 'PROMETHEUS'),
      isMandatory: true,
      isFixed: true,
    },
    protocol_port: port,
    default_pool_id: { check: uuid, initial: null },
    default_pool: { check: object, isFixed: true },
    connection_limit: { check: number(-1), initial: -1 },
    default_tls_container_ref: { check: text, initial: null },
    sni_container_refs: { check: list, initial: [] },
    insert_headers: { check: object, initial: {} },
    timeout_client_data: timeout(50_000),
    timeout_member_connect: timeout(5_000),
    timeout_member_data: timeout(50_000),
    timeout_tcp_inspect: timeout(0),
    allowed_cidrs: { check: cidrs, initial: null, since: 12 },
  },
  pools: {
    ...DESCRIBED,
    ...OWNED,
    loadbalancer_id: { check: uuid, isFixed: true },
    listener_id: { check: uuid, isFixed: true },
    protocol: {
      check: oneOf('TCP', 'HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'UDP', 'SCTP'),
      isMandatory: true,
      isFixed: true,
    },
    lb_algorithm: {
      check: oneOf('ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'),
      isMandatory: true,
    },
    session_persistence: { check: object, initial: null },
    members: { check: list, isFixed: true },
    healthmonitor: { check: object, isFixed: true },
  },
  members: {
    ...COMMON,
    ...OWNED,
    address: { check: address, isMandatory: true, isFixed: true },
    protocol_port: port,
    weight: { check: number(0, 256), initial: 1 },
    backup: { check: flag, initial: false },
    subnet_id: { check: uuid, initial: null, isFixed: true },
    monitor_address: { check: address, initial: null },
    monitor_port: { check: number(1, 65_535), initial: null },
  },
  healthmonitors: {
    ...COMMON,
    ...OWNED,
    pool_id: { check: uuid, isMandatory: true, isFixed: true },
    type: {
      check: oneOf('HTTP', 'HTTPS', 'PING', 'TCP', 'TLS-HELLO', 'UDP-CONNECT', 'SCTP'),
      isMandatory: true,
      isFixed: true,
    },
    delay: { check: number(0), isMandatory: true },
    timeout: { check: number(0), isMandatory: true },
    max_retries: { check: number(1, 10), isMandatory: true },
    max_retries_down: { check: number(1, 10), initial: 3 },
    http_method: { check: text, initial: null },
    url_path: { check: text, initial: null },
    expected_codes: { check: text, initial: null },
    http_version: { check: (value) => (typeof value === 'number' ? undefined : 'Wrong type.'), initial: null },
    domain_name: { check: text, initial: null },
  },
  flavors: {
    name: { check: text, isMandatory: true },
    description: { check: text, initial: '' },
    enabled: { check: flag },
  },
};

/** How messages call the body of a request. */
const ARGUMENTS: Readonly<Record<OctaviaKind, string>> = {
  loadbalancers: 'load_balancer.loadbalancer',
  listeners: 'listener_.listener',
  pools: 'pool_.pool',
  members: 'member_.member',
  healthmonitors: 'health_monitor_.healthmonitor',
  flavors: 'flavor_.flavor',
};

/** The fields of a new resource, with those that were not named. `given` are known from where it is created. */
export function createdFields(
  kind: OctaviaKind,
  body: Json | undefined,
  minorVersion: number,
  given: readonly string[] = [],
): JsonObject {
  const fields = objectOf(body);
  checkNames(kind, fields, minorVersion, () => true);
  const draft: JsonDraft = {};
  for (const [name, attribute] of Object.entries(ATTRIBUTES[kind])) {
    const value = fields[name];
    if (value === undefined || value === null) {
      if (attribute.isMandatory === true && !given.includes(name)) throw wrong(name, null, 'Mandatory field missing.');
      if (attribute.initial !== undefined && isOffered(attribute, minorVersion)) draft[name] = attribute.initial;
      continue;
    }
    checkValue(name, attribute, value);
    draft[name] = value;
  }
  return draft;
}

/** The fields that a change sets; null sets one back to what it is initially. */
export function changedFields(kind: OctaviaKind, body: Json | undefined, minorVersion: number): JsonObject {
  const fields = objectOf(body);
  checkNames(kind, fields, minorVersion, ({ isFixed }) => isFixed !== true);
  const draft: JsonDraft = {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = ATTRIBUTES[kind][name];
    if (attribute === undefined) continue;
    if (value !== null) checkValue(name, attribute, value);
    draft[name] = value ?? attribute.initial ?? null;
  }
  return draft;
}

/** What this version of the API has no word for. */
export function unknownFields(kind: OctaviaKind, minorVersion: number): readonly string[] {
  return Object.entries(ATTRIBUTES[kind])
    .filter(([, attribute]) => !isOffered(attribute, minorVersion))
    .map(([name]) => name);
}

/** By what a list can be filtered. */
export function filtersOf(kind: OctaviaKind): ReadonlySet<string> {
  const own = Object.keys(ATTRIBUTES[kind]);
  return new Set([...own, 'id', 'project_id', 'provisioning_status', 'operating_status', 'created_at', 'updated_at']);
}

function checkNames(
  kind: OctaviaKind,
  fields: JsonObject,
  minorVersion: number,
  isAllowed: (attribute: Attribute) => boolean,
): void {
  for (const name of Object.keys(fields)) {
    const attribute = ATTRIBUTES[kind][name];
    if (attribute !== undefined && isOffered(attribute, minorVersion) && isAllowed(attribute)) continue;
    throw invalid(`Unknown attribute for argument ${ARGUMENTS[kind]}: ${name}`);
  }
}

function checkValue(name: string, { check }: Attribute, value: Json): void {
  const complaint = check(value);
  if (complaint !== undefined) throw wrong(name, value, complaint);
}

function isOffered({ since = 0 }: Attribute, minorVersion: number): boolean {
  return since <= minorVersion;
}

function wrong(name: string, value: Json, complaint: string) {
  return invalid(`Invalid input for field/attribute ${name}. Value: '${pythonText(value)}'. ${complaint}`);
}

/** As Python prints it. */
function pythonText(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return value;
  return JSON.stringify(value).replaceAll('"', "'");
}
