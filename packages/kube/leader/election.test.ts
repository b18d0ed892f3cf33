import { getEventListeners } from 'node:events';
import {
  type LogFields,
  type Logger,
  type ProcessClock,
  seededRandom,
  silentLogger,
  VirtualClock,
} from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KubeClient } from '../api/client.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { Election } from './election.ts';
import type { Leadership } from './leadership.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/fairlead/leases/gateway';
const LEASE = { namespace: 'fairlead', name: 'gateway' };

/** A process that competes, and what came of it. */
interface Candidate {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly election: Election;
  /** What happens to its requests. */
  readonly network: { fault: FakeApi['fault'] };
  /** All leaderships it ever had. */
  readonly leaderships: Leadership[];
  /** Whether it may act now: as it would see it itself before a call. */
  leads(): boolean;
  stop(): void;
  /** By which it is told to stop. */
  readonly signal: AbortSignal;
  readonly ended: Promise<unknown>;
}

interface CandidateOptions {
  readonly work?: (leadership: Leadership) => Promise<void>;
  readonly logger?: Logger;
  readonly wallSkew?: number;
  /** At which its clocks run. */
  readonly rate?: number;
}

const untilItEnds = (leadership: Leadership) =>
  new Promise<void>((_, reject) => {
    leadership.signal.addEventListener('abort', () => reject(leadership.signal.reason), { once: true });
  });

function world() {
  const clock = new VirtualClock();
  const api = new FakeApi();
  const candidates: Candidate[] = [];
  /** Of all leaderships, in the order in which they began. */
  const epochs: number[] = [];

  function join(name: string, options: CandidateOptions = {}): Candidate {
    const process = clock.process(options.wallSkew, options.rate);
    const network: Candidate['network'] = { fault: () => undefined };
    const connection = api.connect(process, 20, (request) => network.fault(request));
    const election = new Election({
      client: new KubeClient(connection, process),
      clock: process,
      random: seededRandom(candidates.length + 1),
      logger: options.logger ?? silentLogger,
      lease: LEASE,
      name,
    });
    const controller = new AbortController();
    const leaderships: Leadership[] = [];
    const work = options.work ?? untilItEnds;
    const ended = election.run(controller.signal, (leadership) => {
      leaderships.push(leadership);
      epochs.push(leadership.epoch);
      return work(leadership);
    });
    const candidate: Candidate = {
      name,
      clock: process,
      election,
      network,
      leaderships,
      leads: () => process.state === 'running' && (leaderships.at(-1)?.covers(0) ?? false),
      stop: () => controller.abort(),
      signal: controller.signal,
      ended: ended.then(
        () => 'resolved',
        (error: unknown) => error,
      ),
    };
    candidates.push(candidate);
    return candidate;
  }

  const spec = () => api.at(PATH)?.['spec'];
  const leaders = () => candidates.filter((candidate) => candidate.leads()).map((candidate) => candidate.name);
  return { clock, api, join, spec, leaders, epochs, candidates };
}

