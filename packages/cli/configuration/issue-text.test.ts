import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueText } from './issue-text.ts';

function textFor(schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).map(issueText).join('; ');
}

describe('what is wrong with a value', () => {
  it.each([
    ['a list that is missing', z.array(z.string()), undefined, 'is missing: write a list'],
    ['a number for a text', z.string(), 7, 'must be a text, and is a number: put it in quotes'],
    ['a text for a list', z.array(z.string()), 'a', 'must be a list, and is a text'],
    ['a text for a section', z.strictObject({}), 'a', 'must be a section with keys of its own, and is a text'],
    ['nothing after a key', z.strictObject({}), null, 'must be a section with keys of its own, and is empty'],
    [
      'a word that is not known',
      z.enum(['info', 'warn']),
      'wran',
      'must be one of info, warn, and is wran: did you mean warn?',
    ],
    ['a word that is far off', z.enum(['info', 'warn']), 'loudly', 'must be one of info, warn, and is loudly'],
    ['a word that is missing', z.enum(['info', 'warn']), undefined, 'is missing: write one of info, warn'],
    ['too few', z.array(z.string()).min(1), [], 'must have at least 1 entry'],
    ['too small a number', z.int().min(15), 3, 'must be at least 15'],
    ['too large a number', z.int().max(15), 30, 'must be at most 15'],
    ['a fraction', z.int(), 1.5, 'must be a whole number, and is a number'],
    ['an empty text', z.string().min(1), '', 'must not be empty'],
    ['no URL', z.url(), 'nowhere', 'must be a URL, such as https://example.com'],
    [
      'what a schema says in its own words',
      z.string().refine(() => false, 'must be HOST:PORT'),
      'a',
      'must be HOST:PORT',
    ],
  ] as const)('%s', (_, schema, value, text) => {
    expect(textFor(schema, value)).toBe(text);
  });
});
