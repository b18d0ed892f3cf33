import { nodes } from '../kinds/node.ts';
import { pods } from '../kinds/pod/kind.ts';
import { isPod, type Pod } from '../kinds/pod/pod.ts';
import { services } from '../kinds/service/kind.ts';
import { isService, type Service } from '../kinds/service/service.ts';
import type { KubeObject } from '../object.ts';
import { matchesLabels } from '../selectors.ts';
import { keyOf } from '../store/store.ts';
import type { ControllerContext } from './controller-context.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** Calls back with the key of a Service whenever its endpoints may have changed. */
export function onEndpointChange(context: ControllerContext, changed: (key: string) => void): void {
  const { store } = context.state;
  store.subscribe(services.collection, ({ key }) => changed(key));
  store.subscribe(pods.collection, ({ before, after }) => {
    if (before !== undefined && after !== undefined && isSameEndpoint(before.object, after.object)) return;
    const keys = new Set([before, after].flatMap((stored) => servicesSelecting(context, stored?.object)));
    for (const key of keys) changed(key);
  });
  store.subscribe(nodes.collection, ({ key, before, after }) => {
    if (before !== undefined && after !== undefined && zoneOf(before.object) === zoneOf(after.object)) return;
    for (const pod of context.client.list(pods)) {
      if (!isPod(pod) || pod.spec.nodeName !== key) continue;
      for (const service of servicesSelecting(context, pod)) changed(service);
    }
  });
}

function zoneOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[ZONE];
}

/** Unchanged parts of an object are identical, which makes this a quick question. */
function isSameEndpoint(before: KubeObject, after: KubeObject): boolean {
  return (
    before.spec === after.spec &&
    before.status === after.status &&
    before.metadata.labels === after.metadata.labels &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp
  );
}

/** The keys of the Services that select a pod. */
function servicesSelecting({ state }: ControllerContext, pod: KubeObject | undefined): readonly string[] {
  if (pod === undefined) return [];
  const { namespace, labels = {} } = pod.metadata;
  const keys: string[] = [];
  for (const { object } of state.store.list(services.collection, namespace)) {
    if (!isService(object) || !hasSelector(object)) continue;
    if (matchesLabels(object.spec.selector ?? {}, labels)) keys.push(keyOf(namespace, object.metadata.name));
  }
  return keys;
}

/** True for Services whose endpoints the cluster finds by itself. */
export function hasSelector({ spec }: Service): boolean {
  return spec.type !== 'ExternalName' && spec.selector !== undefined;
}

/** The pods that a Service selects, by name. */
export function podsOf({ state }: ControllerContext, { metadata, spec }: Service): readonly Pod[] {
  const selector = spec.selector ?? {};
  const selected: Pod[] = [];
  for (const { object } of state.store.list(pods.collection, metadata.namespace)) {
    if (matchesLabels(selector, object.metadata.labels ?? {}) && isPod(object)) selected.push(object);
  }
  return selected;
}
