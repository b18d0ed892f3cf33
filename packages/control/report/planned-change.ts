/** One thing that a part would do, as a plan shows it. */
export interface PlannedChange {
  readonly action: 'adopt' | 'create' | 'update' | 'delete' | 'refuse';
  /** What it is about, as a person would name it: `Service default/web`. */
  readonly subject: string;
  /** What would happen, in a sentence. */
  readonly detail: string;
  /** How many write calls it takes. */
  readonly writes: number;
  /** The addresses that clients use and that are gone then. */
  readonly loses?: readonly string[];
}
