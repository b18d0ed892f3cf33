import { failure, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { connected, type FakeCloud } from './testing/fake-cloud.ts';

const closed = { code: 'throttle-gate-closed', verdict: 'retriable' };
const askingFor = (retryAfter: string) => ({ status: 429, headers: { 'retry-after': retryAfter } });

/** Throttles writes until this time, without saying until when. */
function throttleUntil(cloud: FakeCloud, now: () => number, until: number, headers: Readonly<Record<string, string>>) {
  cloud.always(({ method }) => (method === 'PUT' && now() < until ? { status: 429, headers } : { status: 200 }));
}

describe('throttling', () => {
  it.each(['30', 'a date'])('keeps to the time that the cloud asks for, said as %s', async (form) => {
    const { clock, cloud, put } = connected();
    const date = new Date(clock.now() + 30_000).toUTCString();
    cloud.next(askingFor(form === 'a date' ? date : form));
    const error = await failure(clock, put());
    expect(error).toMatchObject({
      status: 429,
      verdict: 'retriable',
      isThrottling: true,
      retryAfterMilliseconds: 30_000,
    });
    await result(clock, put());
    expect(cloud.at).toEqual([0, 30_000]);
  });

  it.each([{}, { 'retry-after': 'soon' }])('slows down more and more when the headers are %j', async (headers) => {
    const { clock, cloud, put } = connected();
    throttleUntil(cloud, () => clock.monotonic(), 60_000, headers);
    for (;;) {
      const ended = await result(
        clock,
        put().catch((error: unknown) => error),
      );
      if (!(ended instanceof Error)) break;
      expect(ended).toMatchObject({ status: 429, retryAfterMilliseconds: undefined });
    }
    expect(cloud.gaps[0]).toBeGreaterThanOrEqual(1_600);
    expect(cloud.gaps.at(-1)).toBeGreaterThan(10_000);
    expect(cloud.at.length).toBeLessThan(8);
    cloud.next({ status: 429 });
    await failure(clock, put());
    await result(clock, put());
    expect(cloud.gaps.at(-1)).toBeLessThanOrEqual(2_400);
  });

  it('makes all callers of an account wait, and lets them in again little by little', async () => {
    const { clock, cloud, put } = connected();
    cloud.next(askingFor('300'));
    expect(await failure(clock, put())).toMatchObject({ status: 429 });
    const subjects = Array.from({ length: 40 }, (_, index) => `s${index}`);
    const puts = Promise.all(subjects.map((subject) => put({ subject, deadlineMilliseconds: 600_000 })));
    await clock.advance(299_999);
    expect(cloud.requests).toHaveLength(1);
    await clock.advance(1);
    expect(cloud.requests).toHaveLength(2);
    await result(clock, puts);
    expect(new Set(cloud.requests.map(({ url }) => url)).size).toBe(41);
    expect(clock.monotonic()).toBeLessThan(302_000);
  });

  it('refuses at once who does not want to wait, with the time that the server named', async () => {
    const { clock, cloud, put } = connected();
    cloud.next(askingFor('30'));
    expect(await failure(clock, put({ throttle: 'refuse' }))).toMatchObject({ retryAfterMilliseconds: 30_000 });
    const refused = { ...closed, retryAfterMilliseconds: 30_000 };
    expect(await failure(clock, put({ throttle: 'refuse' }))).toMatchObject(refused);
    expect(clock.monotonic()).toBe(0);
    expect(cloud.requests).toHaveLength(1);
    await clock.advance(30_000);
    await result(clock, put({ throttle: 'refuse' }));
  });

  it('keeps the sides of an account apart, and accounts too, each in any spelling', async () => {
    const { clock, cloud, get, put } = connected();
    const throttle = 'refuse';
    cloud.next(askingFor('600'));
    await failure(clock, put({ account: 'One' }));
    await result(clock, get({ account: 'One', throttle }));
    await result(clock, put({ account: 'two', throttle }));
    for (const account of ['one', 'ONE', 'One'])
      expect(await failure(clock, put({ account, throttle }))).toMatchObject({
        ...closed,
        message: expect.stringMatching(/^Fake writes of one has asked us to slow down/),
      });
    cloud.next(askingFor('600'));
    await failure(clock, get({ account: 'one' }));
    expect(await failure(clock, get({ account: 'oNe', throttle }))).toMatchObject(closed);
    expect(clock.monotonic()).toBe(0);
  });

  it('pauses when an answer says that the budget is used up, before the cloud has to refuse', async () => {
    const { clock, cloud, put } = connected();
    cloud.next({ status: 200, headers: { quota: '0' } });
    await result(clock, put());
    // That is our guess, not the server's word.
    const guessed = { ...closed, retryAfterMilliseconds: undefined };
    expect(await failure(clock, put({ throttle: 'refuse' }))).toMatchObject(guessed);
    await result(clock, put());
    expect(cloud.at).toEqual([0, 1_000]);
  });
});
