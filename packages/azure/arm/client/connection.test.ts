import { type HttpRequest, type HttpTransport, Journal } from '@fairlead/control';
import { failure, RecordedMetrics, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { bodies, emulated, group, ids } from '../testing/emulated.ts';
import { armCalls, armMetrics } from './metrics.ts';

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

describe('the connection to Azure', () => {
  it('repeats a request whose answer was lost, which does no harm', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next(put, { kind: 'lose-response' }, 2);
    emulator.faults.next(put, { kind: 'lose-request' });
    const written = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
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
    const unclear = await failure(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(unclear).toMatchObject({ status: 429, mayHaveTakenEffect: true });
    emulator.faults.next(put, { kind: 'refuse', status: 400 });
    const clear = await failure(clock, client.put(ids.publicIp('shop'), bodies.publicIp));
    expect(clear).toMatchObject({ status: 400, mayHaveTakenEffect: false });
  });

  it('tells it of an operation that fails, too, after an attempt whose answer was lost', async () => {
    const { client, clock, emulator } = emulated();
    emulator.faults.next(put, { kind: 'lose-response' });
    emulator.faults.next(put, { kind: 'fail-operation', code: 'InvalidThing' });
    const unclear = await failure(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(unclear).toMatchObject({ status: 200, code: 'InvalidThing', mayHaveTakenEffect: true });
    emulator.faults.next(put, { kind: 'fail-operation', code: 'InvalidThing' });
    const clear = await failure(clock, client.put(ids.publicIp('shop'), bodies.publicIp));
    expect(clear).toMatchObject({ status: 200, code: 'InvalidThing', mayHaveTakenEffect: false });
  });

  it('marks all requests of a call with one correlation id, and each with an id of its own', async () => {
    const { requests, between } = watched();
    const { client, clock } = emulated({ between, behaviour: { operationTime: { minimum: 2_000, maximum: 2_000 } } });
    await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
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
    const { etag = '' } = await result(clock, client.put(ids.publicIp('web'), bodies.publicIp, { ifNoneMatch: '*' }));
    await result(clock, client.delete(ids.publicIp('web'), { ifMatch: etag }));
    const conditional = requests.filter(({ headers }) => 'if-match' in headers || 'if-none-match' in headers);
    expect(conditional.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
    expect(requests.filter(({ method }) => method === 'GET').length).toBeGreaterThan(3);
  });

  it('counts every request by verb, kind and result, and writes it into the journal', async () => {
    const metrics = new RecordedMetrics();
    const { client, clock, emulator } = emulated({ metrics });
    const journal = new Journal(clock);
    const record = { journal, key: 'service shop/web' };
    const answers = [500, 403, 409, 429, 400].map((status) => ({ kind: 'refuse', status }) as const);
    for (const fault of answers) emulator.faults.next(put, fault);
    for (let call = 0; call < 4; call += 1) {
      await failure(clock, client.put(ids.publicIp('web'), bodies.publicIp, { record }));
    }
    await failure(clock, client.get(ids.publicIp('web')));
    emulator.faults.next({}, { kind: 'lose-request' });
    await result(clock, client.put(ids.publicIp('web'), bodies.publicIp));
    expect(metrics.lines(armCalls.callsTotal)).toEqual([
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
  async function waitingForAnOperation(caller?: AbortController) {
    const { client, clock, emulator } = emulated({
      behaviour: { operationTime: { minimum: 60_000, maximum: 60_000 } },
    });
    if (caller !== undefined) clock.setTimer(2_000, () => caller.abort(new Error('lease lost')));
    const options = { deadlineMilliseconds: 7_000, ...(caller === undefined ? {} : { signal: caller.signal }) };
    const error = await failure(clock, client.put(ids.publicIp('web'), bodies.publicIp, options));
    const milliseconds = clock.monotonic();
    const sent = emulator.log.calls.length;
    await clock.advance(120_000);
    expect(emulator.log.calls).toHaveLength(sent);
    expect(clock.pendingTimers).toBe(0);
    return { error, milliseconds };
  }

  it('comes at its deadline at the latest while it waits for an operation', async () => {
    const { error, milliseconds } = await waitingForAnOperation();
    expect(error).toMatchObject({ verdict: 'retriable' });
    expect(milliseconds).toBeLessThanOrEqual(7_000);
  });

  it('comes at once when the caller aborts while it waits for an operation', async () => {
    const { error, milliseconds } = await waitingForAnOperation(new AbortController());
    expect(error).toMatchObject({ message: 'lease lost' });
    expect(milliseconds).toBe(2_000);
  });
});
