import {
  asDefinition,
  type Definition,
  type DefinitionCondition,
  isEstablished,
  withCondition,
} from '../crd/definition.ts';
import { CLEANUP_FINALIZER, customResourceDefinitions } from '../crd/kind.ts';
import type { KubeObject } from '../object.ts';
import { withMetadata } from '../object.ts';
import { nowText } from '../server/state.ts';
import type { ControllerContext } from './controller-context.ts';
import { WorkQueue } from './work-queue.ts';

/** Brings definitions into service, and clears up behind those that are deleted. */
export function startCustomResources(context: ControllerContext): void {
  const { state, client, delayMilliseconds } = context;
  const queue = new WorkQueue(state.clock, delayMilliseconds, (name) => {
    const object = client.get(customResourceDefinitions, undefined, name);
    if (object === undefined) return;
    if (object.metadata.deletionTimestamp === undefined) accept(context, asDefinition(object));
    else cleanUp(context, asDefinition(object), () => queue.addLater(name, delayMilliseconds));
  });
  state.store.subscribe(customResourceDefinitions.collection, ({ key, after }) => {
    if (after !== undefined) queue.add(key);
  });
}

function condition(type: string, reason: string, message: string, now: string): DefinitionCondition {
  return { type, status: 'True', lastTransitionTime: now, reason, message };
}

function accept({ state, client }: ControllerContext, definition: Definition): void {
  if (isEstablished(definition)) return;
  const now = nowText(state);
  const named = withCondition(definition, condition('NamesAccepted', 'NoConflicts', 'no conflicts found', now));
  const message = 'the initial names have been accepted';
  const ready = withCondition(named, condition('Established', 'InitialNamesAccepted', message, now));
  const status = { ...ready.status, acceptedNames: definition.spec.names };
  client.update(customResourceDefinitions, { ...ready, status }, 'status');
}

function cleanUp({ state, client }: ControllerContext, definition: Definition, again: () => void): void {
  const { finalizers = [], name } = definition.metadata;
  if (!finalizers.includes(CLEANUP_FINALIZER)) return;
  const collection = `${definition.spec.names.plural}.${definition.spec.group}`;
  const kind = state.registry.ofCollection(collection);
  const instances: readonly KubeObject[] = kind === undefined ? [] : client.list(kind);
  if (kind !== undefined && instances.length > 0) {
    for (const { metadata } of instances) client.delete(kind, metadata.namespace, metadata.name);
    if (client.list(kind).length > 0) {
      again();
      return;
    }
  }
  const rest = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  client.modify(customResourceDefinitions, undefined, name, (object) => withMetadata(object, { finalizers: rest }));
}
