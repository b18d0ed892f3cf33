import { describe, expect, it } from 'vitest';
import { codeOf, errorFields, FairleadError, findFairleadError, messageOf, verdictOf } from './errors.ts';

class QuotaError extends FairleadError {}

const quota = new QuotaError('no addresses left', {
  verdict: 'retriable',
  code: 'quota',
  retryAfterMilliseconds: 5000,
});

describe('errors', () => {
  it('keep verdict, code and delay through any wrapping', () => {
    const wrapped = new Error('while creating', { cause: new Error('in a step', { cause: quota }) });
    expect(findFairleadError(wrapped)).toBe(quota);
    expect([verdictOf(wrapped), codeOf(wrapped), messageOf(wrapped)]).toEqual(['retriable', 'quota', 'while creating']);
    expect(quota).toMatchObject({ name: 'QuotaError', retryAfterMilliseconds: 5000 });
  });

  it.each([new TypeError('a defect'), 'a string', undefined, null])(
    'are terminal when %j is unclassified',
    (thrown) => {
      expect([verdictOf(thrown), codeOf(thrown)]).toEqual(['terminal', 'unexpected']);
    },
  );

  it('are logged by their message, and a defect of ours with its stack', () => {
    expect(errorFields(quota)).toEqual({ error: 'no addresses left' });
    expect(errorFields(new TypeError('a defect')).stack).toContain('errors.test');
    expect(errorFields('a string')).toEqual({ error: 'a string' });
  });

  it('are found in a chain of causes that bites its tail without hanging', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(findFairleadError(first)).toBeUndefined();
  });
});
