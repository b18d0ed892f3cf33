import type { Service } from '@fairlead/kube';
import { refusal } from '@fairlead/service';

const PREFIX = 'loadbalancer.openstack.org/';
const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const KURYR_PREFIX = 'openstack.org/kuryr-';
const OUR_PREFIX = 'fairlead.dev/octavia-';
const MEMBERS = `${OUR_PREFIX}members`;
const PROVIDER = `${OUR_PREFIX}provider`;
const OURS = [MEMBERS, PROVIDER];

/** How the annotations begin that are read, or refused. */
export const ANNOTATION_PREFIXES = [PREFIX, INTERNAL, KURYR_PREFIX, OUR_PREFIX];

const TEXTS = [
  'floating-network-id',
  'floating-subnet-id',
  'class',
  'subnet-id',
  'member-subnet-id',
  'network-id',
  'port-id',
  'flavor-id',
  'availability-zone',
  'node-selector',
  'lb-method',
  'default-tls-container-ref',
  'load-balancer-id',
  'hostname',
  'proxy-protocol',
] as const;
/** Known, and refused: they choose by pattern, and what they choose may be another tomorrow. */
const PATTERNS = ['floating-subnet', 'floating-subnet-tags'] as const;
const NUMBERS = [
  'connection-limit',
  'timeout-client-data',
  'timeout-member-connect',
  'timeout-member-data',
  'timeout-tcp-inspect',
  'health-monitor-delay',
  'health-monitor-timeout',
  'health-monitor-max-retries',
  'health-monitor-max-retries-down',
] as const;
const FLAGS = ['x-forwarded-for', 'enable-health-monitor', 'keep-floatingip'] as const;
/** The most that Octavia takes for a timeout, and that its database keeps of any number. */
const LONGEST_MILLISECONDS = 24 * 24 * 3_600_000;
const LARGEST_NUMBER = 2_147_483_647;
/** What cloud-provider-openstack records by itself; the address is read from OpenStack. */
const RECORDS = ['load-balancer-address'];

/** What an operator can forbid, by the name after the slash. */
export const ANNOTATION_NAMES = [
  ...TEXTS,
  ...PATTERNS,
  ...NUMBERS,
  ...FLAGS,
  'octavia-members',
  'octavia-provider',
] as const;

export type TextAnnotation = (typeof TEXTS)[number];
export type NumberAnnotation = (typeof NUMBERS)[number];
export type FlagAnnotation = (typeof FLAGS)[number];

/** What the annotations of a Service ask for. */
export class Annotations {
  readonly #values: Readonly<Record<string, string>>;

  /** Throws a refusal for one that is not known: nothing that a Service asks for is left out in silence. */
  constructor({ metadata }: Service) {
    this.#values = metadata.annotations ?? {};
    const known = new Set([
      ...[...TEXTS, ...PATTERNS, ...NUMBERS, ...FLAGS, ...RECORDS].map((name) => PREFIX + name),
      ...OURS,
    ]);
    const isRead = (name: string) => name.startsWith(PREFIX) || name.startsWith(OUR_PREFIX);
    const unknown = Object.keys(this.#values).filter((name) => isRead(name) && !known.has(name));
    if (unknown.length > 0)
      throw refusal('annotation-unknown', `its annotation ${unknown.join(', ')} is not known: take it off`);
  }

  /** Those of them that choose a floating subnet by pattern. */
  get patterns(): readonly string[] {
    return PATTERNS.filter((name) => this.#at(PREFIX + name) !== undefined);
  }

  text(name: TextAnnotation): string | undefined {
    return this.#at(PREFIX + name);
  }

  number(name: NumberAnnotation): number | undefined {
    const most = name.startsWith('timeout-') ? LONGEST_MILLISECONDS : LARGEST_NUMBER;
    return this.#number(PREFIX + name, name === 'connection-limit' ? -1 : 0, most);
  }

  flag(name: FlagAnnotation): boolean | undefined {
    return this.#flag(PREFIX + name);
  }

  /** Those that it has of these, in whatever words. */
  among(names: readonly string[]): readonly string[] {
    const all = names.flatMap((name) => [PREFIX + name, KURYR_PREFIX + name, `fairlead.dev/${name}`]);
    return all.filter((name) => this.#at(name) !== undefined);
  }

  get isInternal(): boolean {
    return this.#flag(INTERNAL) ?? false;
  }

  get provider(): string | undefined {
    return this.#at(PROVIDER);
  }

  get members(): 'pods' | 'node-ports' | undefined {
    const value = this.#at(MEMBERS);
    if (value === undefined || value === 'pods' || value === 'node-ports') return value;
    throw invalid(MEMBERS, value, 'pods or node-ports');
  }

  /** As cloud-provider-openstack spells it, or as Kuryr did. */
  get timeoutClientData(): number | undefined {
    return this.#either('timeout-client-data');
  }

  get timeoutMemberData(): number | undefined {
    return this.#either('timeout-member-data');
  }

  get proxyProtocol(): 'v1' | 'v2' | undefined {
    const value = this.text('proxy-protocol');
    if (value === undefined || value === 'false') return undefined;
    if (value === 'true' || value === 'v1') return 'v1';
    if (value === 'v2') return 'v2';
    throw invalid(`${PREFIX}proxy-protocol`, value, 'true, v1 or v2');
  }

  #either(name: 'timeout-client-data' | 'timeout-member-data'): number | undefined {
    const ours = this.number(name);
    const kuryr = KURYR_PREFIX + name;
    const theirs = this.#number(kuryr, 0, LONGEST_MILLISECONDS);
    if (ours !== undefined && theirs !== undefined && ours !== theirs) {
      throw refusal('annotations-contradict', `its annotations ${PREFIX}${name} and ${kuryr} differ: keep one`);
    }
    return ours ?? theirs;
  }

  #number(name: string, least: number, most: number): number | undefined {
    const value = this.#at(name);
    if (value === undefined) return undefined;
    const number = /^-?\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw invalid(name, value, `a whole number from ${least} to ${most}`);
  }

  #flag(name: string): boolean | undefined {
    const value = this.#at(name);
    if (value === undefined) return undefined;
    if (value === 'true' || value === 'false') return value === 'true';
    throw invalid(name, value, 'true or false');
  }

  /** An empty one asks for nothing. */
  #at(name: string): string | undefined {
    return this.#values[name]?.trim() || undefined;
  }
}

/** Labels that a node must have, and their values; undefined: any. */
export type NodeSelector = readonly (readonly [key: string, value: string | undefined])[];

/** `key=value` pairs with commas between; a key alone stands for any value. */
export function parseNodeSelector(text: string): NodeSelector {
  const pairs = text.split(',').map((pair) => pair.trim());
  // Each once: all of them are asked of every node, and a tenant can write the same thousands of times.
  return [...new Set(pairs)]
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [key = '', value, ...more] = pair.split('=');
      if (key === '' || more.length > 0) throw invalid(`${PREFIX}node-selector`, pair, 'key=value');
      return [key, value];
    });
}

/** Also of a Service that is refused for other annotations. */
export function keepsFloatingIp({ metadata }: Service): boolean {
  return metadata.annotations?.[`${PREFIX}keep-floatingip`]?.trim() === 'true';
}

function invalid(name: string, value: string, wanted: string) {
  return refusal('annotation-invalid', `its annotation ${name} is ${JSON.stringify(value)}, and must be ${wanted}`);
}
