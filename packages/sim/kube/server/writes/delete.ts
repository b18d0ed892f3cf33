import { conflict, notFound } from '../../failure.ts';
import type { KindContext, ServedKind } from '../../kinds/kind.ts';
import { type KubeObject, type ObjectMeta, withMetadata } from '../../object.ts';
import { secondsText } from '../../schema/formats.ts';
import { StoredObject } from '../../store/stored-object.ts';
import { kindContext, type ServerState } from '../state.ts';
import type { DeleteOptions } from './delete-options.ts';
import { checkPathName } from './update.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** What is left of an object, or what it was when it went; `gone` tells which. */
export interface Deleted {
  readonly stored: StoredObject;
  readonly gone: boolean;
}

export interface DeleteTarget {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Deletes an object, or begins to: something that holds it, or its grace period, may keep it for a while. */
export function deleteObject(state: ServerState, target: DeleteTarget, options: DeleteOptions): Deleted {
  const { kind, namespace, name } = target;
  checkPathName(name);
  const stored = state.store.get(kind.collection, namespace, name);
  if (stored === undefined) throw notFound({ group: kind.group, resource: kind.plural }, name);
  checkPreconditions(kind, stored.object.metadata, options);
  const context = kindContext(state, options.dryRun, []);
  const marked = kind.rules.markDeleted(stored.object, context);
  if (marked !== undefined) {
    const finalizers = finalizersFor(kind, marked.metadata, options);
    const held = withMetadata(marked, { finalizers: finalizers.length > 0 ? finalizers : undefined });
    return { stored: write(state, kind, stored, held, options), gone: false };
  }
  const grace = graceOf(kind, stored.object, options, context);
  if (grace === 'pending') return { stored, gone: false };
  const finalizers = finalizersFor(kind, stored.object.metadata, options);
  if (grace === 'none') {
    if (finalizers.length === 0) return remove(state, kind, stored, options, context);
    const held = markedNow(stored.object, finalizers, context.now);
    return { stored: write(state, kind, stored, held, options), gone: false };
  }
  const ending = withMetadata(grace.object, { finalizers: finalizers.length > 0 ? finalizers : undefined });
  const written = write(state, kind, stored, ending, options);
  if (finalizers.length > 0 || grace.seconds > 0) return { stored: written, gone: false };
  return remove(state, kind, written, options, context);
}

function checkPreconditions(kind: ServedKind, metadata: ObjectMeta, { uid, resourceVersion }: DeleteOptions): void {
  const resource = { group: kind.group, resource: kind.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''})`;
    throw conflict(resource, metadata.name, `${why}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const record = metadata.resourceVersion ?? '';
    const why = `does not match the ResourceVersion in record (${record}). The object might have been modified`;
    throw conflict(resource, metadata.name, `the ResourceVersion in the precondition (${resourceVersion}) ${why}`);
  }
}

type Grace = 'none' | 'pending' | { readonly object: KubeObject; readonly seconds: number };

/** Works out how long the object may go on, and never makes that longer than it was. */
function graceOf(kind: ServedKind, object: KubeObject, options: DeleteOptions, { now }: KindContext): Grace {
  const asked = options.gracePeriodSeconds;
  const period = asked !== undefined && asked < 0 ? 1 : asked;
  const supported = kind.rules.gracePeriod(object, period);
  if (supported === undefined) return 'none';
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = object.metadata;
  if (deletionTimestamp !== undefined) {
    if (deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === 0) return 'none';
    if (period === undefined || period >= deletionGracePeriodSeconds) return 'pending';
    const started = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
    const ends = Math.max(started + period * 1000, Date.parse(now));
    const late = started + period * 1000 < Date.parse(now);
    const seconds = late && period !== 0 ? 1 : period;
    const metadata = { deletionTimestamp: secondsText(ends), deletionGracePeriodSeconds: seconds };
    return { object: withMetadata(object, metadata), seconds };
  }
  const ends = secondsText(Date.parse(now) + supported * 1000);
  const next = generation === undefined ? {} : { generation: generation + 1 };
  const metadata = { deletionTimestamp: ends, deletionGracePeriodSeconds: supported, ...next };
  return { object: withMetadata(object, metadata), seconds: supported };
}

/** The garbage collector holds an object whose dependents it shall orphan, or delete first. */
function finalizersFor(kind: ServedKind, metadata: ObjectMeta, { propagation }: DeleteOptions): readonly string[] {
  const current = metadata.finalizers ?? [];
  if (kind.rules.uncollected) return current;
  const others = current.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  switch (propagation) {
    case 'Orphan':
      return [...others, ORPHAN];
    case 'Foreground':
      return [...others, FOREGROUND];
    case 'Background':
      return others;
    case undefined:
      return current;
  }
}

function markedNow(object: KubeObject, finalizers: readonly string[], now: string): KubeObject {
  const { deletionTimestamp, generation } = object.metadata;
  const first = deletionTimestamp === undefined;
  const earliest = first || deletionTimestamp > now ? now : deletionTimestamp;
  return withMetadata(object, {
    deletionTimestamp: earliest,
    deletionGracePeriodSeconds: 0,
    finalizers,
    ...(first && generation !== undefined && { generation: generation + 1 }),
  });
}

function write(
  state: ServerState,
  kind: ServedKind,
  stored: StoredObject,
  next: KubeObject,
  { dryRun }: DeleteOptions,
): StoredObject {
  if (isSame(next.metadata, stored.object.metadata)) return stored;
  if (dryRun) return new StoredObject(next, stored.resourceVersion);
  return state.store.put(kind.collection, next);
}

/** A deletion changes nothing but the marks of deletion. */
function isSame(next: ObjectMeta, previous: ObjectMeta): boolean {
  return (
    next.deletionTimestamp === previous.deletionTimestamp &&
    next.deletionGracePeriodSeconds === previous.deletionGracePeriodSeconds &&
    (next.finalizers ?? []).join() === (previous.finalizers ?? []).join()
  );
}

function remove(
  state: ServerState,
  kind: ServedKind,
  stored: StoredObject,
  { dryRun }: DeleteOptions,
  context: KindContext,
): Deleted {
  if (dryRun) return { stored, gone: true };
  const { namespace, name } = stored.object.metadata;
  const removed = state.store.remove(kind.collection, namespace, name) ?? stored;
  kind.rules.settle(undefined, stored.object, context);
  return { stored: removed, gone: true };
}
