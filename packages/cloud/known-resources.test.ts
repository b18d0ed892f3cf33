import { FairleadError, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { CloudError } from './cloud-error.ts';
import { type Known, KnownResources } from './known-resources.ts';

const absent = { state: 'absent' } as const;
const unknown = { state: 'unknown' } as const;
const present = (body: string): Known<string> => ({ state: 'present', body });

const refusal = { status: 400, verdict: 'terminal', code: 'no', isThrottling: false } as const;
const failures = {
  refused: new CloudError('no', refusal),
  throttled: new CloudError('slower', { ...refusal, status: 429, verdict: 'retriable', isThrottling: true }),
  'refused after an attempt without an answer': new CloudError('no', { ...refusal, mayHaveTakenEffect: true }),
  'refused for now': new CloudError('busy', { ...refusal, status: 409, verdict: 'retriable' }),
  'accepted, and failed later': new CloudError('broken', { ...refusal, status: 200 }),
  'without an answer': new FairleadError('reset', { verdict: 'retriable', code: 'connection-reset' }),
  'not sent for a reason that is no answer': new FairleadError('no', { verdict: 'terminal', code: 'untrusted-link' }),
};

describe('what is known of a resource', () => {
  it('is unknown while a write is under way, and what the caller says afterwards', async () => {
    const things = new KnownResources<string>(new VirtualClock());
    expect(things.get('web')).toEqual(absent);
    const made = await things.changing('web', async () => {
      expect(things.get('web')).toEqual(unknown);
      expect([...things.present()]).toEqual([]);
      return 'made';
    });
    things.set('web', present(made));
    expect(things.get('web')).toEqual(present('made'));
    expect([...things.present()]).toEqual(['made']);
  });

  it.each([
    ['refused', present('old')],
    ['throttled', present('old')],
    ['refused after an attempt without an answer', unknown],
    ['refused for now', unknown],
    ['accepted, and failed later', unknown],
    ['without an answer', unknown],
    ['not sent for a reason that is no answer', unknown],
  ] as const)('after a write that was %s: %j', async (how, known) => {
    const things = new KnownResources<string>(new VirtualClock());
    things.set('web', present('old'));
    await expect(things.changing('web', () => Promise.reject(failures[how]))).rejects.toBe(failures[how]);
    expect(things.get('web')).toEqual(known);
  });

  it.each([
    ['refused', 'as before'],
    ['throttled', 'as before'],
    ['accepted, and failed later', 'as before'],
    ['refused after an attempt without an answer', 'unknown'],
    ['refused for now', 'unknown'],
    ['without an answer', 'unknown'],
  ] as const)('after a write of all or nothing that was %s is %s', async (how, outcome) => {
    const things = new KnownResources<string>(new VirtualClock());
    things.set('web', present('old'));
    const names = ['web', 'shop'];
    const write = async () => {
      expect(names.map((name) => things.get(name))).toEqual([unknown, unknown]);
      throw failures[how];
    };
    await expect(things.changingTogether(names, write)).rejects.toBe(failures[how]);
    const expected = outcome === 'as before' ? [present('old'), absent] : [unknown, unknown];
    expect(names.map((name) => things.get(name))).toEqual(expected);
  });
});

describe('a list', () => {
  it('replaces what was known before it was begun, but not what was written since', async () => {
    const clock = new VirtualClock();
    const things = new KnownResources<string>(clock);
    things.set('gone', present('gone'));
    things.set('old', present('old'));
    await clock.advance(1_000);
    const begunAt = clock.monotonic();
    things.set('made', present('made'));
    things.set('deleted', absent);
    const listed = new Map([
      ['old', 'new'],
      ['deleted', 'deleted'],
      ['foreign', 'foreign'],
    ]);
    things.replaceWith(listed, begunAt);
    expect([...things.present()].toSorted()).toEqual(['foreign', 'made', 'new']);
    await clock.advance(1_000);
    things.replaceWith(listed, clock.monotonic());
    expect([...things.present()].toSorted()).toEqual(['deleted', 'foreign', 'new']);
  });

  it('does not tell how a write ended that got no answer: only reading the resource does', async () => {
    const clock = new VirtualClock();
    const things = new KnownResources<string>(clock);
    things.set('web', unknown);
    await clock.advance(1_000);
    things.replaceWith(new Map([['web', 'listed']]), clock.monotonic());
    expect(things.get('web')).toEqual(unknown);
    things.replaceWith(new Map(), clock.monotonic());
    expect(things.get('web')).toEqual(unknown);
  });
});
