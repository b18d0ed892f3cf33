import { FairleadError, Journal, sleep, type VirtualClock } from '@fairlead/control';
import { failure, RecordedMetrics, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import type { CloudCall } from './request.ts';
import { connected, type FakeCloud, fakeCalls } from './testing/fake-cloud.ts';
import type { TokenProvider } from './tokens.ts';

describe('CloudConnection', () => {
  it.each([408, 500, 502, 503, 504])(
    'repeats a request after %i, with growing delays, and not for ever',
    async (status) => {
      const { clock, cloud, put } = connected();
      cloud.next({ status }, 3);
      expect(await result(clock, put())).toMatchObject({ status: 200, body: {} });
      expect(cloud.gaps).toHaveLength(3);
      expect(cloud.gaps).toEqual(cloud.gaps.toSorted((left, right) => left - right));
      expect(cloud.gaps[0]).toBeGreaterThanOrEqual(375);
      cloud.next({ status }, 10);
      expect(await failure(clock, put())).toMatchObject({ status, verdict: 'retriable' });
      expect(cloud.requests).toHaveLength(8);
    },
  );

  it.each([400, 403, 409, 412, 422, 429])('does not repeat a request after %i', async (status) => {
    const { clock, cloud, put } = connected();
    cloud.next({ status });
    expect(await failure(clock, put())).toMatchObject({ status });
    expect(cloud.requests).toHaveLength(1);
  });

  it.each(['lost', 'hang', { status: 500 }, { status: 503 }] as const)(
    'does not repeat a creation, as the cloud would make a second thing: %j',
    async (outcome) => {
      const { clock, cloud, put } = connected();
      cloud.next(outcome);
      expect(await failure(clock, put({ isSentOnce: true }))).toMatchObject({ verdict: 'retriable' });
      expect(cloud.requests).toHaveLength(1);
    },
  );

  it('waits as long as a 503 asks, or gives up at once when that is too long', async () => {
    const { clock, cloud, get } = connected();
    cloud.next({ status: 503, headers: { 'retry-after': '20' } });
    await result(clock, get());
    expect(clock.monotonic()).toBe(20_000);
    cloud.next({ status: 503, headers: { 'retry-after': '600' } });
    expect(await failure(clock, get())).toMatchObject({ status: 503, retryAfterMilliseconds: 600_000 });
    expect(clock.monotonic()).toBe(20_000);
  });

  it('tells of an answer that an attempt before it may have taken effect', async () => {
    const { clock, cloud, put } = connected();
    cloud.next('lost', 2);
    expect(await result(clock, put())).toMatchObject({ status: 200, mayHaveTakenEffect: true });
    expect((await result(clock, put())).mayHaveTakenEffect).toBeUndefined();
  });

  it.each(['lost', 'hang', { status: 500 }] as const)(
    'tells that a refused call may have taken effect nevertheless, by an attempt before: %j',
    async (attempt) => {
      const { clock, cloud, put } = connected();
      cloud.next(attempt);
      cloud.next({ status: 429 });
      expect(await failure(clock, put())).toMatchObject({ status: 429, mayHaveTakenEffect: true });
      cloud.next({ status: 400 });
      expect(await failure(clock, put({ account: 'two' }))).toMatchObject({ status: 400, mayHaveTakenEffect: false });
    },
  );

  it('names the call when no answer came at all', async () => {
    const { clock, cloud, get } = connected();
    cloud.next('hang', 4);
    expect(await failure(clock, get())).toMatchObject({
      message: 'GET routers/web: not done within 10 s',
      code: 'deadline-exceeded',
      verdict: 'retriable',
    });
    cloud.next('lost', 4);
    expect(await failure(clock, get())).toMatchObject({
      code: 'connection-reset',
      message: 'GET routers/web: reset',
    });
  });

  it('does not repeat what the transport calls hopeless', async () => {
    const { clock, cloud, get } = connected();
    cloud.next(new FairleadError('its certificate is unknown', { verdict: 'terminal', code: 'tls-untrusted' }));
    expect(await failure(clock, get())).toMatchObject({ code: 'tls-untrusted', verdict: 'terminal' });
    expect(cloud.requests).toHaveLength(1);
  });

  it('hides no defect of the transport', async () => {
    const metrics = new RecordedMetrics();
    const { clock, cloud, get } = connected({ metrics });
    const defect = new RangeError('a bug');
    cloud.next(defect);
    expect(await failure(clock, get())).toBe(defect);
    expect(cloud.requests).toHaveLength(1);
    expect(metrics.lines(fakeCalls.callsTotal)).toEqual([]);
  });

  it('asks whether this is the right address when the answer is not JSON', async () => {
    const metrics = new RecordedMetrics();
    const { clock, cloud, get } = connected({ metrics });
    cloud.next({ status: 200, text: '<html>' });
    expect(await failure(clock, get())).toMatchObject({
      code: 'unexpected-answer',
      message: 'GET routers/web: the answer is not JSON; is this the address of the fake cloud?',
    });
    expect(cloud.requests).toHaveLength(1);
    expect(metrics.lines(fakeCalls.callsTotal)).toEqual(['GET routers ok 1']);
  });

  it('sends a body as JSON, and says so', async () => {
    const { clock, cloud, get, put } = connected();
    await result(clock, get());
    await result(clock, put());
    expect(cloud.requests).toMatchObject([{ headers: {} }, { headers: { 'content-type': 'application/json' } }]);
    expect(cloud.requests.map(({ body }) => body)).toEqual([undefined, '{}']);
  });

  it('asks before each request, with its deadline, and sends nothing when told not to', async () => {
    const asked: CloudCall[] = [];
    const leaseLeft = { milliseconds: 60_000 };
    const beforeCall = (call: CloudCall) => {
      asked.push(call);
      if (call.deadlineMilliseconds < leaseLeft.milliseconds) return;
      throw new FairleadError('the lease ends before the call could', {
        verdict: 'retriable',
        code: 'lease-too-short',
      });
    };
    const { clock, cloud, put } = connected({ beforeCall, requestDeadlineMilliseconds: 5_000 });
    cloud.next({ status: 500 });
    await result(clock, put());
    const call = { verb: 'PUT', kind: 'routers', name: 'PUT routers', subject: 'web', deadlineMilliseconds: 5_000 };
    expect(asked).toEqual([call, call]);
    leaseLeft.milliseconds = 5_000;
    expect(await failure(clock, put())).toMatchObject({ code: 'lease-too-short' });
    expect(cloud.requests).toHaveLength(2);
    expect(asked).toHaveLength(3);
  });

  it('counts every request by verb, kind and result, and writes it into the journal', async () => {
    const metrics = new RecordedMetrics();
    const { clock, cloud, get, put } = connected({ metrics });
    const record = { journal: new Journal(clock), key: 'service shop/web' };
    const statuses = [500, 403, 409, 429, 400];
    for (const status of statuses) cloud.next({ status });
    for (let call = 0; call < 4; call += 1) await failure(clock, put({ record }));
    cloud.next({ status: 404 });
    await failure(clock, get());
    cloud.next('lost');
    await result(clock, put());
    expect(metrics.lines(fakeCalls.callsTotal)).toEqual([
      'PUT routers server-error 1',
      'PUT routers unauthorized 1',
      'PUT routers conflict 1',
      'PUT routers throttled 1',
      'PUT routers refused 1',
      'GET routers not-found 1',
      'PUT routers no-answer 1',
      'PUT routers ok 1',
    ]);
    expect(metrics.declared).toEqual(expect.arrayContaining(Object.values(fakeCalls)));
    const calls = record.journal.entries(record.key).filter(({ kind }) => kind === 'call');
    expect(calls).toMatchObject(statuses.map((status) => ({ call: 'PUT routers', result: String(status) })));
  });
});

describe('credentials', () => {
  it('shows its token, and asks for another once when the cloud does not accept it', async () => {
    const given: string[] = [];
    const tokens: TokenProvider = {
      async newToken() {
        given.push(`token-${given.length + 1}`);
        return { text: given.at(-1) ?? '', expiresAt: clock.now() + 3_600_000 };
      },
    };
    const { clock, cloud, get } = connected({ tokens });
    const accept = (token: string) =>
      cloud.always(({ headers }) => ({ status: headers['x-auth-token'] === token ? 200 : 401 }));
    accept('token-1');
    await result(clock, get());
    accept('token-2');
    await clock.advance(60_000);
    await result(clock, get());
    expect(cloud.requests.map(({ headers }) => headers['x-auth-token'])).toEqual(['token-1', 'token-1', 'token-2']);
    accept('none');
    await clock.advance(60_000);
    expect(await failure(clock, get())).toMatchObject({ status: 401, mayHaveTakenEffect: false });
    expect(given).toHaveLength(3);
  });
});

const slowToken = (clock: () => VirtualClock, milliseconds: number): TokenProvider => ({
  newToken: async (signal) => {
    await sleep(clock(), milliseconds, signal);
    return { text: 'token', expiresAt: clock().now() + 3_600_000 };
  },
});

describe('the end of a call', () => {
  /** Each of these keeps a call waiting for longer than it may go on. */
  const waits: Readonly<Record<string, (cloud: FakeCloud) => void>> = {
    'the gate': (cloud) => cloud.next({ status: 429, headers: { 'retry-after': '60' } }),
    'an answer': (cloud) => cloud.next('hang', 9),
    'the time to repeat': (cloud) => cloud.next({ status: 500 }, 9),
    'a token': () => {},
  };

  async function waiting(wait: string, caller?: AbortController) {
    const tokens = slowToken(() => clock, 60_000);
    const backoff = { initialMilliseconds: 3_000, maximumMilliseconds: 3_000, factor: 1, jitter: 0 };
    const { clock, cloud, put } = connected({
      ...(wait === 'a token' ? { tokens } : {}),
      repeats: { attempts: 9, backoff },
    });
    waits[wait]?.(cloud);
    if (wait === 'the gate') await failure(clock, put());
    const startedAt = clock.monotonic();
    if (caller !== undefined) clock.setTimer(2_000, () => caller.abort(new Error('lease lost')));
    const options = { deadlineMilliseconds: 7_000, ...(caller === undefined ? {} : { signal: caller.signal }) };
    const error = await failure(clock, put(options));
    const milliseconds = clock.monotonic() - startedAt;
    const sent = cloud.requests.length;
    await clock.advance(120_000);
    expect(cloud.requests).toHaveLength(sent);
    expect(clock.pendingTimers).toBe(0);
    return { error, milliseconds };
  }

  it.each(Object.keys(waits))('comes at its deadline at the latest while it waits for %s', async (wait) => {
    const { error, milliseconds } = await waiting(wait);
    expect(error).toMatchObject({ verdict: 'retriable' });
    expect(milliseconds).toBeLessThanOrEqual(7_000);
  });

  it.each(Object.keys(waits))('comes at once when the caller aborts while it waits for %s', async (wait) => {
    const { error, milliseconds } = await waiting(wait, new AbortController());
    expect(error).toMatchObject({ message: 'lease lost' });
    expect(milliseconds).toBe(2_000);
  });

  it('is no request where it comes before the first could be sent', async () => {
    const asked: CloudCall[] = [];
    const metrics = new RecordedMetrics();
    const tokens = slowToken(() => clock, 5_000);
    const { clock, cloud, get, put } = connected({ tokens, metrics, beforeCall: (call) => asked.push(call) });
    const record = { journal: new Journal(clock), key: 'service shop/web' };
    const first = get();
    const late = put({ deadlineMilliseconds: 5_000, record });
    expect(await failure(clock, late)).toMatchObject({
      code: 'deadline-exceeded',
      message: 'PUT routers/web: not done within 5 s',
    });
    await first;
    expect(cloud.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(asked.map(({ verb }) => verb)).toEqual(['GET']);
    expect(metrics.lines(fakeCalls.callsTotal)).toEqual(['GET routers ok 1']);
    expect(record.journal.entries(record.key)).toEqual([]);
  });
});
