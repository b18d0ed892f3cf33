import { type IpFamily, parseIpAddress } from '@fairlead/control';
import {
  type Endpoint,
  endpointSlices,
  hasFinalizer,
  type Node,
  nodes,
  type Pod,
  pods,
  SERVICE_NAME_LABEL,
  type Service,
  services,
} from '@fairlead/kube';
import type { Cluster } from '../kubernetes.ts';
import type { Neighbours } from './neighbours.ts';
import { CLASS, EGRESS_LABEL, NAMESPACE, POD_FINALIZER, TAGS_ANNOTATION } from './site.ts';

/** `address@location` */
export type PlaceText = string;

/** An egress gateway that a pod wants, and where the pod is. */
export interface WantingPod {
  readonly pod: Pod;
  readonly uid: string;
  readonly egress: string;
  /** Where it is, as far as its node is known. */
  readonly places: readonly PlaceText[];
}

/** The pod of a place asks for a gateway that cannot be had, and keeps the one it had, if any. */
export const ANY = Symbol('any egress gateway of ours');

/** What a place should name, beside what others have there. */
export interface WantedPlace {
  /** UID -> the node by which the place is an endpoint of the Service. */
  readonly inbound: Map<string, string>;
  outbound: string | typeof ANY | undefined;
}

/** What the cluster wants outside, worked out from scratch and from the cluster's objects alone. */
export interface Wanted {
  /** UID -> the Service, of those that are to be served. */
  readonly served: ReadonlyMap<string, Service>;
  /** UID -> the Service, of those that ask for what cannot be had: what they had before stays. */
  readonly refused: ReadonlyMap<string, Service>;
  readonly pods: readonly WantingPod[];
  /** Egress gateways that must be there. */
  readonly egresses: ReadonlySet<string>;
  /** Those that may be there: for pods that have no address, or ask for what cannot be had. */
  readonly tolerated: ReadonlySet<string>;
  readonly places: ReadonlyMap<PlaceText, WantedPlace>;
  /** Addresses of pods that have ended and are held, on nodes that are not known: they may have been anywhere. */
  readonly unlocated: ReadonlySet<string>;
  /** The families that nodes have. */
  readonly families: readonly IpFamily[];
  readonly nodeAddresses: NodeAddresses;
}

type NodeAddresses = ReadonlyMap<string, Partial<Record<IpFamily, string>>>;

/** `now` is wall time. */
export function wantedOf(
  { objects, neighbours }: Pick<Cluster, 'objects'> & { readonly neighbours: Neighbours },
  now: number,
): Wanted {
  const nodeAddresses = addressesOfNodes(objects(nodes));
  const ours = objects(services).filter(isOurs);
  const [refused, served] = partition(ours, isRefused);
  const places = new Map<PlaceText, WantedPlace>();
  const placeAt = (text: PlaceText): WantedPlace => {
    const place = places.get(text) ?? { inbound: new Map(), outbound: undefined };
    places.set(text, place);
    return place;
  };
  const slices = objects(endpointSlices);
  for (const service of ours) {
    const behind = slices.filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === service.metadata.name);
    const endpoints = behind.flatMap((slice) => slice.endpoints ?? []);
    for (const { place, node } of placesOfEndpoints(endpoints, familyOfService(service), nodeAddresses))
      placeAt(place).inbound.set(uidOf(service), node);
  }
  const wanting = objects(pods).flatMap((pod) => wantingPod(pod, nodeAddresses, now));
  for (const { egress, places: at } of wanting.toSorted(byAge)) {
    for (const place of at) placeAt(place).outbound = neighbours.hasTaken(egress) ? ANY : egress;
  }
  const attainable = wanting.filter(({ egress }) => !neighbours.hasTaken(egress));
  const egresses = new Set(attainable.filter(({ places: at }) => at.length > 0).map(({ egress }) => egress));
  const hasLatitude = attainable.length < wanting.length;
  const tolerated = new Set([...wanting.map(({ egress }) => egress), ...(hasLatitude ? EVERY_EGRESS : [])]);
  return {
    served: byUid(served),
    refused: byUid(refused),
    pods: wanting,
    egresses,
    tolerated,
    places,
    unlocated: new Set(objects(pods).flatMap((pod) => unlocatedAddresses(pod, nodeAddresses, now))),
    families: familiesOf(nodeAddresses),
    nodeAddresses,
  };
}

const EVERY_EGRESS = ['blue', 'green', 'violet'];

/** Whether the Service is ours to serve. */
export function isOurs({ metadata, spec }: Service): boolean {
  const { type, loadBalancerClass } = spec;
  return metadata.deletionTimestamp === undefined && type === 'LoadBalancer' && loadBalancerClass === CLASS;
}

/** Whether it asks for what cannot be had. */
export function isRefused({ spec, metadata }: Service): boolean {
  const isForged = metadata.annotations?.[TAGS_ANNOTATION]?.toLowerCase().includes('fairlead-') === true;
  return isForged || (spec.loadBalancerSourceRanges ?? []).length > 0 || spec.ipFamilyPolicy === 'RequireDualStack';
}

