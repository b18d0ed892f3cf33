import type { JournalEntry } from '@fairlead/control';
import type { Explanation } from '@fairlead/part';
import { type Palette, plain } from './palette.ts';
import { oneLine } from './printable.ts';

/** Why an object is as it is, as one part tells it. */
export interface WhyReport {
  readonly part: string;
  readonly explanation: Explanation;
  /** Who leads the part, where one does. */
  readonly leader?: string;
  /** What a running Fairlead recorded of it, or why none could be asked. */
  readonly tried: readonly JournalEntry[] | string;
}

const PAINTS: Readonly<Record<Explanation['state'], keyof Palette>> = {
  'as-wanted': 'good',
  working: 'careful',
  stuck: 'bad',
  'not-ours': 'faint',
};

/** The report in plain words: what is wanted, what is there, what was tried, what it waits for, when it tries again. */
export function renderReport(report: WhyReport, palette: Palette = plain): string {
  const { explanation, leader, tried: journal } = report;
  const lines = [palette[PAINTS[explanation.state]](oneLine(explanation.answer))];
  if (explanation.state === 'not-ours') return lines.join('\n');
  const section = (title: string, entries: readonly string[]) => {
    if (entries.length > 0)
      lines.push(palette.strong(`  ${title}:`), ...entries.map((entry) => `    - ${oneLine(entry)}`));
  };
  section('Wanted', explanation.wanted);
  section('There', explanation.there);
  section('Led', leader === undefined ? [] : [`${report.part}: ${leader}`]);
  section('Tried', tried(journal));
  section('Waits for', explanation.waitsFor === undefined ? [] : [explanation.waitsFor]);
  section('Tries again', triesAgain(explanation, journal));
  return lines.join('\n');
}

function tried(journal: readonly JournalEntry[] | string): string[] {
  if (typeof journal === 'string') return [`unknown: no running Fairlead could be asked: ${journal}`];
  if (journal.length === 0) return ['nothing that the running Fairlead still remembers'];
  return journal.filter((entry) => entry.kind !== 'waiting').map(entryText);
}

function triesAgain(explanation: Explanation, journal: readonly JournalEntry[] | string): string[] {
  const last = typeof journal === 'string' ? undefined : journal.at(-1);
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
