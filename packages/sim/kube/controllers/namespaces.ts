import { configMaps, serviceAccounts } from '../kinds/configuration.ts';
import type { ServedKind } from '../kinds/kind.ts';
import { isNamespace, type Namespace, type NamespaceCondition, namespaces } from '../kinds/namespace.ts';
import type { KubeObject } from '../object.ts';
import { nowText } from '../server/state.ts';
import type { ControllerContext } from './controller-context.ts';
import { ignoringEnd } from './endpoint-slices.ts';
import { WorkQueue } from './work-queue.ts';

const ROOT_CERTIFICATE = 'kube-root-ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Furnishes new namespaces, and empties those that are deleted. */
export function startNamespaces(context: ControllerContext, certificateAuthority: string): void {
  const { state, client, delayMilliseconds } = context;
  const queue = new WorkQueue(state.clock, delayMilliseconds, (name) => {
    const namespace = client.get(namespaces, undefined, name);
    if (namespace === undefined || !isNamespace(namespace)) return;
    if (namespace.metadata.deletionTimestamp === undefined) furnish(context, name, certificateAuthority);
    else empty(context, namespace);
  });
  state.store.subscribe(namespaces.collection, ({ key }) => queue.add(key));
  state.store.subscribeAll(({ after, before }) => {
    const namespace = before?.object.metadata.namespace;
    if (after === undefined && namespace !== undefined) queue.add(namespace);
  });
}

function furnish({ client }: ControllerContext, namespace: string, certificateAuthority: string): void {
  if (client.get(serviceAccounts, namespace, 'default') === undefined) {
    ignoringEnd(() => client.create(serviceAccounts, { metadata: { name: 'default', namespace } }));
  }
  if (client.get(configMaps, namespace, ROOT_CERTIFICATE) !== undefined) return;
  const annotations = { 'kubernetes.io/description': DESCRIPTION };
  const data = { 'ca.crt': certificateAuthority };
  ignoringEnd(() => client.create(configMaps, { metadata: { name: ROOT_CERTIFICATE, namespace, annotations }, data }));
}

function empty(context: ControllerContext, namespace: Namespace): void {
  const { state, client } = context;
  const { name } = namespace.metadata;
  const kinds = state.registry.collections().filter((kind) => kind.namespaced);
  for (const kind of kinds) {
    for (const { metadata } of client.list(kind, name)) {
      client.delete(kind, name, metadata.name, { propagation: 'Background' });
    }
  }
  const remaining = kinds.flatMap((kind) => {
    const objects = client.list(kind, name);
    return objects.length === 0 ? [] : [{ kind, objects }];
  });
  if (remaining.length > 0) {
    const conditions = conditionsOf(remaining, namespace, nowText(state));
    client.modify(namespaces, undefined, name, (object) => withConditions(object, conditions), 'status');
    return;
  }
  client.modify(namespaces, undefined, name, (object) => ({ ...object, spec: {} }), 'finalize');
}

function withConditions(object: KubeObject, conditions: readonly NamespaceCondition[]): KubeObject {
  return isNamespace(object) ? { ...object, status: { ...object.status, conditions } } : object;
}

interface Remaining {
  readonly kind: ServedKind;
  readonly objects: readonly KubeObject[];
}

const CALM: readonly (readonly [type: string, reason: string, message: string])[] = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
];

function conditionsOf(
  remaining: readonly Remaining[],
  namespace: Namespace,
  now: string,
): readonly NamespaceCondition[] {
  const resources = remaining.map(({ kind, objects }) => {
    const resource = kind.group === '' ? `${kind.plural}.` : `${kind.plural}.${kind.group}`;
    return `${resource} has ${objects.length} resource instances`;
  });
  const counts = new Map<string, number>();
  for (const finalizer of remaining.flatMap(({ objects }) => objects.flatMap(finalizersOf))) {
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  const finalizers = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort();
  const held = `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`;
  const left = `Some resources are remaining: ${resources.sort().join(', ')}`;
  const before = new Map((namespace.status.conditions ?? []).map((condition) => [condition.type, condition]));
  const make = (type: string, status: string, reason: string, message: string): NamespaceCondition => {
    const known = before.get(type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
    return { type, status, lastTransitionTime, reason, message };
  };
  return [
    ...CALM.map(([type, reason, message]) => make(type, 'False', reason, message)),
    make('NamespaceContentRemaining', 'True', 'SomeResourcesRemain', left),
    finalizers.length > 0
      ? make('NamespaceFinalizersRemaining', 'True', 'SomeFinalizersRemain', held)
      : make(
          'NamespaceFinalizersRemaining',
          'False',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ),
  ];
}

function finalizersOf({ metadata }: KubeObject): readonly string[] {
  return metadata.finalizers ?? [];
}
