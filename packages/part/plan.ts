/** One thing a part would do now. */
export interface PlannedChange {
  readonly action: 'adopt' | 'create' | 'update' | 'delete' | 'refuse';
  /** What it is about, as a person would name it: `Service default/web`. */
  readonly subject: string;
  /** What would happen, in a sentence. */
  readonly detail: string;
  /** How many write calls it takes. */
  readonly writes: number;
}

/** What a part would do now if it ran: read-only, and in the order in which it would do it. */
export interface PartPlan {
  readonly changes: readonly PlannedChange[];
}

/** The write calls of a whole plan. */
export function writesOf(plan: PartPlan): number {
  return plan.changes.reduce((sum, change) => sum + change.writes, 0);
}
