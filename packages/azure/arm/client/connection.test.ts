import type { CloudCall, TokenProvider } from '@fairlead/cloud';
import {
  FairleadError,
  type HttpRequest,
  type HttpTransport,
  Journal,
  sleep,
  type VirtualClock,
} from '@fairlead/control';
import { failure, RecordedMetrics, result } from '@fairlead/control/testing';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { armMetrics, callsTotal } from './metrics.ts';
import { drafts, emulated, group, ids } from '../testing/emulated.ts';

const put = { method: 'PUT' } as const;

/** Lets requests through and keeps them. */
function watched() {
  const requests: HttpRequest[] = [];
  const between = (emulator: HttpTransport): HttpTransport => ({
    send(request) {
      requests.push(request);
      return emulator.send(request);
    },
  });
  return { requests, between };
}

describe('ArmConnection', () => {
  it.each([408, 500, 502, 503, 504])(
    'repeats a request after %i, with growing delays, and not for ever',
    async (status) => {
      const { client, clock, emulator } = emulated();
      emulator.faults.next(put, { kind: 'refuse', status }, 3);
      await result(clock, client.put(ids.publicIp('web'), drafts.publicIp));
      const at = emulator.log.calls.map((call) => call.at);
      const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
      expect(gaps).toHaveLength(3);
      expect(gaps).toEqual(gaps.toSorted((left, right) => left - right));
      expect(gaps[0]).toBeGreaterThanOrEqual(375);
      emulator.log.clear();
      emulator.faults.next(put, { kind: 'refuse', status }, 10);
      const error = await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp));
      expect(error).toMatchObject({ status, verdict: 'retriable' });
      expect(emulator.log.count('PUT')).toBe(4);
    },
  );

  it.each([400, 403, 409, 412, 422, 429])('does not repeat a request after %i', async (status) => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next(put, { kind: 'refuse', status });
    expect(await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp))).toMatchObject({ status });
    expect(emulator.log.count('PUT')).toBe(1);
  });

  it('waits as long as a 503 asks, or gives up at once when that is too long', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next({}, { kind: 'refuse', status: 503, headers: { 'retry-after': '20' } });
    expect(await result(clock, client.list('loadBalancers', group))).toEqual([]);
    expect(clock.monotonic()).toBe(20_000);
    emulator.faults.next({}, { kind: 'refuse', status: 503, headers: { 'retry-after': '600' } });
    const error = await failure(clock, client.list('loadBalancers', group));
    expect(error).toMatchObject({ status: 503, retryAfterMilliseconds: 600_000 });
    expect(clock.monotonic()).toBe(20_000);
  });

  it('repeats a request whose answer was lost, which does no harm', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next(put, { kind: 'lose-response' }, 2);
    emulator.faults.next(put, { kind: 'lose-request' });
    const written = await result(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    expect(written.properties.ipAddress).toBe('198.18.0.1');
    expect(emulator.log.lines()).toEqual([
      'PUT publicIPAddresses/web-pip lost',
      'PUT publicIPAddresses/web-pip lost',
      'PUT publicIPAddresses/web-pip 200',
    ]);
  });

  it('tells that a refused call may have taken effect nevertheless, by an attempt whose answer was lost', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next(put, { kind: 'lose-response' });
    emulator.faults.next(put, { kind: 'refuse', status: 429 });
    const unclear = await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    expect(unclear).toMatchObject({ status: 429, mayHaveTakenEffect: true });
    emulator.faults.next(put, { kind: 'refuse', status: 400 });
    const clear = await failure(clock, client.put(ids.publicIp('shop'), drafts.publicIp));
    expect(clear).toMatchObject({ status: 400, mayHaveTakenEffect: false });
  });

  it('tells it of an operation that fails, too, after an attempt whose answer was lost', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next(put, { kind: 'lose-response' });
    emulator.faults.next(put, { kind: 'fail-operation', code: 'InvalidThing' });
    const unclear = await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    expect(unclear).toMatchObject({ status: 200, code: 'InvalidThing', mayHaveTakenEffect: true });
    emulator.faults.next(put, { kind: 'fail-operation', code: 'InvalidThing' });
    const clear = await failure(clock, client.put(ids.publicIp('shop'), drafts.publicIp));
    expect(clear).toMatchObject({ status: 200, code: 'InvalidThing', mayHaveTakenEffect: false });
  });

  it('names the call when no answer came at all', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next({}, { kind: 'hang' }, 4);
    const error = await failure(clock, client.get(ids.gateway));
    expect(error).toMatchObject({
      message: 'GET serviceGateways/sgw: not done within 10 s',
      code: 'deadline-exceeded',
      verdict: 'retriable',
    });
    emulator.faults.next({}, { kind: 'lose-request' }, 4);
    const lost = await failure(clock, client.get(ids.gateway));
    expect(lost).toMatchObject({
      code: 'connection-reset',
      message: expect.stringMatching(/^GET serviceGateways\/sgw: /),
    });
  });

  it('does not repeat what the transport calls hopeless', async () => {
    let sent = 0;
    const between = (): HttpTransport => ({
      send() {
        sent += 1;
        return Promise.reject(
          new FairleadError('its certificate is unknown', { verdict: 'terminal', code: 'tls-untrusted' }),
        );
      },
    });
    const { client, clock } = emulated({ between });
    expect(await failure(clock, client.get(ids.gateway))).toMatchObject({ code: 'tls-untrusted', verdict: 'terminal' });
    expect(sent).toBe(1);
  });

  it('marks all requests of a call with one correlation id, and each with an id of its own', async () => {
    const { requests, between } = watched();
    const { client, clock } = emulated({ between, behaviour: { operationTime: { minimum: 2_000, maximum: 2_000 } } });
    await result(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    await result(clock, client.get(ids.publicIp('web')));
    const correlations = requests.map(({ headers }) => headers['x-ms-correlation-request-id']);
    const own = requests.map(({ headers }) => headers['x-ms-client-request-id']);
    expect(requests.length).toBeGreaterThan(3);
    expect(new Set(correlations.slice(0, -1)).size).toBe(1);
    expect(correlations.at(-1)).not.toBe(correlations[0]);
    expect(new Set(own).size).toBe(requests.length);
    expect(requests[0]?.headers).toMatchObject({ 'user-agent': 'fairlead/test', accept: 'application/json' });
    expect(requests[0]?.headers['authorization']).toBeUndefined();
  });

  it('puts the condition of a write on the write, not on the reads that follow it', async () => {
    const { requests, between } = watched();
    const { client, clock } = emulated({ between, behaviour: { operationTime: { minimum: 2_000, maximum: 2_000 } } });
    const { etag = '' } = await result(clock, client.put(ids.publicIp('web'), drafts.publicIp, { ifNoneMatch: '*' }));
    await result(clock, client.delete(ids.publicIp('web'), { ifMatch: etag }));
    const conditional = requests.filter(({ headers }) => 'if-match' in headers || 'if-none-match' in headers);
    expect(conditional.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
    expect(requests.filter(({ method }) => method === 'GET').length).toBeGreaterThan(3);
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
    const { client, clock, emulator } = emulated({ beforeCall, requestDeadlineMilliseconds: 5_000 });
    emulator.faults.next(put, { kind: 'refuse', status: 500 });
    await result(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    expect(asked).toMatchObject([
      { name: 'PUT publicIPAddresses', subject: 'web-pip', deadlineMilliseconds: 5_000 },
      { name: 'PUT publicIPAddresses', subject: 'web-pip', deadlineMilliseconds: 5_000 },
    ]);
    leaseLeft.milliseconds = 5_000;
    emulator.log.clear();
    const error = await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    expect(error).toMatchObject({ code: 'lease-too-short' });
    expect(emulator.log.calls).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  it('counts every request by verb, kind and result, and writes it into the journal', async () => {
    const metrics = new RecordedMetrics();
    const { client, clock, emulator } = emulated({ metrics });
    const journal = new Journal(clock);
    const record = { journal, key: 'service shop/web' };
    const answers = [500, 403, 409, 429, 400].map((status) => ({ kind: 'refuse', status }) as const);
    for (const fault of answers) emulator.faults.next(put, fault);
    for (let call = 0; call < 4; call += 1) {
      await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp, { record }));
    }
    await failure(clock, client.get(ids.publicIp('web')));
    emulator.faults.next({}, { kind: 'lose-request' });
    await result(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    expect(metrics.lines(callsTotal)).toEqual([
      'PUT publicIPAddresses server-error 1',
      'PUT publicIPAddresses unauthorized 1',
      'PUT publicIPAddresses conflict 1',
      'PUT publicIPAddresses throttled 1',
      'PUT publicIPAddresses refused 1',
      'GET publicIPAddresses not-found 1',
      'PUT publicIPAddresses no-answer 1',
      'PUT publicIPAddresses ok 1',
    ]);
    expect(armMetrics.every((definition) => metrics.declared.includes(definition))).toBe(true);
    const calls = journal.entries(record.key).filter(({ kind }) => kind === 'call');
    expect(calls).toMatchObject(
      answers.map(({ status }) => ({ call: 'PUT publicIPAddresses', result: String(status) })),
    );
  });
});

describe('credentials', () => {
  /** Gives `token-1`, `token-2` and so on, each valid for an hour. */
  function numbered(now: () => number) {
    const given: string[] = [];
    const newToken = async () => {
      given.push(`token-${given.length + 1}`);
      return { text: given.at(-1) ?? '', expiresAt: now() + 3_600_000 };
    };
    return { given, newToken };
  }

  it('shows its token, and asks for another once when Azure does not accept it', async () => {
    const { requests, between } = watched();
    const tokens = numbered(() => clock.now());
    const { client, clock, emulator } = emulated({ between, tokens });
    await clock.advance(60_000);
    emulator.behave({ authorize: (header) => header === 'Bearer token-1' });
    await failure(clock, client.get(ids.gateway));
    emulator.behave({ authorize: (header) => header === 'Bearer token-2' });
    await clock.advance(60_000);
    expect(await result(clock, client.list('loadBalancers', group))).toEqual([]);
    const shown = requests.map(({ headers }) => headers['authorization']);
    expect(shown).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
    emulator.behave({ authorize: () => false });
    await clock.advance(60_000);
    const refused = await failure(clock, client.list('loadBalancers', group));
    expect(refused).toMatchObject({ status: 401, verdict: 'retriable', code: 'ExpiredAuthenticationToken' });
    expect(tokens.given).toHaveLength(3);
  });
});

describe('the end of a call', () => {
  const slowToken = (clock: () => VirtualClock, milliseconds: number): TokenProvider => ({
    newToken: async (signal) => {
      await sleep(clock(), milliseconds, signal);
      return { text: 'token', expiresAt: clock().now() + 3_600_000 };
    },
  });

  /** Each of these keeps a call waiting for longer than it may go on. */
  const waits: Readonly<Record<string, (emulator: ArmEmulator) => void>> = {
    'the gate': (emulator) => {
      emulator.faults.next({}, { kind: 'refuse', status: 429, headers: { 'retry-after': '60' } });
    },
    'an answer': (emulator) => emulator.faults.next({}, { kind: 'hang' }, 9),
    'the time to repeat': (emulator) => emulator.faults.next({}, { kind: 'refuse', status: 500 }, 9),
    'an operation': (emulator) => emulator.behave({ operationTime: { minimum: 60_000, maximum: 60_000 } }),
    'a token': () => {},
  };

  async function waiting(wait: string, caller?: AbortController) {
    const tokens = slowToken(() => clock, 60_000);
    const backoff = { initialMilliseconds: 3_000, maximumMilliseconds: 3_000, factor: 1, jitter: 0 };
    const { client, clock, emulator } = emulated({
      ...(wait === 'a token' ? { tokens } : {}),
      repeats: { attempts: 9, backoff },
    });
    waits[wait]?.(emulator);
    if (wait === 'the gate') await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp));
    const startedAt = clock.monotonic();
    if (caller !== undefined) clock.setTimer(2_000, () => caller.abort(new Error('lease lost')));
    const options = { deadlineMilliseconds: 7_000, ...(caller === undefined ? {} : { signal: caller.signal }) };
    const error = await failure(clock, client.put(ids.publicIp('web'), drafts.publicIp, options));
    const milliseconds = clock.monotonic() - startedAt;
    const sent = emulator.log.calls.length;
    await clock.advance(120_000);
    expect(emulator.log.calls).toHaveLength(sent);
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
    const { client, clock, emulator } = emulated({
      tokens: slowToken(() => clock, 5_000),
      metrics,
      beforeCall: (call) => asked.push(call),
    });
    const journal = new Journal(clock);
    const first = client.find(ids.gateway);
    const record = { journal, key: 'service shop/web' };
    const late = client.put(ids.publicIp('web'), drafts.publicIp, { deadlineMilliseconds: 5_000, record });
    expect(await failure(clock, late)).toMatchObject({
      code: 'deadline-exceeded',
      message: 'PUT publicIPAddresses/web-pip: not done within 5 s',
    });
    expect(await first).toBeUndefined();
    expect(emulator.log.count('PUT')).toBe(0);
    expect(asked.map(({ verb }) => verb)).toEqual(['GET']);
    expect(metrics.lines(callsTotal)).toEqual(['GET serviceGateways not-found 1']);
    expect(journal.entries(record.key)).toEqual([]);
  });
});
