import { equalJson, type JsonObject, objectOf, without } from '../../json.ts';
import { RequestFailure } from '../failure.ts';
import {
  type EndpointSlice,
  endpointSlices,
  isEndpointSlice,
  type SliceEndpoint,
  type SlicePort,
} from '../kinds/endpoints.ts';
import { nodes } from '../kinds/node.ts';
import { isReady, isTerminal, type Pod } from '../kinds/pod/pod.ts';
import { services } from '../kinds/service/kind.ts';
import { isService, type Service } from '../kinds/service/service.ts';
import { keyOf } from '../store/store.ts';
import { familyOf } from '../validation/addresses.ts';
import type { ControllerContext } from './controller-context.ts';
import { hasSelector, podsOf } from './endpoint-work.ts';
import { portOf } from './pod-ports.ts';
import { TriggerTimes } from './trigger-times.ts';
import { placeOf, WorkQueue } from './work-queue.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const CONTROLLER = 'endpointslice-controller.k8s.io';
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';
const ZONE = 'topology.kubernetes.io/zone';
const MOST_ENDPOINTS = 100;
const LONGEST_PREFIX = 248;

/** Keeps EndpointSlices in step with Services that select pods. */
export function startEndpointSlices(context: ControllerContext): EndpointWork {
  const { state } = context;
  const times = new TriggerTimes();
  const queue = new WorkQueue(state.clock, context.delayMilliseconds, (key) => sync(context, times, key));
  state.store.subscribe(endpointSlices.collection, ({ before, after }) => {
    const { metadata } = before?.object ?? {};
    const service = metadata?.labels?.[SERVICE_NAME];
    if (after === undefined && service !== undefined) queue.add(keyOf(metadata?.namespace, service));
  });
  return (key) => queue.add(key);
}

/** Takes the key of a Service whose endpoints may have changed. */
export type EndpointWork = (key: string) => void;

export function isEndpoint(pod: Pod): boolean {
  return !isTerminal(pod) && (pod.status.podIPs ?? []).length > 0;
}

function sync(context: ControllerContext, times: TriggerTimes, key: string): void {
  const { namespace, name } = placeOf(key);
  const service = context.client.get(services, namespace, name);
  if (service === undefined) times.forget(key);
  if (service === undefined || !isService(service) || !hasSelector(service)) return;
  const selected = podsOf(context, service);
  const triggerTime = times.next(key, service, selected);
  const existing = context.client.list(endpointSlices, namespace).filter(isEndpointSlice).filter(isOursOf(name));
  const families: readonly string[] = service.spec.ipFamilies ?? [];
  for (const family of families) {
    const ofFamily = existing.filter(({ addressType }) => addressType === family);
    carryOut(context, service, triggerTime, plan(context, service, selected, family, ofFamily));
  }
  for (const slice of existing) {
    if (!families.includes(slice.addressType)) context.client.delete(endpointSlices, namespace, slice.metadata.name);
  }
}

function isOursOf(service: string): (slice: EndpointSlice) => boolean {
  return ({ metadata }) =>
    metadata.labels?.[SERVICE_NAME] === service &&
    metadata.labels[MANAGED_BY] === CONTROLLER &&
    metadata.deletionTimestamp === undefined;
}

interface SlicePlan {
  readonly creates: JsonObject[];
  readonly updates: JsonObject[];
  readonly deletes: EndpointSlice[];
}

interface Group {
  readonly ports: readonly SlicePort[];
  readonly endpoints: SliceEndpoint[];
}

