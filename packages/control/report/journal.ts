import { codeOf, messageOf, type Verdict, verdictOf } from '../errors.ts';
import type { Clock } from '../time/clock.ts';

/** Something that happened to an object, or that it is doing. Times are wall time in milliseconds. */
export type JournalRecord =
  | { readonly kind: 'state'; readonly state: string; readonly because?: string | undefined }
  | {
      readonly kind: 'step';
      readonly step: string;
      readonly call: string;
      readonly outcome: 'started' | 'done' | 'failed' | 'interrupted';
    }
  | { readonly kind: 'call'; readonly call: string; readonly result: string; readonly milliseconds: number }
  | { readonly kind: 'error'; readonly code: string; readonly verdict: Verdict; readonly message: string }
  /** `for` says what it waits for; `retryAt` when it tries again, if it does so by itself. */
  | { readonly kind: 'waiting'; readonly for: string; readonly retryAt?: number | undefined }
  | { readonly kind: 'note'; readonly text: string };

/** A record with when it was made first and last, and how often. */
export type JournalEntry = JournalRecord & { readonly at: number; readonly lastAt: number; readonly count: number };

export interface JournalLimits {
  readonly keys: number;
  readonly entriesPerKey: number;
}

/** About 20 MB when full. */
const DEFAULT_LIMITS: JournalLimits = { keys: 2000, entriesPerKey: 40 };

/** A retry loop makes a few records in each round; within this many entries a repeat is folded into the last one. */
const FOLD_DISTANCE = 9;

/** Servers can be talkative. */
const LONGEST_TEXT = 500;

/** What happened to each object, bounded: the newest entries of the objects touched last. */
export class Journal {
  readonly #clock: Clock;
  readonly #limits: JournalLimits;
  /** Object key -> its entries, oldest first. The key touched last stands last. */
  readonly #entriesByKey = new Map<string, JournalEntry[]>();
  #touchedLast: string | undefined;

  constructor(clock: Clock, limits: JournalLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** `key` names the object as people do: `service default/web`. */
  record(key: string, record: JournalRecord): void {
    const entries = this.#touch(key);
    const now = this.#clock.now();
    const kept = withinBounds(record);
    const earlier = takeRepeated(entries, kept);
    entries.push({ ...kept, at: earlier?.at ?? now, lastAt: now, count: countAfter(earlier) });
    if (entries.length > this.#limits.entriesPerKey) entries.shift();
  }

  recordError(key: string, error: unknown): void {
    this.record(key, { kind: 'error', code: codeOf(error), verdict: verdictOf(error), message: messageOf(error) });
  }

  /** Oldest first; empty for a key without records. */
  entries(key: string): readonly JournalEntry[] {
    return [...(this.#entriesByKey.get(key) ?? [])];
  }

  /** The one touched last comes last. */
  keys(): readonly string[] {
    return [...this.#entriesByKey.keys()];
  }

  #touch(key: string): JournalEntry[] {
    const entries = this.#entriesByKey.get(key) ?? [];
    if (key === this.#touchedLast) return entries;
    this.#touchedLast = key;
    this.#entriesByKey.delete(key);
    this.#entriesByKey.set(key, entries);
    if (this.#entriesByKey.size > this.#limits.keys) {
      const [oldest] = this.#entriesByKey.keys();
      if (oldest !== undefined) this.#entriesByKey.delete(oldest);
    }
    return entries;
  }
}

/** Cuts what others may have written; the names of steps, calls and states are ours. */
function withinBounds(record: JournalRecord): JournalRecord {
  switch (record.kind) {
    case 'state':
      return record.because === undefined ? record : { ...record, because: cut(record.because) };
    case 'error':
      return { ...record, message: cut(record.message) };
    case 'waiting':
      return { ...record, for: cut(record.for) };
    case 'note':
      return { ...record, text: cut(record.text) };
    case 'step':
    case 'call':
      return record;
  }
}

/** Copies, too: a mere slice would keep all of the long text in memory. */
function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : Buffer.from(text.slice(0, LONGEST_TEXT)).toString();
}

/** Takes the recent entry that says the same out of the entries, if there is one. */
function takeRepeated(entries: JournalEntry[], record: JournalRecord): JournalEntry | undefined {
  const oldest = Math.max(0, entries.length - FOLD_DISTANCE);
  for (let index = entries.length - 1; index >= oldest; index -= 1) {
    const entry = entries[index];
    if (entry !== undefined && saysTheSame(entry, record)) return entries.splice(index, 1)[0];
  }
  return undefined;
}

/** The end of a step that was started completes its entry; everything else counts one more. */
function countAfter(earlier: JournalEntry | undefined): number {
  if (earlier === undefined) return 1;
  const completes = earlier.kind === 'step' && earlier.outcome === 'started';
  return earlier.count + (completes ? 0 : 1);
}

/** Durations, times and the outcome of a step make no difference. */
function saysTheSame(entry: JournalRecord, record: JournalRecord): boolean {
  switch (entry.kind) {
    case 'state':
      return record.kind === 'state' && entry.state === record.state && entry.because === record.because;
    case 'step':
      return record.kind === 'step' && entry.step === record.step && entry.call === record.call;
    case 'call':
      return record.kind === 'call' && entry.call === record.call && entry.result === record.result;
    case 'error':
      return record.kind === 'error' && entry.code === record.code && entry.message === record.message;
    case 'waiting':
      return record.kind === 'waiting' && entry.for === record.for;
    case 'note':
      return record.kind === 'note' && entry.text === record.text;
  }
}
