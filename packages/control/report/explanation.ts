/** Why an object is as it is, in sentences for a person at 3 a.m. */
export interface Explanation {
  /** One sentence that answers the question. */
  readonly answer: string;
  readonly state: 'as-wanted' | 'working' | 'stuck' | 'not-ours';
  readonly wanted: readonly string[];
  readonly there: readonly string[];
  /** What it waits for, and what would end the wait. */
  readonly waitsFor?: string | undefined;
}
