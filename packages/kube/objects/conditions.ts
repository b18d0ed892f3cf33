import type { KubeClient, WriteOptions } from '../api/client.ts';
import { jsonEqual } from '../api/json-equal.ts';
import { type JsonPatchStep, pointer } from '../api/patch.ts';
import { type Resource, statusOf } from '../api/resource.ts';
import { secondTime } from '../api/timestamps.ts';
import type { Condition, KubeObject } from '../types/meta.ts';
import { appendSteps, patchGuarded, replaceSteps } from './guarded-patch.ts';

/** An object that reports by conditions. */
export interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** A condition as it should be; since when is worked out. */
export type WantedCondition = Omit<Condition, 'lastTransitionTime'>;

/** API servers take 32,768 bytes, and people read fewer. */
const LONGEST_MESSAGE = 8_000;

const STATUS = pointer('status');
const PATH = pointer('status', 'conditions');

/** The condition of this type, if the status has it. */
export function findCondition(object: Conditioned, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/**
 * Sets one condition in the status and leaves the others alone; no write when it says so already. `now` is wall time,
 * and counts only when the condition's status changes. Undefined when the object is gone.
 */
export async function setCondition<Kind extends Conditioned>(
  client: KubeClient,
  resource: Resource<Kind>,
  object: Kind,
  wanted: WantedCondition,
  now: number,
  options?: WriteOptions,
): Promise<Kind | undefined> {
  return patchGuarded(client, statusOf(resource), object, (current) => conditionSteps(current, wanted, now), options);
}

/**
 * The conditions of the object with this one as wanted, and the same list when it is so already: for a merge patch,
 * which replaces the whole list and must be guarded by the version of the object.
 */
export function withCondition(object: Conditioned, wanted: WantedCondition, now: number): readonly Condition[] {
  const conditions = object.status?.conditions ?? [];
  const before = findCondition(object, wanted.type);
  const after = conditionAfter(before, wanted, now);
  if (before === undefined) return [...conditions, after];
  return jsonEqual(before, after) ? conditions : conditions.map((other) => (other === before ? after : other));
}

/**
 * A message as API servers take it and give it back, whatever tenants had put into it. Half a character, where it was
 * cut, would come back as another: the condition would be written again and again.
 */
export function conditionMessage(text: string): string {
  const cut = text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE - 1)}…`;
  return cut.toWellFormed();
}

/** The reason of a condition or an Event for the code of an error: `PortTaken` for `port-taken`. */
export function reasonOf(code: string): string {
  return code
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function conditionAfter(before: Condition | undefined, wanted: WantedCondition, now: number): Condition {
  const since = before?.status === wanted.status ? before.lastTransitionTime : secondTime(now);
  return { ...wanted, message: conditionMessage(wanted.message), lastTransitionTime: since };
}

function conditionSteps(object: Conditioned, wanted: WantedCondition, now: number): readonly JsonPatchStep[] {
  const before = findCondition(object, wanted.type);
  const after = conditionAfter(before, wanted, now);
  if (object.status === undefined) {
    return [
      { op: 'test', path: STATUS, value: null },
      { op: 'add', path: STATUS, value: { conditions: [after] } },
    ];
  }
  if (before === undefined) return appendSteps(PATH, object.status.conditions, after);
  if (jsonEqual(before, after)) return [];
  return replaceSteps(PATH, object.status.conditions?.indexOf(before) ?? 0, before, after);
}
