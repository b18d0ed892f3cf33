import { isJsonList, isJsonObject, type Json, type JsonDraft, type JsonList } from '../../json.ts';

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b/g;
const MAC = /\bfa:16:3e(?::[0-9a-f]{2}){3}\b/g;
const IPV4 = /\b\d+\.\d+\.\d+\.\d+\b/g;
const ADDRESS_FIELDS = new Set(['ip_address', 'floating_ip_address', 'fixed_ip_address', 'vip_address']);
const TIMES = new Set(['created_at', 'updated_at']);
const NOWHERE = '00000000-0000-0000-0000-000000000000';
/** Lists that come in the order of ids, or in any. */
const UNORDERED = new Set([
  'ports',
  'networks',
  'subnets',
  'floatingips',
  'security_groups',
  'security_group_rules',
  'allowed_address_pairs',
  'loadbalancers',
  'listeners',
  'pools',
  'members',
  'healthmonitors',
]);
/** What tells the items of such a list apart before their ids have numbers. */
const DISTINCTIVE = ['name', 'address', 'protocol_port', 'direction', 'ethertype'];

/**
 * Replaces what no two clouds agree on (ids, addresses that they choose, times) by numbers in the order of appearance,
 * so that what is the same stays the same and what differs stays different.
 */
export class Normalizer {
  readonly #tokens = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Addresses that the scene chose itself. */
  readonly #chosen = new Set<string>();

  /** What is in a request is known to the scene, and stays as it is. */
  note(body: Json | undefined): void {
    for (const [, address] of JSON.stringify(body ?? '').matchAll(
      /"(\d+\.\d+\.\d+\.\d+|[0-9a-fA-F]*:[0-9a-fA-F:]+)"/g,
    )) {
      if (address !== undefined) this.#chosen.add(address);
    }
  }

  body(text: string): Json {
    return text.startsWith('{') || text === 'null' ? this.value('', JSON.parse(text)) : this.text(text.trim());
  }

  value(key: string, value: Json): Json {
    if (typeof value === 'string') {
      if (TIMES.has(key)) return 'TIME';
      if (key === 'message' || key === 'faultstring')
        return this.text(value.replaceAll(IPV4, (found) => this.#address(found)));
      return ADDRESS_FIELDS.has(key) ? this.#address(value) : this.text(value);
    }
    if (isJsonList(value)) return this.#list(key, value);
    if (!isJsonObject(value)) return value;
    const draft: JsonDraft = {};
    for (const name of Object.keys(value).sort()) draft[name] = this.value(name, value[name] ?? null);
    // Of a new member, Octavia says at one time that it is OFFLINE, at another that none looks.
    if (draft['provisioning_status'] === 'PENDING_CREATE' && 'address' in draft) draft['operating_status'] = 'ANY';
    return draft;
  }

  text(text: string): string {
    return text
      .replaceAll(ID, (id) => (id === NOWHERE ? 'NOWHERE' : this.#token('id', id)))
      .replaceAll(MAC, (mac) => this.#token('mac', mac));
  }

  #list(key: string, items: JsonList): Json {
    if (!UNORDERED.has(key)) return items.map((item) => this.value(key, item));
    const values = sortedBy(items, distinction).map((item) => this.value(key, item));
    return sortedBy(values, (value) => JSON.stringify(value));
  }

  #address(text: string): string {
    return this.#chosen.has(text) ? text : this.#token('address', text);
  }

  #token(kind: string, value: string): string {
    const key = `${kind} ${value}`;
    const known = this.#tokens.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#tokens.set(key, `${kind}-${count}`);
    return `${kind}-${count}`;
  }
}

function distinction(item: Json): string {
  return isJsonObject(item) ? JSON.stringify(DISTINCTIVE.map((name) => item[name] ?? null)) : '';
}

/** Those that are alike stay in their order. */
function sortedBy(items: JsonList, key: (item: Json) => string): JsonList {
  return items.toSorted((left, right) => {
    const [one, other] = [key(left), key(right)];
    return one === other ? 0 : one < other ? -1 : 1;
  });
}