describe('Election', () => {
  it('takes a free Lease at once, and only one does', async () => {
    const { clock, join, leaders, spec } = world();
    const first = join('a');
    join('b');
    join('c');
    await clock.advance(30_000);
    expect(leaders()).toHaveLength(1);
    expect(first.election.state).toEqual({ kind: 'leading', epoch: 1 });
    expect(spec()).toMatchObject({ leaseTransitions: 1, leaseDurationSeconds: 15 });
  });

  it('says so when there is no namespace for the Lease', async () => {
    const { clock, api, join } = world();
    api.fault = ({ method }) => (method === 'POST' ? { status: 404, reason: 'NotFound' } : undefined);
    const candidate = join('a');
    await clock.advance(1000);
    expect(await candidate.ended).toMatchObject({ code: 'lease-namespace-missing' });
    expect(String(await candidate.ended)).toContain('does not exist: create it');
  });

  it('keeps leading, by renewing, for as long as it lives', async () => {
    const { clock, join, epochs } = world();
    const leader = join('a');
    const other = join('b');
    for (let minute = 0; minute < 60; minute += 1) {
      await clock.advance(60_000);
      expect(leader.leads()).toBe(true);
    }
    expect(epochs).toEqual([1]);
    expect(other.election.state).toMatchObject({ kind: 'waiting', holder: expect.stringMatching(/^a_/) });
  });

  it('covers what ends before the others may lead, and no more', async () => {
    const { clock, join } = world();
    const leader = join('a');
    await clock.advance(200);
    const [leadership] = leader.leaderships;
    expect(leadership?.covers(10_000)).toBe(true);
    expect(leadership?.covers(15_000)).toBe(false);
    leader.stop();
    await clock.advance(0);
    expect(leadership?.covers(0)).toBe(false);
  });

  it('counts the Lease from the request that took or renewed it, and not from the answer', async () => {
    const { clock, join } = world();
    const leader = join('a');
    let sentAt = 0;
    leader.network.fault = ({ method }) => {
      if (method === 'PATCH') sentAt = clock.monotonic();
      return undefined;
    };
    for (const milliseconds of [1_000, 3_000]) {
      await clock.advance(milliseconds);
      const left = 13_500 - (clock.monotonic() - sentAt);
      expect(leader.leaderships[0]?.covers(left - 1)).toBe(true);
      expect(leader.leaderships[0]?.covers(left)).toBe(false);
    }
  });

  it('passes to another when the leader dies, with a higher epoch', async () => {
    const { clock, join, leaders, epochs } = world();
    const first = join('a');
    await clock.advance(1000);
    join('b');
    await clock.advance(10_000);
    first.clock.kill();
    await clock.advance(14_000);
    expect(leaders()).toEqual([]);
    await clock.advance(6000);
    expect(leaders()).toEqual(['b']);
    expect(epochs).toEqual([1, 2]);
  });

  it('passes to another within moments when the leader shuts down, after its work has ended', async () => {
    const { clock, api, join, leaders } = world();
    const order: string[] = [];
    const first = join('a', {
      work: async (leadership) => {
        await untilItEnds(leadership).catch(() => {});
        order.push(`stopping, held: ${JSON.stringify(api.at(PATH)?.['spec']).includes('a_')}`);
      },
    });
    await clock.advance(1000);
    join('b');
    await clock.advance(5000);
    first.stop();
    await clock.advance(3100);
    expect(order).toEqual(['stopping, held: true']);
    expect(leaders()).toEqual(['b']);
    expect(await first.ended).toBe('resolved');
    expect(first.election.state).toEqual({ kind: 'stopped' });
  });

  it('signals the loss before another candidate can lead when the API cannot be reached', async () => {
    const { clock, api, join } = world();
    const leader = join('a');
    await clock.advance(10_000);
    const cutOffAt = clock.now();
    api.fault = () => 'lose-request';
    await clock.runUntil(() => leader.leaderships[0]?.signal.aborted ?? false, 60_000);
    expect(clock.now() - cutOffAt).toBeLessThan(15_000 - 1000);
    expect(leader.leaderships[0]?.signal.reason).toMatchObject({ code: 'leadership-lost', verdict: 'stale' });
    expect(leader.election.state.kind).toBe('waiting');
    api.fault = () => undefined;
    await clock.advance(10_000);
    expect(leader.leaderships.map((leadership) => leadership.epoch)).toEqual([1, 2]);
  });

  it('survives renewals whose answers get lost', async () => {
    const { clock, api, join } = world();
    const leader = join('a');
    await clock.advance(1000);
    let count = 0;
    api.fault = (request) => {
      if (request.method !== 'PATCH') return undefined;
      count += 1;
      return count % 3 === 1 ? 'lose-response' : undefined;
    };
    await clock.advance(300_000);
    expect(count).toBeGreaterThan(50);
    expect(leader.leaderships).toHaveLength(1);
    expect(leader.leads()).toBe(true);
  });

  it('says that it cannot renew its Lease, each time, and why', async () => {
    const warnings: unknown[] = [];
    const logger = {
      ...silentLogger,
      warn: ({ error }: LogFields, words: string) => void warnings.push([words, error]),
    };
    const { clock, api, join } = world();
    const leader = join('a', { logger });
    await clock.advance(1000);
    api.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
    await clock.advance(5_000);
    expect(leader.leads()).toBe(true);
    const told = ['cannot renew the Lease; trying again', expect.stringContaining('503 ServiceUnavailable')];
    expect(warnings).toEqual([told, told, told, told]);
  });

  it('survives a request that hangs', async () => {
    const { clock, api, join } = world();
    const leader = join('a');
    await clock.advance(1000);
    let hung = 0;
    api.fault = (request) => {
      if (request.method !== 'PATCH' || hung > 0) return undefined;
      hung += 1;
      return 'hang';
    };
    await clock.advance(60_000);
    expect(hung).toBe(1);
    expect(leader.leaderships).toHaveLength(1);
    expect(leader.leads()).toBe(true);
  });

  it('starts over with a new epoch when the answer to its own taking got lost', async () => {
    const { clock, api, join, epochs, leaders } = world();
    let lost = false;
    api.fault = (request) => {
      if (lost || request.method !== 'PATCH') return undefined;
      lost = true;
      return 'lose-response';
    };
    join('a');
    await clock.advance(5000);
    expect(leaders()).toEqual(['a']);
    expect(epochs).toEqual([2]);
  });

  it('does not lead on when it wakes from a pause in which another took over', async () => {
    const { clock, join, leaders, epochs } = world();
    const first = join('a');
    await clock.advance(1000);
    join('b');
    await clock.advance(10_000);
    first.clock.pause();
    await clock.advance(60_000);
    expect(leaders()).toEqual(['b']);
    expect(first.leaderships[0]?.covers(0)).toBe(false);
    first.clock.resume();
    await clock.advance(0);
    expect(leaders()).toEqual(['b']);
    expect(first.leaderships[0]?.signal.aborted).toBe(true);
    await clock.advance(10_000);
    expect(epochs).toEqual([1, 2]);
    expect(first.election.state).toMatchObject({ kind: 'waiting', holder: expect.stringMatching(/^b_/) });
  });

  it('covers nothing when its machine wakes, until it has looked at the Lease', async () => {
    const { clock, join, leaders, epochs } = world();
    const first = join('a');
    await clock.advance(1000);
    join('b');
    await clock.advance(10_000);
    first.clock.suspend();
    await clock.advance(60_000);
    first.clock.wake();
    expect(first.leaderships[0]?.signal.aborted).toBe(false);
    expect(first.leaderships[0]?.covers(0)).toBe(false);
    await clock.runUntil(() => leaders().includes('a'), 60_000);
    expect(leaders()).toEqual(['b']);
    expect(epochs).toEqual([1, 2]);
  });

  it('leads on when its machine wakes and no other candidate was there', async () => {
    const { clock, join, leaders, epochs } = world();
    const only = join('a');
    await clock.advance(10_000);
    only.clock.suspend();
    await clock.advance(60_000);
    only.clock.wake();
    expect(leaders()).toEqual([]);
    await clock.advance(3_000);
    expect(leaders()).toEqual(['a']);
    expect(epochs).toEqual([1]);
  });

  it('covers nothing when its wall clock was set back, as that may hide how long the machine slept', async () => {
    const { clock, join } = world();
    const leader = join('a');
    await clock.advance(10_000);
    leader.clock.suspend();
    await clock.advance(60_000);
    leader.clock.jumpWall(-90_000);
    leader.clock.wake();
    expect(leader.leads()).toBe(false);
    await clock.advance(3_000);
    expect(leader.leads()).toBe(true);
  });

  it.each([
    [0.96, 1.04],
    [1.04, 0.96],
  ])('has one leader at a time with clocks that run at %d and %d', async (first, second) => {
    // The other candidate looks every few seconds, soon after a renewal or late: some of these meet the worst moment.
    for (let offset = 0; offset < 100_000; offset += 2_500) {
      const { clock, join, leaders, epochs } = world();
      const leader = join('a', { rate: first });
      await clock.advance(1000);
      join('b', { rate: second });
      await clock.advance(20_000 + offset);
      leader.network.fault = () => 'hang';
      expect(await clock.runUntil(() => leaders().length > 1, 60_000)).toBe(false);
      expect(leaders()).toEqual(['b']);
      expect(epochs).toEqual([1, 2]);
    }
  });

  it('does not count a renewal whose answer it slept through', async () => {
    const { clock, join } = world();
    const leader = join('a');
    await clock.advance(2590);
    leader.clock.pause();
    await clock.advance(20_000);
    leader.clock.resume();
    await clock.advance(0);
    expect(leader.leaderships[0]?.covers(0)).toBe(false);
  });

  it('ends at once when another candidate has the Lease', async () => {
    const { clock, api, join } = world();
    const leader = join('a');
    await clock.advance(1000);
    api.put(PATH, {
      ...api.at(PATH),
      spec: { holderIdentity: 'usurper', leaseDurationSeconds: 15, leaseTransitions: 9 },
    });
    await clock.advance(3000);
    expect(leader.leaderships[0]?.signal.reason).toMatchObject({
      message: 'the Lease is held by usurper',
    });
    await clock.advance(20_000);
    expect(leader.leaderships.map((leadership) => leadership.epoch)).toEqual([1, 10]);
  });

  it('does not hand a deleted Lease to another while the leader counts on it, nor lower the epoch', async () => {
    const { clock, api, join, leaders, epochs } = world();
    const first = join('a');
    await clock.advance(1000);
    join('b');
    await clock.advance(10_000);
    api.remove(PATH);
    first.clock.pause();
    await clock.advance(10_000);
    expect(leaders()).toEqual([]);
    await clock.advance(10_000);
    expect(leaders()).toEqual(['b']);
    expect(epochs).toEqual([1, expect.toSatisfy((epoch) => epoch > 1)]);
  });

  it('takes a deleted Lease again when its holder cannot count on it any more, with a new epoch', async () => {
    const { clock, api, join, leaders, epochs } = world();
    const leader = join('a');
    await clock.advance(10_000);
    api.remove(PATH);
    await clock.advance(5000);
    expect(leader.leaderships[0]?.signal.reason).toMatchObject({ message: 'the Lease was deleted' });
    expect(leader.election.state).toMatchObject({
      kind: 'waiting',
      holder: expect.stringContaining('(in a Lease that was deleted)'),
    });
    await clock.advance(20_000);
    expect(leaders()).toEqual(['a']);
    expect(epochs).toEqual([1, expect.toSatisfy((epoch) => epoch > 1)]);
  });

  it.each(['lose-response', { status: 409, reason: 'AlreadyExists' }] as const)(
    'counts a Lease as seen that it may have made or that was made before its own (%j)',
    async (answer) => {
      const { clock, api, join, leaders } = world();
      const second = join('b');
      second.network.fault = ({ method }) => (method === 'POST' ? answer : undefined);
      await clock.advance(100);
      second.network.fault = () => undefined;
      const first = join('a');
      await clock.runUntil(() => first.leads(), 2_000);
      api.remove(PATH);
      first.network.fault = () => 'hang';
      await clock.advance(5_000);
      expect(leaders()).toEqual(['a']);
      await clock.advance(25_000);
      expect(leaders()).toEqual(['b']);
    },
  );

  it('waits for the holder of a Lease that was deleted also when it finds another in its place', async () => {
    const { clock, api, join, leaders } = world();
    const first = join('a');
    await clock.advance(1000);
    join('b');
    await clock.advance(10_000);
    first.network.fault = () => 'hang';
    api.remove(PATH);
    api.put(PATH, { metadata: LEASE, spec: {} });
    await clock.advance(5_000);
    expect(leaders()).toEqual(['a']);
    await clock.advance(20_000);
    expect(leaders()).toEqual(['b']);
  });

  it('takes over from a dead leader although another client goes on annotating its Lease', async () => {
    const { clock, api, join, leaders } = world();
    const first = join('a');
    await clock.advance(1000);
    join('b');
    await clock.advance(10_000);
    first.clock.kill();
    for (let touch = 0; touch < 3; touch += 1) {
      const lease = api.at(PATH);
      api.put(PATH, { ...lease, metadata: { ...lease?.metadata, annotations: { touched: String(touch) } } });
      await clock.advance(10_000);
    }
    expect(leaders()).toEqual(['b']);
  });

  it('gives no epoch twice when a Lease is made, taken and deleted before another candidate sees it', async () => {
    const { clock, api, join, epochs } = world();
    const first = join('a');
    await clock.runUntil(() => epochs.length === 1, 1000);
    api.remove(PATH);
    first.clock.kill();
    join('b');
    await clock.advance(1000);
    expect(epochs).toHaveLength(2);
    expect(new Set(epochs)).toHaveLength(2);
  });

  it.each([{ 'fairlead.dev/epoch': 'abc' }, {}])(
    'gives a higher epoch when an operator left %j of it',
    async (annotations) => {
      const { clock, api, join } = world();
      for (let write = 0; write < 50; write += 1) api.put('/api/v1/nodes/busy', { metadata: { name: 'busy' } });
      const first = join('first', { work: () => Promise.resolve() });
      await clock.advance(1000);
      const lease = api.at(PATH);
      api.put(PATH, { ...lease, metadata: { ...lease?.metadata, annotations } });
      const second = join('second');
      await clock.advance(1000);
      const before = first.leaderships[0]?.epoch ?? Number.NaN;
      expect(before).toBeGreaterThan(50);
      expect(second.leaderships[0]?.epoch).toBeGreaterThan(before);
    },
  );

  it('gives the Lease back only when nothing that it covered can still be on its way', async () => {
    const { clock, join, leaders } = world();
    const first = join('a');
    await clock.advance(1000);
    join('b');
    await clock.advance(5000);
    expect(first.leaderships[0]?.covers(4000)).toBe(true);
    first.stop();
    await clock.advance(3900);
    expect(leaders()).toEqual([]);
    await clock.advance(3300);
    expect(leaders()).toEqual(['b']);
  });

  it('waits for the longest of what it covered before it gives the Lease back', async () => {
    const { clock, join, spec } = world();
    const leader = join('a');
    await clock.advance(1_000);
    expect([8_000, 1_000].map((milliseconds) => leader.leaderships[0]?.covers(milliseconds))).toEqual([true, true]);
    leader.stop();
    await clock.advance(7_900);
    expect(spec()).toMatchObject({ holderIdentity: expect.stringMatching(/^a_/) });
    await clock.advance(1_000);
    expect(spec()).not.toHaveProperty('holderIdentity');
  });

  it('does not take the Lease from another when it gives it back too late', async () => {
    const { clock, api, join, spec } = world();
    const leader = join('a');
    await clock.advance(1_000);
    leader.network.fault = ({ method }) => {
      if (method === 'PATCH')
        api.put(PATH, { metadata: LEASE, spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
      return undefined;
    };
    leader.stop();
    await clock.advance(30_000);
    expect(await leader.ended).toBe('resolved');
    expect(spec()).toMatchObject({ holderIdentity: 'b' });
  });

  it('does not mind what wall clocks say', async () => {
    const { clock, join, leaders, epochs } = world();
    const leader = join('a', { wallSkew: -86_400_000 });
    await clock.advance(1000);
    join('b', { wallSkew: 86_400_000 });
    for (const jump of [3_600_000, -7_200_000, 86_400_000]) {
      await clock.advance(20_000);
      leader.clock.jumpWall(jump);
      clock.jumpWall(-jump);
    }
    await clock.advance(60_000);
    expect(leaders()).toEqual(['a']);
    expect(epochs).toEqual([1]);
  });

  it('takes over from a holder that is long gone, but only after watching the Lease itself', async () => {
    const { clock, api, join, leaders, epochs } = world();
    const renewTime = '2020-01-01T00:00:00.000000Z';
    api.put(PATH, {
      metadata: LEASE,
      spec: { holderIdentity: 'old', leaseDurationSeconds: 5, leaseTransitions: 3, renewTime },
    });
    join('a');
    await clock.advance(4900);
    expect(leaders()).toEqual([]);
    await clock.advance(5000);
    expect(leaders()).toEqual(['a']);
    expect(epochs).toEqual([4]);
  });

  it('gives the Lease back when its work is done, and passes its failure on', async () => {
    const { clock, join, spec } = world();
    const done = join('a', { work: () => Promise.resolve() });
    await clock.advance(1000);
    expect(await done.ended).toBe('resolved');
    expect(spec()).not.toHaveProperty('holderIdentity');
    const failure = new Error('the work failed');
    const failed = join('b', { work: () => Promise.reject(failure) });
    await clock.advance(3000);
    expect(await failed.ended).toBe(failure);
    expect(spec()).not.toHaveProperty('holderIdentity');
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives the Lease back also when it was told to stop before it knew that it had it', async () => {
    const { clock, join, spec } = world();
    const candidate = join('a');
    await clock.runUntil(() => spec() !== undefined, 1000);
    candidate.stop();
    await clock.advance(200);
    expect(await candidate.ended).toBe('resolved');
    expect(candidate.leaderships).toEqual([]);
    expect(spec()).not.toHaveProperty('holderIdentity');
  });

  it('waits for the end of its work before it competes again', async () => {
    const { clock, api, join } = world();
    let finish = () => {};
    const leader = join('a', { work: () => new Promise((resolve) => (finish = resolve)) });
    await clock.advance(1000);
    api.fault = () => 'lose-request';
    await clock.advance(20_000);
    api.fault = () => undefined;
    await clock.advance(60_000);
    expect(leader.election.state).toEqual({ kind: 'stopping', epoch: 1 });
    expect(leader.leaderships).toHaveLength(1);
    finish();
    await clock.advance(5000);
    expect(leader.election.state).toEqual({ kind: 'leading', epoch: 2 });
  });

  it('tells of a missing permission at once, but waits it out once it has worked', async () => {
    const { clock, api, join } = world();
    const forbidden = () => ({ status: 403, reason: 'Forbidden' });
    api.fault = forbidden;
    const unableToRead = join('a');
    await clock.advance(100);
    expect(await unableToRead.ended).toMatchObject({ status: 403 });
    api.fault = (request) => (request.method === 'GET' ? undefined : forbidden());
    const unableToWrite = join('a');
    await clock.advance(200);
    expect(await unableToWrite.ended).toMatchObject({ status: 403 });
    api.fault = () => undefined;
    const leader = join('b');
    await clock.advance(200);
    expect(leader.leads()).toBe(true);
    api.fault = forbidden;
    await clock.advance(60_000);
    expect(leader.leads()).toBe(false);
    api.fault = () => undefined;
    await clock.advance(5000);
    expect(leader.leads()).toBe(true);
  });

  it('waits out a missing permission also when it has only stood by', async () => {
    const { clock, join } = world();
    join('a');
    await clock.advance(1000);
    const other = join('b');
    await clock.advance(5000);
    other.network.fault = () => ({ status: 403, reason: 'Forbidden' });
    await clock.advance(10_000);
    expect(other.election.state).toMatchObject({ kind: 'waiting', failure: expect.stringContaining('403') });
    other.network.fault = () => undefined;
    await clock.advance(5000);
    expect(other.election.state).toEqual({ kind: 'waiting', holder: expect.stringMatching(/^a_/) });
  });

  it('says why it cannot make a Lease for as long as that lasts', async () => {
    const { clock, api, join } = world();
    api.fault = ({ method }) => (method === 'POST' ? { status: 500, reason: 'InternalError' } : undefined);
    const candidate = join('a');
    await clock.advance(1000);
    for (let second = 0; second < 30; second += 1) {
      await clock.advance(1000);
      expect(candidate.election.state).toMatchObject({ failure: expect.stringContaining('500') });
    }
  });

  it('begins anew above the epoch that another client writes, and above its own', async () => {
    const { clock, api, join, epochs } = world();
    join('a');
    for (const epoch of ['9', '3']) {
      await clock.advance(10_000);
      const lease = api.at(PATH);
      api.put(PATH, { ...lease, metadata: { ...lease?.metadata, annotations: { 'fairlead.dev/epoch': epoch } } });
    }
    await clock.advance(10_000);
    expect(epochs).toEqual([1, 10, 11]);
  });

  it('leaves no timers behind', async () => {
    const { clock, join, candidates } = world();
    join('a');
    join('b');
    await clock.advance(20_000);
    for (const candidate of candidates) candidate.stop();
    await clock.advance(1000);
    expect(await Promise.all(candidates.map((candidate) => candidate.ended))).toEqual(['resolved', 'resolved']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no listener behind by a leadership that it lost', async () => {
    const { clock, join } = world();
    const leader = join('a');
    for (let losses = 0; losses < 3; losses += 1) {
      await clock.advance(5_000);
      leader.network.fault = () => 'lose-request';
      await clock.advance(30_000);
      leader.network.fault = () => undefined;
      await clock.advance(30_000);
    }
    expect(leader.leaderships).toHaveLength(4);
    expect(getEventListeners(leader.signal, 'abort')).toHaveLength(1);
  });

  it('never has two leaders, and epochs only rise, whatever happens to messages and processes', async () => {
    const events = fc.array(
      fc.record({
        after: fc.integer({ min: 0, max: 12_000 }),
        who: fc.integer({ min: 0, max: 2 }),
        what: fc.constantFrom(
          'pause',
          'resume',
          'suspend',
          'wake',
          'drift',
          'cut-off',
          'hang',
          'lose-answers',
          'reconnect',
          'delete',
          'jump',
        ),
      }),
      { minLength: 5, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(events, async (happenings) => {
        const { clock, api, join, leaders, epochs, candidates } = world();
        for (const name of ['a', 'b', 'c']) join(name, { wallSkew: name.charCodeAt(0) * 1000 });
        // A process that never saw the Lease cannot know that it was deleted.
        await clock.advance(10_000);
        let deleted = false;
        const checkUntil = async (end: number) => {
          while (clock.monotonic() < end) {
            await clock.runUntil(() => leaders().length > 1, Math.min(100, end - clock.monotonic()));
            expect(leaders().length).toBeLessThanOrEqual(1);
          }
        };
        for (const { after, who, what } of happenings) {
          await checkUntil(clock.monotonic() + after);
          const candidate = candidates[who];
          if (candidate === undefined) continue;
          if (what === 'pause') candidate.clock.pause();
          if (what === 'resume') candidate.clock.resume();
          if (what === 'suspend') candidate.clock.suspend();
          if (what === 'wake') candidate.clock.wake();
          if (what === 'drift') candidate.clock.drift(after % 2 === 0 ? 0.96 : 1.04);
          if (what === 'cut-off') candidate.network.fault = () => 'lose-request';
          if (what === 'hang') candidate.network.fault = () => 'hang';
          if (what === 'lose-answers')
            candidate.network.fault = ({ method }) => (method === 'GET' ? undefined : 'lose-response');
          if (what === 'reconnect') candidate.network.fault = () => undefined;
          if (what === 'jump') candidate.clock.jumpWall(after * 1000 - 6_000_000);
          // Twice in short order, and no candidate can tell that there was a Lease in between.
          if (what === 'delete' && !deleted) {
            deleted = true;
            api.remove(PATH);
          }
        }
        for (const candidate of candidates) {
          candidate.network.fault = () => undefined;
          candidate.clock.resume();
          candidate.clock.wake();
        }
        await checkUntil(clock.monotonic() + 60_000);
        expect(leaders()).toHaveLength(1);
        expect(epochs).toEqual([...new Set(epochs)].sort((left, right) => left - right));
      }),
      { numRuns: 40 },
    );
  });
});