/** Pods whose ports resolve to the same numbers share slices. */
function plan(
  context: ControllerContext,
  service: Service,
  selected: readonly Pod[],
  family: string,
  existing: readonly EndpointSlice[],
): SlicePlan {
  const groups = new Map<string, Group>();
  for (const pod of selected.filter(isEndpoint)) {
    const ports = portsOf(service, pod);
    const group = groups.get(portKey(ports)) ?? { ports, endpoints: [] };
    groups.set(portKey(ports), group);
    const endpoint = endpointOf(context, service, pod, family);
    if (endpoint !== undefined) group.endpoints.push(endpoint);
  }
  const result: SlicePlan = { creates: [], updates: [], deletes: [] };
  const owned = existing.filter((slice) => isOwnedBy(slice, service));
  result.deletes.push(...existing.filter((slice) => !isOwnedBy(slice, service)));
  for (const [key, group] of groups) {
    const slices = owned.filter((slice) => portKey(slice.ports ?? []) === key);
    fill(service, family, group, slices, result);
  }
  result.deletes.push(...owned.filter((slice) => !groups.has(portKey(slice.ports ?? []))));
  if (existing.length !== result.deletes.length || result.creates.length > 0) return result;
  const [only] = result.deletes;
  const placeholder = newSlice(service, family, [], []);
  const keepsOne = result.deletes.length === 1 && only !== undefined && isPlaceholder(only, placeholder);
  return keepsOne ? { ...result, deletes: [] } : { ...result, creates: [placeholder] };
}

function isPlaceholder(slice: EndpointSlice, placeholder: JsonObject): boolean {
  if (slice.endpoints !== null || slice.ports !== null) return false;
  return equalJson(slice.metadata.labels, objectOf(placeholder.metadata).labels);
}

function isOwnedBy(slice: EndpointSlice, service: Service): boolean {
  return slice.metadata.ownerReferences?.some(({ uid }) => uid === service.metadata.uid) ?? false;
}

/** Keeps endpoints where they are, fills gaps in slices that change anyway, and only then opens new ones. */
function fill(
  service: Service,
  family: string,
  { ports, endpoints }: Group,
  slices: readonly EndpointSlice[],
  result: SlicePlan,
): void {
  const wanted = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const labels = sliceLabels(service);
  const changed: { slice: EndpointSlice; endpoints: SliceEndpoint[] }[] = [];
  const unchanged: EndpointSlice[] = [];
  for (const slice of slices) {
    const before = slice.endpoints ?? [];
    const kept = before.flatMap((endpoint) => {
      const desired = wanted.get(identityOf(endpoint));
      wanted.delete(identityOf(endpoint));
      return desired === undefined ? [] : [desired];
    });
    const same = equalJson(kept, before) && equalJson(labels, slice.metadata.labels);
    if (same) unchanged.push(slice);
    else if (kept.length === 0 && before.length > 0) result.deletes.push(slice);
    else changed.push({ slice, endpoints: kept });
  }
  const waiting = [...wanted.values()];
  changed.sort((left, right) => right.endpoints.length - left.endpoints.length);
  for (const entry of changed) entry.endpoints.push(...waiting.splice(0, MOST_ENDPOINTS - entry.endpoints.length));
  if (waiting.length > 0 && waiting.length < MOST_ENDPOINTS) {
    const roomy = unchanged.find((slice) => (slice.endpoints ?? []).length + waiting.length <= MOST_ENDPOINTS);
    if (roomy !== undefined) {
      changed.push({ slice: roomy, endpoints: [...(roomy.endpoints ?? []), ...waiting.splice(0)] });
    }
  }
  while (waiting.length > 0) {
    result.creates.push(newSlice(service, family, ports, waiting.splice(0, MOST_ENDPOINTS)));
  }
  for (const entry of changed) {
    const { metadata } = entry.slice;
    result.updates.push({ ...entry.slice, metadata: { ...metadata, labels }, endpoints: entry.endpoints });
  }
}

function identityOf({ addresses, targetRef, nodeName, hostname }: SliceEndpoint): string {
  return JSON.stringify([addresses, targetRef?.uid ?? targetRef?.name ?? '', nodeName ?? '', hostname ?? '']);
}

function portKey(ports: readonly SlicePort[]): string {
  const keys = ports.map(({ name = '', port = 0, protocol = '', appProtocol = '' }) =>
    JSON.stringify([name, port, protocol, appProtocol]),
  );
  return keys.sort().join();
}