/** Whether anybody who looks at it is told of an address. */
export function showsAddress({ status }: Service): boolean {
  return (status?.loadBalancer?.ingress ?? []).length > 0;
}

/** Name in lower case -> value, of the tags that a Service that is served asks for on its address. */
export function tagsOf({ metadata }: Service): ReadonlyMap<string, string> {
  const pairs = (metadata.annotations?.[TAGS_ANNOTATION] ?? '').split(',').filter((text) => text !== '');
  return new Map(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split('=').map((text) => text.trim());
      return [name.toLowerCase(), value];
    }),
  );
}

export function familyOfService({ spec }: Service): IpFamily {
  return spec.ipFamilies?.[0] ?? 'IPv4';
}

export function uidOf({ metadata }: { readonly metadata: { readonly uid?: string } }): string {
  return metadata.uid ?? '';
}

/** The place of an endpoint that several slices have is that of the one in the best state. */
function placesOfEndpoints(
  endpoints: readonly Endpoint[],
  family: IpFamily,
  nodeAddresses: NodeAddresses,
): readonly { readonly place: PlaceText; readonly node: string }[] {
  const best = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const address = canonical(endpoint.addresses[0] ?? '');
    if (familyOfText(address) !== family) continue;
    const other = best.get(address);
    if (other === undefined || rankOf(endpoint) < rankOf(other)) best.set(address, endpoint);
  }
  const chosen = ['ready', 'terminating']
    .map((state) => [...best].filter(([, endpoint]) => stateOf(endpoint) === state))
    .find((found) => found.length > 0);
  return (chosen ?? []).flatMap(([address, { nodeName: node = '' }]) => {
    const location = nodeAddresses.get(node)?.[family];
    return location === undefined ? [] : { place: `${address}@${location}`, node };
  });
}

function rankOf(endpoint: Endpoint): string {
  return `${['ready', 'unready', 'terminating'].indexOf(stateOf(endpoint))} ${endpoint.nodeName}`;
}

function stateOf({ conditions = {} }: Endpoint): 'ready' | 'unready' | 'terminating' {
  if (conditions.ready !== false) return 'ready';
  return conditions.terminating === true ? 'terminating' : 'unready';
}

function wantingPod(pod: Pod, nodeAddresses: NodeAddresses, now: number): readonly WantingPod[] {
  const { metadata, spec, status } = pod;
  const egress = metadata.labels?.[EGRESS_LABEL]?.toLowerCase();
  if (metadata.namespace !== NAMESPACE || egress === undefined || hasEnded(pod, now)) return [];
  const at = nodeAddresses.get(spec.nodeName ?? '') ?? {};
  const places = (status?.podIPs ?? []).flatMap(({ ip }) => {
    const address = canonical(ip);
    const location = at[familyOfText(address)];
    return location === undefined ? [] : `${address}@${location}`;
  });
  return [{ pod, uid: uidOf(pod), egress, places }];
}

function unlocatedAddresses(pod: Pod, nodeAddresses: NodeAddresses, now: number): readonly string[] {
  if (!hasEnded(pod, now) || !hasFinalizer(pod, POD_FINALIZER)) return [];
  const at = nodeAddresses.get(pod.spec.nodeName ?? '') ?? {};
  const addresses = (pod.status?.podIPs ?? []).map(({ ip }) => canonical(ip));
  return addresses.filter((address) => at[familyOfText(address)] === undefined);
}

function hasEnded({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined) return false;
  return deletionGracePeriodSeconds === 0 || Date.parse(deletionTimestamp) <= now;
}

/** The youngest last: of two pods that claim an address, it has it. */
function byAge(left: WantingPod, right: WantingPod): number {
  const ageOf = ({ pod, uid }: WantingPod) => `${pod.metadata.creationTimestamp} ${uid}`;
  return ageOf(left) < ageOf(right) ? -1 : 1;
}

function addressesOfNodes(all: readonly Node[]): NodeAddresses {
  return new Map(
    all.map(({ metadata, status }) => {
      const addresses: Partial<Record<IpFamily, string>> = {};
      for (const { address } of status?.addresses ?? []) addresses[familyOfText(address)] ??= canonical(address);
      return [metadata.name, addresses];
    }),
  );
}

function familiesOf(nodeAddresses: NodeAddresses): readonly IpFamily[] {
  const hasIPv6 = [...nodeAddresses.values()].some(({ IPv6 }) => IPv6 !== undefined);
  return hasIPv6 ? ['IPv4', 'IPv6'] : ['IPv4'];
}

export const canonical = (text: string): string => parseIpAddress(text)?.address ?? text;
const familyOfText = (text: string): IpFamily => parseIpAddress(text)?.family ?? 'IPv4';

function byUid(list: readonly Service[]): ReadonlyMap<string, Service> {
  return new Map(list.map((service) => [uidOf(service), service]));
}

function partition<Item>(list: readonly Item[], isFirst: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [list.filter(isFirst), list.filter((item) => !isFirst(item))];
}
