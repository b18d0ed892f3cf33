import { type IpRange, parseIpAddress, parseIpRange, rangeContains } from '@fairlead/control';
import type { EndpointSlice, Namespace, ObjectMeta } from '@fairlead/kube';
import { SERVICE_NAME, type ServiceImport, SOURCE_CLUSTER } from '../mcs/types.ts';
import type { Export } from '../merge/merge.ts';
import { type ExportedSlice, exportedEndpoint } from './exported-slices.ts';
import { inadmissible, validationProblem, MOST_PORTS } from './malformed.ts';
import { CLUSTERSET, SOURCE_NAMESPACE } from './marks.ts';
import { type ExportKey, isClusterName, keyOfRecord, memberNamespace, partsOfExportedSlice } from './names.ts';
import { readRecord } from './record.ts';
import { type Claims, NO_CLAIMS, notItsOwn } from './registration.ts';

/*
 * What a cluster believes of what other clusters wrote to the broker. Each may write in its own namespace only, and
 * whatever it writes there, it can neither speak for another nor reach beyond what it is asked for.
 */

const MOST_ENDPOINTS = 1_000;
const MOST_ADDRESSES = 1_000;
/** Of one cluster and Service. */
export const MOST_SLICES = 100;

/** An object at the broker, or why it is not believed. What is refused deletes nothing. */
export type Trusted<Value> =
  | { readonly kind: 'trusted'; readonly key: ExportKey; readonly cluster: string; readonly value: Value }
  | { readonly kind: 'refused'; readonly key: ExportKey; readonly cluster: string; readonly reason: string }
  /** It claims to be about nothing that has a name, and is ignored. */
  | { readonly kind: 'foreign' };

/** What is known of the clusterset. */
export interface TrustRules {
  readonly clusterset: string;
  readonly brokerNamespace: string;
  /** The ranges of this cluster's own pods and Services: no other has addresses there. */
  readonly ownRanges: readonly IpRange[];
}

/** Believes a record when its name, its labels and the namespace that its writer alone may write to agree. */
export function trustRecord(record: ServiceImport, rules: TrustRules): Trusted<Export> {
  const key = keyOfRecord(record.metadata.name);
  const cluster = writerOf(record.metadata, rules);
  if (key === undefined || cluster === undefined) return { kind: 'foreign' };
  const refuse = (reason: string) => ({ kind: 'refused', key, cluster, reason }) as const;
  const mismatch = mislabelled(record.metadata, key, cluster);
  if (mismatch !== undefined) return refuse(mismatch);
  if ((record.metadata.creationTimestamp ?? '') === '') return refuse('it has no time of the broker');
  if (record.spec === undefined) return refuse('it has no spec');
  const value = readRecord(record, cluster);
  if (value === undefined) return refuse('its exported labels or annotations cannot be read');
  // Only what all clusters expose is served: one without ports would leave none to any of them.
  if (value.type === 'ClusterSetIP' && value.ports.length === 0) return refuse('it has no ports');
  const unwelcome = inadmissible(value);
  if (unwelcome !== undefined) return refuse(`it has ${unwelcome}`);
  const wrong = validationProblem(value);
  if (wrong !== undefined) return refuse(`it has ${wrong}, which no API server takes`);
  return { kind: 'trusted', key, cluster, value };
}

/** Believes a slice as a record, and only with addresses that can be in that cluster. */
export function trustSlice(
  slice: EndpointSlice,
  rules: TrustRules,
  claims: Claims = NO_CLAIMS,
): Trusted<ExportedSlice> {
  const parts = partsOfExportedSlice(slice.metadata.name);
  const cluster = writerOf(slice.metadata, rules);
  if (parts === undefined || cluster === undefined) return { kind: 'foreign' };
  const { key, suffix } = parts;
  const refuse = (reason: string) => ({ kind: 'refused', key, cluster, reason }) as const;
  const mismatch = mislabelled(slice.metadata, key, cluster);
  if (mismatch !== undefined) return refuse(mismatch);
  const { addressType, ports } = slice;
  if (addressType === 'FQDN') return refuse('it has names instead of addresses');
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > MOST_ENDPOINTS) return refuse(`it has more than ${MOST_ENDPOINTS} endpoints`);
  if ((ports ?? []).length > MOST_PORTS) return refuse(`it has more than ${MOST_PORTS} ports`);
  const all = endpoints.flatMap(({ addresses }) => addresses);
  if (all.length > MOST_ADDRESSES) return refuse(`it has more than ${MOST_ADDRESSES} addresses`);
  for (const address of all) {
    const wrong = wrongAddress(address, addressType, rules, cluster, claims);
    if (wrong !== undefined) return refuse(wrong);
  }
  const value = { suffix, addressType, endpoints: endpoints.map(exportedEndpoint), ports: ports ?? [] };
  return { kind: 'trusted', key, cluster, value };
}

