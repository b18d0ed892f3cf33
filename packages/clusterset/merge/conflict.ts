import type { WantedCondition } from '@fairlead/kube';

/** The reasons of the MCS API. */
export type ConflictReason =
  | 'PortConflict'
  | 'TypeConflict'
  | 'SessionAffinityConflict'
  | 'SessionAffinityConfigConflict'
  | 'LabelsConflict'
  | 'AnnotationsConflict'
  | 'InternalTrafficPolicyConflict'
  | 'TrafficDistributionConflict'
  | 'IPFamilyConflict';

export interface Conflict {
  readonly reason: ConflictReason;
  /** What counts and what does not, with the clusters. */
  readonly text: string;
}

/** Where clusters do not agree: what counts, and what does not. */
export interface Difference {
  readonly winner: string;
  /** The oldest cluster. */
  readonly cluster: string;
  readonly losers: readonly { readonly value: string; readonly clusters: readonly string[] }[];
}

/** A condition has at most 32,768 characters, and people read fewer. */
const LONGEST_VALUE = 200;
const LONGEST_LIST = 10;
const LONGEST_MESSAGE = 8_000;

/** How the clusters, sorted by age, differ in what `valueOf` says of them; undefined when they agree. */
export function differenceIn<One extends { readonly cluster: string }>(
  sorted: readonly One[],
  valueOf: (one: One) => string,
): Difference | undefined {
  const [oldest] = sorted;
  if (oldest === undefined) return undefined;
  const winner = valueOf(oldest);
  const losers = new Map<string, string[]>();
  for (const one of sorted) {
    const value = valueOf(one);
    if (value !== winner) losers.set(value, [...(losers.get(value) ?? []), one.cluster]);
  }
  if (losers.size === 0) return undefined;
  return {
    winner: cut(winner, LONGEST_VALUE),
    cluster: oldest.cluster,
    losers: [...losers].map(([value, clusters]) => ({ value: cut(value, LONGEST_VALUE), clusters })),
  };
}

/** The condition that the exports of all clusters get, with all conflicts at once. */
export function conflictCondition(conflicts: readonly Conflict[]): WantedCondition {
  if (conflicts.length === 0) {
    return { type: 'Conflict', status: 'False', reason: 'NoConflicts', message: 'All clusters export the same.' };
  }
  const reason = conflicts.map((conflict) => conflict.reason).join(',');
  const message = cut(conflicts.map(({ text }) => `${text}.`).join(' '), LONGEST_MESSAGE);
  return { type: 'Conflict', status: 'True', reason, message };
}

/** `a, b and 12 more`. */
export function listed(words: readonly string[], separator = ', '): string {
  const shown = words.slice(0, LONGEST_LIST).join(separator);
  return words.length <= LONGEST_LIST ? shown : `${shown} and ${words.length - LONGEST_LIST} more`;
}

function cut(value: string, length: number): string {
  return value.length <= length ? value : `${value.slice(0, length - 1)}…`;
}
