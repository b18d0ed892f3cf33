import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonDraft,
  type JsonList,
  type JsonObject,
  listOf,
  parseJson,
  textOf,
} from '../../json.ts';

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const CLUSTER_IP = /\b10\.96\.\d+\.\d+(?![\d/])|\bfd00:10:96::[0-9a-f:]*[0-9a-f]/g;
const TOKEN_VOLUME = /kube-api-access-\w{5}/g;
const TIMES = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'lastTransitionTime',
  'time',
  'timeAdded',
]);
/** Lists that servers put into any order, by second or by chance. */
const UNORDERED = new Set(['causes', 'endpoints', 'managedFields']);
const PORTS = new Set(['nodePort', 'healthCheckNodePort']);
/** Ports below are left to those who choose their own. */
const FIRST_ALLOCATED_PORT = 30_086;
const SERVER_MANAGERS = new Set(['cluster', 'kube-apiserver', 'kube-controller-manager']);

/**
 * Replaces what two servers cannot agree on (uids, versions, times, allocated addresses, generated names) by
 * numbers in the order of appearance, so that what is the same stays the same and what differs stays different.
 */
export class Normalizer {
  readonly #namespace: string;
  readonly #tokens = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #generatedNames = new Map<string, string>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  body(text: string): Json {
    if (!text.startsWith('{')) return this.text(text.trim());
    return this.value(parseJson(text));
  }

  value(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (isJsonList(value)) return value.map((item) => this.value(item));
    return isJsonObject(value) ? this.#object(value) : value;
  }

  text(text: string): string {
    let result = text.replaceAll(UID, (uid) => this.#token('uid', uid));
    result = result.replaceAll(CLUSTER_IP, (address) => this.#token('ip', address));
    result = result.replaceAll(TOKEN_VOLUME, 'kube-api-access-*');
    for (const [name, shown] of this.#generatedNames) result = result.replaceAll(name, shown);
    result = result.replaceAll(
      /resourceVersion=([1-9]\d*)/g,
      (_, version: string) => `resourceVersion=${this.#token('rv', version)}`,
    );
    result = result
      .replaceAll(/continue=eyJ[\w-]+/g, 'continue=TOKEN')
      .replaceAll(/in record \(\d+\)/g, 'in record (RV)')
      .replaceAll(/, current: \d+/g, ', current: RV');
    return result.replaceAll(this.#namespace, 'NS');
  }

  #token(kind: string, value: string): string {
    const known = this.#tokens.get(`${kind} ${value}`);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    const token = `${kind}-${count}`;
    this.#counts.set(kind, count);
    this.#tokens.set(`${kind} ${value}`, token);
    return token;
  }

  #object(object: JsonObject): JsonObject {
    const { name, generateName } = object;
    if (typeof name === 'string' && typeof generateName === 'string' && name.startsWith(generateName)) {
      this.#generatedNames.set(name, `${generateName}*`);
    }
    const timeless = withoutMoment(object);
    const result: JsonDraft = {};
    for (const key of Object.keys(timeless).sort()) result[this.text(key)] = this.#field(key, timeless[key] ?? null);
    return result.kind === 'Status' ? withoutProblemOrder(result) : result;
  }

  #field(key: string, value: Json): Json {
    if (key === 'resourceVersion' && typeof value === 'string' && /^[1-9]\d*$/.test(value)) {
      return this.#token('rv', value);
    }
    if (TIMES.has(key) && typeof value === 'string' && value.endsWith('Z')) return 'TIME';
    if (PORTS.has(key) && typeof value === 'number' && value >= FIRST_ALLOCATED_PORT) {
      return this.#token('port', String(value));
    }
    if (key === 'ca.crt') return 'CERTIFICATE';
    if (key === 'manager' && SERVER_MANAGERS.has(textOf(value))) return 'SERVER';
    if (UNORDERED.has(key) && isJsonList(value)) return sorted(value.map((item) => this.value(item)));
    if (key === 'continue' && typeof value === 'string' && value !== '') return this.#continueToken(value);
    return this.value(value);
  }

  #continueToken(token: string): Json {
    const content = parseJson(Buffer.from(token, 'base64url').toString());
    if (!isJsonObject(content)) return token;
    // Of the moment of the list, as its own version is.
    return { rv: content.rv === -1 ? -1 : 'RV', start: this.value(content.start ?? null) };
  }
}

function sorted(items: JsonList): JsonList {
  const texts = items.map((item) => JSON.stringify(item));
  return texts.sort().map((text) => parseJson(text));
}

/** Servers list problems of custom resources in any order. */
function withoutProblemOrder(status: JsonObject): JsonObject {
  const { details, message } = status;
  const lines = textOf(message).split('\n');
  if (!isJsonObject(details) || listOf(details.causes).length < 2) {
    const [first = '', ...rest] = lines;
    return { ...status, message: [first, ...rest.sort()].join('\n') };
  }
  const [summary = ''] = textOf(message).split(': ');
  return { ...status, message: summary };
}

/** The version of a list or a bookmark counts every write of every client. */
function withoutMoment(object: JsonObject): JsonObject {
  if (object.type === 'BOOKMARK' && isJsonObject(object.object)) {
    return { ...object, object: withoutVersion(object.object) };
  }
  return 'items' in object ? withoutVersion(object) : object;
}

function withoutVersion(object: JsonObject): JsonObject {
  return isJsonObject(object.metadata)
    ? { ...object, metadata: { ...object.metadata, resourceVersion: 'RV' } }
    : object;
}
