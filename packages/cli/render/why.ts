import type { JournalEntry } from '@fairlead/control';
import type { Explanation } from '@fairlead/part';

/** An object's story as one part tells it. */
export interface Story {
  readonly part: string;
  readonly explanation: Explanation;
  /** What a running Fairlead recorded of it; undefined when none was asked. */
  readonly journal?: readonly JournalEntry[];
}

/** The story in plain words: what is wanted, what is there, what was tried, what it waits for, when it tries again. */
export function renderStory(story: Story): string {
  const { explanation, journal } = story;
  const lines = [explanation.answer];
  if (explanation.state === 'not-ours') return lines.join('\n');
  section(lines, 'Wanted', explanation.wanted);
  section(lines, 'There', explanation.there);
  section(lines, 'Tried', tried(journal));
  section(lines, 'Waits for', explanation.waitsFor === undefined ? [] : [explanation.waitsFor]);
  section(lines, 'Tries again', triesAgain(explanation, journal));
  return lines.join('\n');
}

function section(lines: string[], title: string, entries: readonly string[]): void {
  if (entries.length === 0) return;
  lines.push(`  ${title}:`, ...entries.map((entry) => `    - ${entry}`));
}

function tried(journal: readonly JournalEntry[] | undefined): string[] {
  if (journal === undefined) return ['unknown: no running Fairlead was asked (name one with --server)'];
  if (journal.length === 0) return ['nothing that the running Fairlead still remembers'];
  return journal.filter((entry) => entry.kind !== 'waiting').map(entryText);
}

function triesAgain(explanation: Explanation, journal: readonly JournalEntry[] | undefined): string[] {
  const last = journal?.at(-1);
  if (last?.kind === 'waiting' && last.retryAt !== undefined)
    return [`at ${timeText(last.retryAt)}, after ${last.for}`];
  if (explanation.state === 'stuck') return ['as soon as that changes'];
  return [];
}

function entryText(entry: JournalEntry): string {
  const times = entry.count > 1 ? ` (${entry.count} times, last at ${timeText(entry.lastAt)})` : '';
  return `${timeText(entry.at)} ${recordText(entry)}${times}`;
}

function recordText(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'state':
      return entry.because === undefined ? `became ${entry.state}` : `became ${entry.state}: ${entry.because}`;
    case 'step':
      return `${entry.step} (${entry.call}) ${entry.outcome}`;
    case 'call':
      return `${entry.call} answered ${entry.result} in ${Math.round(entry.milliseconds)} ms`;
    case 'error':
      return `failed (${entry.code}, ${entry.verdict}): ${entry.message}`;
    case 'waiting':
      return `waits for ${entry.for}`;
    case 'note':
      return entry.text;
  }
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}
