import type { RecordData, RecordType } from '../wire/index.ts';

/** What there is of one type at a name, and how replies take turns with it. */
export interface RecordSet {
  readonly type: RecordType;
  readonly seconds: number;
  readonly records: readonly RecordData[];
  readonly order: AnswerOrder;
}

export type AnswerOrder =
  | { readonly kind: 'fixed' }
  /** All of them in each reply; the first `preferred` stay first, and each of the two shares rotates. */
  | { readonly kind: 'rotate'; readonly preferred: number }
  /** One group in each reply. `ends`: where each group ends; `schedule`: which group is next, in turn. */
  | { readonly kind: 'pick'; readonly ends: readonly number[]; readonly schedule: readonly number[] };

export const FIXED: AnswerOrder = { kind: 'fixed' };

/** By full name in lower case. A name without sets is there, and has no records. */
export type NamedRecords = ReadonlyMap<string, readonly RecordSet[]>;
