import { expect, it } from 'vitest';
import { OpenStackError } from './errors.ts';

const answer = (status: number, retryAfterMilliseconds?: number) =>
  new OpenStackError({ what: 'GET ports' }, { status, headers: {}, text: '{}', retryAfterMilliseconds });

it('takes a 413 that says when to come back for throttling, as older services mean it', () => {
  expect(answer(429).problem).toBe('throttled');
  expect(answer(413, 5_000)).toMatchObject({ problem: 'throttled', verdict: 'retriable' });
  expect(answer(413).problem).toBe('invalid');
});
