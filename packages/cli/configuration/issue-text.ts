import type { z } from 'zod';
import { nearest } from './nearest.ts';

/** How the schema's own messages begin; all others were written for people. */
const VALIDATOR_WORDS = /^(Invalid|Too small|Too big|Unrecognized|Expected)/;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a section with keys of its own',
  record: 'a section with keys of its own',
  map: 'a section with keys of its own',
  null: 'empty',
};

/** What is wrong with a value, and what to write instead. */
export function issueText(issue: z.core.$ZodIssue): string {
  if (!VALIDATOR_WORDS.test(issue.message)) return issue.message;
  if (issue.code === 'invalid_type') return wrongKind(kindOf(issue.expected), issue.input);
  if (issue.code === 'invalid_value') return wrongWord(issue.values.map(String), issue.input);
  if (issue.code === 'too_small') return `must ${bound('at least', issue.minimum, issue.origin)}`;
  if (issue.code === 'too_big') return `must ${bound('at most', issue.maximum, issue.origin)}`;
  if (issue.code === 'invalid_union') return 'is of none of the forms that are known here';
  if (issue.code !== 'invalid_format') return issue.message;
  return `must be ${issue.format === 'url' ? 'a URL, such as https://example.com' : `of the form ${issue.format}`}`;
}

function wrongWord(known: readonly string[], given: unknown): string {
  if (given === undefined) return `is missing: write one of ${known.join(', ')}`;
  const word = shown(given);
  const meant = nearest(word, known);
  return `must be one of ${known.join(', ')}, and is ${word}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

function wrongKind(expected: string, given: unknown): string {
  if (given === undefined) return `is missing: write ${expected}`;
  const advice = expected === 'a text' && typeof given !== 'object' ? ': put it in quotes' : '';
  return `must be ${expected}, and is ${kindOfValue(given)}${advice}`;
}

function bound(word: string, limit: number | bigint, origin: string): string {
  if (origin === 'array' || origin === 'set') return `have ${word} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  if (origin === 'string') return limit === 1 ? 'not be empty' : `have ${word} ${limit} characters`;
  return `be ${word} ${limit}`;
}

function kindOfValue(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return kindOf(typeof value);
}

function kindOf(name: string): string {
  return KINDS[name] ?? name;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
