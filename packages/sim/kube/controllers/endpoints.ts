import { equalJson } from '../../json.ts';
import { type EndpointAddress, type EndpointPort, type EndpointSubset, endpointsKind } from '../kinds/endpoints.ts';
import { isReady, type Pod } from '../kinds/pod/pod.ts';
import { services } from '../kinds/service/kind.ts';
import { isService, type Service } from '../kinds/service/service.ts';
import { familyOf } from '../validation/addresses.ts';
import type { ControllerContext } from './controller-context.ts';
import { type EndpointWork, ignoringEnd, isEndpoint, isNamedIn } from './endpoint-slices.ts';
import { hasSelector, podsOf } from './endpoint-work.ts';
import { portOf } from './pod-ports.ts';
import { repack } from './subsets.ts';
import { TriggerTimes } from './trigger-times.ts';
import { placeOf, WorkQueue } from './work-queue.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER = 'endpoint-controller';
const HEADLESS = 'service.kubernetes.io/headless';
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Keeps Endpoints in step with Services that select pods. */
export function startEndpoints(context: ControllerContext): EndpointWork {
  const times = new TriggerTimes();
  const { clock } = context.state;
  const queue = new WorkQueue(clock, context.delayMilliseconds, (key) => sync(context, times, key));
  return (key) => queue.add(key);
}

function sync(context: ControllerContext, times: TriggerTimes, key: string): void {
  const { client } = context;
  const { namespace, name } = placeOf(key);
  const service = client.get(services, namespace, name);
  if (service === undefined) {
    times.forget(key);
    client.delete(endpointsKind, namespace, name);
    return;
  }
  if (!isService(service) || !hasSelector(service)) return;
  const selected = podsOf(context, service);
  const triggerTime = times.next(key, service, selected);
  const subsets = repack(selected.flatMap((pod) => subsetsOf(service, pod)));
  const current = client.get(endpointsKind, namespace, name);
  const labels = labelsOf(service);
  if (
    current !== undefined &&
    equalJson(current.subsets ?? [], subsets) &&
    equalJson(current.metadata.labels, labels)
  ) {
    return;
  }
  const { [TRIGGER_TIME]: _, ...others } = current?.metadata.annotations ?? {};
  const annotations = triggerTime === undefined ? others : { ...others, [TRIGGER_TIME]: triggerTime };
  const metadata = { ...current?.metadata, name, namespace: namespace ?? '', labels, annotations };
  if (current !== undefined) client.update(endpointsKind, { ...current, metadata, subsets });
  else ignoringEnd(() => client.create(endpointsKind, { metadata, subsets }));
}

function labelsOf({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const { [HEADLESS]: _, ...labels } = metadata.labels ?? {};
  const headless = spec.clusterIP === 'None' || spec.clusterIP === undefined;
  return { ...labels, ...(headless && { [HEADLESS]: '' }), [MANAGED_BY]: CONTROLLER };
}

/** One subset for each port; `repack` puts together what belongs together. */
function subsetsOf(service: Service, pod: Pod): readonly EndpointSubset[] {
  const publishAll = service.spec.publishNotReadyAddresses === true;
  if (!isEndpoint(pod) || (pod.metadata.deletionTimestamp !== undefined && !publishAll)) return [];
  const address = addressOf(service, pod);
  if (address === undefined) return [];
  const ready = publishAll || isReady(pod);
  const subset = (ports: readonly EndpointPort[]): EndpointSubset =>
    ready ? { addresses: [address], ports } : { notReadyAddresses: [address], ports };
  const ports = service.spec.ports ?? [];
  if (ports.length === 0) return service.spec.clusterIP === 'None' ? [subset([])] : [];
  return ports.flatMap((servicePort) => {
    const port = portOf(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = servicePort;
    return [
      subset([
        { ...(name !== undefined && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) },
      ]),
    ];
  });
}

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const family = service.spec.ipFamilies?.[0] ?? 'IPv4';
  const found = pod.status.podIPs?.find(({ ip }) => familyOf(ip) === family);
  if (found === undefined) return undefined;
  const { name, namespace = '', uid = '' } = pod.metadata;
  return {
    ip: found.ip,
    ...(isNamedIn(pod, service) && { hostname: pod.spec.hostname ?? '' }),
    nodeName: pod.spec.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}