/**
 * The cluster whose namespace this is, which is the only one that can have written it. Undefined where the namespace
 * is no cluster's.
 */
function writerOf({ namespace, labels }: ObjectMeta, { brokerNamespace, clusterset }: TrustRules): string | undefined {
  if (namespace === undefined || labels?.[CLUSTERSET] !== clusterset) return undefined;
  const plain = `${brokerNamespace}-m-`;
  const claimed = namespace.startsWith(plain) ? namespace.slice(plain.length) : (labels[SOURCE_CLUSTER] ?? '');
  return isClusterName(claimed) && memberNamespace(brokerNamespace, claimed) === namespace ? claimed : undefined;
}

/** The labels are what tools select by: they must say what the name and the namespace say. */
function mislabelled({ labels = {} }: ObjectMeta, { namespace, name }: ExportKey, cluster: string): string | undefined {
  if (labels[SOURCE_CLUSTER] !== cluster) return `it claims to be of the cluster "${labels[SOURCE_CLUSTER]}"`;
  if (labels[SOURCE_NAMESPACE] !== namespace || labels[SERVICE_NAME] !== name) return 'its labels name another Service';
  return undefined;
}

const RESERVED = 'a reserved address';

/** No cluster's Services or pods are there: to lead clients to such an address is an attack, or a mistake. */
const SPECIAL_RANGES = [
  ['0.0.0.0/8', 'of this network'],
  ['127.0.0.0/8', 'a loopback address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', RESERVED],
  ['::/128', 'the unspecified address'],
  ['::1/128', 'a loopback address'],
  ['::/96', 'an IPv4 address within IPv6'],
  ['64:ff9b::/96', 'an IPv4 address behind NAT64'],
  ['fe80::/10', 'a link-local address'],
  ['ff00::/8', 'a multicast address'],
].flatMap(([text = '', what = '']) => {
  const range = parseIpRange(text);
  return range === undefined ? [] : [{ range, what }];
});

/** Why no client may be led to this address of a cluster; undefined when it may. */
export function wrongAddress(
  text: string,
  family: 'IPv4' | 'IPv6',
  { ownRanges }: Pick<TrustRules, 'ownRanges'>,
  cluster: string,
  claims: Claims,
): string | undefined {
  const parsed = parseIpAddress(text);
  if (parsed === undefined || parsed.family !== family) return `${text.slice(0, 50)} is no ${family} address`;
  const special = SPECIAL_RANGES.find(({ range }) => rangeContains(range, parsed.address));
  // Globalnet gives addresses of a reserved range; who admits a cluster may say that these are its own.
  const isGranted =
    special?.what === RESERVED && claims.get(cluster)?.some((range) => rangeContains(range, parsed.address));
  if (special !== undefined && isGranted !== true) return `${text} is ${special.what}`;
  const own = ownRanges.find((range) => rangeContains(range, parsed.address));
  if (own !== undefined) return `${text} is in ${own.text}, a range of this cluster`;
  const stolen = notItsOwn(parsed.address, cluster, claims);
  return stolen === undefined ? undefined : `${text} ${stolen}`;
}

/** Which namespaces take part. */
export interface NamespaceRules {
  /** Undefined: all but those that are denied. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
}

/** Never a namespace of the cluster's own components, unless it is allowed by name. */
export function isNamespaceAllowed(namespace: string, { allow, deny }: NamespaceRules): boolean {
  if (deny.includes(namespace)) return false;
  if (allow !== undefined) return allow.includes(namespace);
  return !namespace.startsWith('kube-');
}

/** Imports only go where a namespace is, and stays. */
export function canImportInto(namespace: Namespace | undefined, rules: NamespaceRules): boolean {
  if (namespace === undefined || !isNamespaceAllowed(namespace.metadata.name, rules)) return false;
  return namespace.status?.phase !== 'Terminating' && namespace.metadata.deletionTimestamp === undefined;
}
