import { equalJson, type JsonObject } from '../../json.ts';
import {
  type EndpointAddress,
  type EndpointSlice,
  type Endpoints,
  endpointSlices,
  endpointsKind,
  isEndpointSlice,
  isEndpoints,
  type SliceEndpoint,
  type SlicePort,
} from '../kinds/endpoints.ts';
import { services } from '../kinds/service/kind.ts';
import { isService } from '../kinds/service/service.ts';
import { familyOf } from '../validation/addresses.ts';
import type { ControllerContext } from './controller-context.ts';
import { ignoringEnd } from './endpoint-slices.ts';
import { repack } from './subsets.ts';
import { placeOf, WorkQueue } from './work-queue.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLER = 'endpointslicemirroring-controller.k8s.io';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const NOT_MIRRORED = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
]);
const MOST_ENDPOINTS = 1000;
const LONGEST_PREFIX = 248;

/** Shows Endpoints that people wrote by hand as EndpointSlices. */
export function startMirroring(context: ControllerContext): void {
  const { state } = context;
  const queue = new WorkQueue(state.clock, context.delayMilliseconds, (key) => sync(context, key));
  state.store.subscribe(endpointsKind.collection, ({ key }) => queue.add(key));
  state.store.subscribe(services.collection, ({ key }) => queue.add(key));
}

function sync(context: ControllerContext, key: string): void {
  const { client } = context;
  const { namespace, name } = placeOf(key);
  const mirrored = client
    .list(endpointSlices, namespace)
    .filter(isEndpointSlice)
    .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name && metadata.labels[MANAGED_BY] === CONTROLLER);
  const wanted = desired(context, namespace, name);
  const kept = new Set<string>();
  for (const slice of wanted) {
    const same = mirrored.find(
      (candidate) => candidate.addressType === slice.addressType && equalJson(candidate.ports, slice.ports),
    );
    const reused =
      same ?? mirrored.find((other) => !kept.has(other.metadata.name) && other.addressType === slice.addressType);
    if (reused === undefined) {
      ignoringEnd(() => client.create(endpointSlices, { ...slice, metadata: newMetadata(slice.metadata, name) }));
      continue;
    }
    kept.add(reused.metadata.name);
    if (!isSame(reused, slice)) {
      client.update(endpointSlices, { ...slice, metadata: { ...slice.metadata, name: reused.metadata.name } });
    }
  }
  for (const { metadata } of mirrored) {
    if (!kept.has(metadata.name)) client.delete(endpointSlices, namespace, metadata.name);
  }
}

function newMetadata(metadata: JsonObject, name: string): JsonObject {
  return { ...metadata, generateName: `${name.slice(0, LONGEST_PREFIX)}-` };
}

type DesiredSlice = JsonObject & {
  readonly metadata: JsonObject;
  readonly addressType: string;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly SliceEndpoint[];
};

function isSame(slice: EndpointSlice, wanted: DesiredSlice): boolean {
  const byAddress = (endpoints: readonly SliceEndpoint[]): readonly string[] =>
    endpoints.map((endpoint) => JSON.stringify(endpoint)).sort();
  return (
    equalJson(byAddress(slice.endpoints ?? []), byAddress(wanted.endpoints)) &&
    equalJson(slice.metadata.labels ?? {}, wanted.metadata.labels) &&
    equalJson(slice.metadata.annotations ?? {}, wanted.metadata.annotations ?? {})
  );
}

function desired({ client }: ControllerContext, namespace: string | undefined, name: string): readonly DesiredSlice[] {
  const endpoints = client.get(endpointsKind, namespace, name);
  const service = client.get(services, namespace, name);
  if (endpoints === undefined || !isEndpoints(endpoints) || service === undefined) return [];
  const { labels = {}, annotations = {} } = endpoints.metadata;
  if (!isService(service) || service.spec.selector !== undefined) return [];
  if (labels[SKIP] === 'true' || annotations[LEADER] !== undefined) return [];
  return repack(endpoints.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const slicePorts = ports.map(({ name: portName = '', port, protocol = 'TCP', appProtocol }) => ({
      name: portName,
      protocol,
      port,
      ...(appProtocol !== undefined && { appProtocol }),
    }));
    const all = [...addresses.map(endpointOf(true)), ...notReadyAddresses.map(endpointOf(false))];
    return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
      const ofFamily = all.filter((endpoint) => familyOf(endpoint.addresses?.[0] ?? '') === addressType);
      if (ofFamily.length === 0) return [];
      const metadata = mirroredMetadata(endpoints);
      return [{ metadata, addressType, endpoints: ofFamily.slice(0, MOST_ENDPOINTS), ports: slicePorts }];
    });
  });
}

function mirroredMetadata({ metadata }: Endpoints): JsonObject {
  const { name, namespace = '', uid = '', labels = {}, annotations = {} } = metadata;
  const owner = { apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true };
  const mirrored = Object.entries(annotations).filter(([annotation]) => !NOT_MIRRORED.has(annotation));
  return {
    namespace,
    labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER },
    ...(mirrored.length > 0 && { annotations: Object.fromEntries(mirrored) }),
    ownerReferences: [owner],
  };
}

function endpointOf(ready: boolean): (address: EndpointAddress) => SliceEndpoint {
  return ({ ip, hostname, nodeName, targetRef }) => ({
    addresses: [ip],
    conditions: { ready },
    ...(hostname !== undefined && { hostname }),
    ...(targetRef !== undefined && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  });
}