function portsOf({ spec }: Service, pod: Pod): readonly SlicePort[] {
  return (spec.ports ?? []).flatMap((servicePort) => {
    const port = portOf(pod, servicePort);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    return [{ name, protocol, port, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

/** Undefined for a pod without an address of the family, and for one on a node that does not exist. */
function endpointOf(
  { client }: ControllerContext,
  service: Service,
  pod: Pod,
  family: string,
): SliceEndpoint | undefined {
  const addresses = (pod.status.podIPs ?? []).map(({ ip }) => ip).filter((ip) => familyOf(ip) === family);
  const { nodeName } = pod.spec;
  const node = nodeName === undefined ? undefined : client.get(nodes, undefined, nodeName);
  const publishAll = service.spec.publishNotReadyAddresses === true;
  if (addresses.length === 0 || (node === undefined && !publishAll)) return undefined;
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const zone = node?.metadata.labels?.[ZONE];
  const { name, namespace = '', uid = '' } = pod.metadata;
  return {
    addresses,
    conditions: { ready: publishAll || (serving && !terminating), serving, terminating },
    ...(isNamedIn(pod, service) && { hostname: pod.spec.hostname ?? '' }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName !== undefined && { nodeName }),
    ...(zone !== undefined && { zone }),
  };
}

/** A pod whose subdomain is the Service has a name of its own there. */
export function isNamedIn({ spec }: Pod, { metadata }: Service): boolean {
  return spec.hostname !== undefined && spec.subdomain === metadata.name;
}

function sliceLabels({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const headless = spec.clusterIP === 'None' || spec.clusterIP === undefined;
  return {
    ...metadata.labels,
    ...(headless && { [HEADLESS]: '' }),
    [SERVICE_NAME]: metadata.name,
    [MANAGED_BY]: CONTROLLER,
  };
}

function newSlice(
  service: Service,
  family: string,
  ports: readonly SlicePort[],
  endpoints: readonly SliceEndpoint[],
): JsonObject {
  const { name, namespace = '', uid = '' } = service.metadata;
  const owner = { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true };
  return {
    metadata: {
      generateName: `${name.slice(0, LONGEST_PREFIX)}-`,
      namespace,
      labels: sliceLabels(service),
      ownerReferences: [owner],
    },
    addressType: family,
    endpoints: endpoints.length === 0 ? null : endpoints,
    ports: ports.length === 0 ? null : ports,
  };
}

/** A slice that would be deleted becomes one that would be created, where there are both. */
function carryOut(
  context: ControllerContext,
  service: Service,
  triggerTime: string | undefined,
  found: SlicePlan,
): void {
  const { client } = context;
  const { namespace } = service.metadata;
  const creates = [...found.creates];
  const updates = [...found.updates];
  const deletes = found.deletes.filter((slice) => {
    const replacement = isOwnedBy(slice, service) ? creates.pop() : undefined;
    if (replacement === undefined) return true;
    updates.push({ ...replacement, metadata: { ...objectOf(replacement.metadata), name: slice.metadata.name } });
    return false;
  });
  if (service.metadata.deletionTimestamp === undefined) {
    for (const slice of creates) ignoringEnd(() => client.create(endpointSlices, triggered(slice, triggerTime)));
  }
  for (const slice of updates) client.update(endpointSlices, triggered(slice, triggerTime));
  for (const slice of deletes) client.delete(endpointSlices, namespace, slice.metadata.name);
}

/** The slice with a note of when the change happened that it reports. */
function triggered(slice: JsonObject, time: string | undefined): JsonObject {
  const { annotations, ...metadata } = objectOf(slice.metadata);
  const others = without(objectOf(annotations), TRIGGER_TIME);
  const noted = time === undefined ? others : { ...others, [TRIGGER_TIME]: time };
  return { ...slice, metadata: { ...metadata, annotations: noted } };
}

/** Nothing can be created in a namespace that is about to go. */
export function ignoringEnd(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof RequestFailure) || (error.code !== 403 && error.code !== 404)) throw error;
  }
}
