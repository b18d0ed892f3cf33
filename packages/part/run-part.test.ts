import {
  FairleadError,
  Journal,
  type LogFields,
  type Logger,
  noMetrics,
  orAborted,
  seededRandom,
  silentLogger,
  sleep,
  VirtualClock,
} from '@fairlead/control';
import { endpointSlices, KubeClient, leases, namespaces, services } from '@fairlead/kube';
import { connectionOver, FakeApi } from '@fairlead/kube/testing';
import { SimulatedKube } from '@fairlead/sim/kube';
import { describe, expect, it } from 'vitest';
import type { LeaderEnvironment, Readiness, ReplicaEnvironment, Start } from './part.ts';
import { RELEASE_ANNOTATION } from './releases.ts';
import { runNodePart, runPart, type Standing } from './run-part.ts';
import { BLIND_MILLISECONDS } from './cache-watchdog.ts';

const questions = {
  plan: async () => ({ changes: [] }),
  explain: async () => undefined,
  status: async () => ({ summary: '', figures: {} }),
};

function world() {
  const clock = new VirtualClock();
  const api = new FakeApi();

  const options = (name: string, readiness: Readiness[], number = 1, logger: Logger = silentLogger) => ({
    part: 'lighthouse',
    connection: api.connect(clock, 5),
    clock,
    random: seededRandom(number),
    logger,
    metrics: noMetrics,
    journal: new Journal(clock),
    readiness: { set: (state: Readiness) => void readiness.push(state) },
    namespace: 'fairlead',
    replica: name,
    leaseDurationMilliseconds: 15_000,
  });

  /** Runs a replica of a part that does `start` while it leads. */
  function replica(name: string, start: Start<LeaderEnvironment>['start'], number = 1, logger: Logger = silentLogger) {
    const stop = new AbortController();
    const readiness: Readiness[] = [];
    const part = { runs: 'leader', start, ...questions } as const;
    const ended = runPart(part, options(name, readiness, number, logger), stop.signal);
    return { stop: () => stop.abort(), readiness, ended };
  }

  return { clock, api, options, replica };
}

const untilItEnds = ({ signal }: { readonly signal: AbortSignal }) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('runPart', () => {
  it('says in the log and in a metric who leads and who stands by, once', async () => {
    const { clock, options } = world();
    const lines: string[] = [];
    const led: number[] = [];
    const metrics = { ...noMetrics, set: (_: unknown, value: number) => void led.push(value) };
    const stop = new AbortController();
    const part = { runs: 'leader', start: untilItEnds, ...questions } as const;
    const join = (name: string, number: number) => {
      const info = ({ leader = '' }: LogFields, message: string) =>
        void lines.push(`${name}: ${message} ${JSON.stringify(leader)}`);
      const logger: Logger = { ...silentLogger, info, child: () => logger };
      return runPart(part, { ...options(name, [], number, logger), metrics }, stop.signal);
    };
    const first = join('one', 1);
    await clock.advance(1_000);
    expect(led.at(-1)).toBe(1);
    const second = join('two', 2);
    await clock.advance(60_000);
    expect(lines).toEqual(['one: leading ""', expect.stringMatching(/^two: standing by: another replica leads "one_/)]);
    stop.abort();
    await clock.advance(60_000);
    await Promise.all([first, second]);
    expect(led.at(-1)).toBe(0);
  });

  it('tells the leader that an operator releases what it holds back, and how it stands', async () => {
    const { clock, api, options } = world();
    const told: string[] = [];
    const stop = new AbortController();
    const start = (environment: LeaderEnvironment) => {
      environment.releases?.onRelease(() => told.push('released'));
      return untilItEnds(environment);
    };
    const join = (name: string, number: number) => {
      const onStanding = (standing: Standing) => void told.push(`${name} ${standing.kind}`);
      return runPart(
        { runs: 'leader', start, ...questions },
        { ...options(name, [], number), onStanding },
        stop.signal,
      );
    };
    const ended = join('one', 1);
    await clock.advance(10_000);
    const operator = new KubeClient(api.connect(clock), clock);
    const lease = { namespace: 'fairlead', name: 'fairlead-lighthouse' };
    expect(told.splice(0)).toContain('one leads');
    await operator.patchMerge(leases, lease, { metadata: { annotations: { [RELEASE_ANNOTATION]: 'now' } } });
    await clock.advance(30_000);
    expect(told.splice(0)).toEqual(['released']);
    await operator.delete(leases, lease);
    await clock.advance(60_000);
    await operator.patchMerge(leases, lease, { metadata: { annotations: { [RELEASE_ANNOTATION]: 'again' } } });
    await clock.advance(30_000);
    expect(told.splice(0).filter((one) => one !== 'one stands-by')).toEqual(['one leads', 'released']);
    const other = join('two', 2);
    await clock.advance(10_000);
    expect(told).toContain('two stands-by');
    stop.abort();
    await clock.advance(30_000);
    await Promise.all([ended, other]);
  });

  it('has a Lease that is as long as configured, or as long as the longest write of the part takes to be outlived', async () => {
    for (const [longestWriteMilliseconds, seconds] of [
      [undefined, 15],
      [10_000, 15],
      [20_000, 30],
      [7 * 60_000, 630],
    ] as const) {
      const { clock, api, options } = world();
      const stop = new AbortController();
      let mayWrite: boolean[] = [];
      const start = async ({ leadership, signal }: LeaderEnvironment) => {
        for (;;) {
          await sleep(clock, 1_000, signal);
          mayWrite.push(leadership.covers(longestWriteMilliseconds ?? 10_000));
        }
      };
      const longest = longestWriteMilliseconds === undefined ? {} : { longestWriteMilliseconds };
      const ended = runPart({ runs: 'leader', start, ...questions, ...longest }, options('one', []), stop.signal);
      await clock.advance(seconds * 3_000);
      const operator = new KubeClient(api.connect(clock), clock);
      const lease = operator.get(leases, { namespace: 'fairlead', name: 'fairlead-lighthouse' });
      await clock.advance(1_000);
      expect((await lease).spec?.leaseDurationSeconds).toBe(seconds);
      expect(new Set(mayWrite)).toEqual(new Set([true]));
      mayWrite = [];
      stop.abort();
      await clock.advance(seconds * 1_000);
      await ended;
    }
  });

  it('runs the part while it leads, and another replica after that', async () => {
    const { clock, replica } = world();
    const led: string[] = [];
    const lead = (name: string) => async (environment: LeaderEnvironment) => {
      led.push(`${name} begins`);
      await untilItEnds(environment).finally(() => led.push(`${name} ends`));
    };
    const first = replica('one', lead('one'), 1);
    await clock.advance(1_000);
    const second = replica('two', lead('two'), 2);
    await clock.advance(30_000);
    expect(led).toEqual(['one begins']);
    expect(second.readiness.at(-1)).toEqual({ ready: true });
    first.stop();
    await clock.advance(30_000);
    await first.ended;
    expect(led).toEqual(['one begins', 'one ends', 'two begins']);
    second.stop();
    await clock.advance(30_000);
    await second.ended;
  });

  it('reports a part that fails as not ready, and starts it again', async () => {
    const { clock, replica } = world();
    let starts = 0;
    const { readiness, stop, ended } = replica('one', async (environment) => {
      starts += 1;
      if (starts < 3) throw new Error(`no luck ${starts}`);
      environment.readiness.set({ ready: true });
      await untilItEnds(environment);
    });
    await clock.advance(120_000);
    expect(starts).toBe(3);
    expect(readiness).toContainEqual({ ready: false, reason: 'no luck 1' });
    expect(readiness).toContainEqual({ ready: false, reason: 'no luck 2' });
    expect(readiness.at(-1)).toEqual({ ready: true });
    stop();
    await clock.advance(30_000);
    await ended;
  });

  it('is not ready before it found the Lease, and names the namespace that is missing', async () => {
    const { clock, api, replica } = world();
    api.fault = ({ method }) => (method === 'POST' ? { status: 404, reason: 'NotFound' } : undefined);
    const { readiness, stop, ended } = replica('one', untilItEnds);
    await clock.advance(60_000);
    expect(readiness[0]).toEqual({ ready: false, reason: 'looking for the Lease fairlead/fairlead-lighthouse' });
    expect(readiness.every(({ ready }) => !ready)).toBe(true);
    expect(JSON.stringify(readiness)).toContain('the namespace fairlead for the Lease does not exist');
    stop();
    await clock.advance(60_000);
    await ended;
  });

  it('says why the Lease cannot be read or taken, at the start as well as later, and logs it once', async () => {
    const { clock, api, replica } = world();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: LogFields, message: string) => void warnings.push(message) };
    api.fault = () => 'lose-request';
    const unreachable = { ready: false, reason: 'the Lease fairlead/fairlead-lighthouse: the request was lost' };
    const start = async (environment: LeaderEnvironment) => {
      environment.readiness.set({ ready: true });
      await untilItEnds(environment);
    };
    const { readiness, stop, ended } = replica('one', start, 1, { ...logger, child: () => logger });
    await clock.advance(60_000);
    expect(readiness.at(-1)).toEqual(unreachable);
    expect(warnings).toEqual(['cannot read or take the Lease; trying again']);
    api.fault = ({ method }) => (method === 'GET' ? undefined : { status: 500, reason: 'InternalError' });
    await clock.advance(60_000);
    expect(readiness.at(-1)).toMatchObject({ ready: false, reason: expect.stringContaining('500 InternalError') });
    expect(warnings).toHaveLength(2);
    api.fault = () => undefined;
    // A Lease that it may have made counts as seen, and as deleted since: that is waited for.
    await clock.advance(20_000);
    expect(readiness.at(-1)).toEqual({ ready: true });
    api.fault = () => 'lose-request';
    await clock.advance(60_000);
    expect(readiness.at(-1)).toEqual(unreachable);
    expect(warnings.filter((message) => message.startsWith('cannot read or take'))).toHaveLength(3);
    stop();
    await clock.advance(30_000);
    await ended;
  });

  it('logs each reason why the Lease cannot be read once, also when they alternate', async () => {
    const { clock, api, replica } = world();
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: ({ error }: LogFields) => void warnings.push(error) };
    let requests = 0;
    api.fault = () => {
      requests += 1;
      return requests % 2 === 0 ? 'lose-request' : { status: 503, reason: 'ServiceUnavailable' };
    };
    const { stop, ended } = replica('one', untilItEnds, 1, { ...logger, child: () => logger });
    await clock.advance(600_000);
    expect(requests).toBeGreaterThan(200);
    expect(warnings).toEqual([expect.stringContaining('503 ServiceUnavailable'), 'the request was lost']);
    stop();
    await clock.advance(30_000);
    await ended;
  });

  it('says, while the part is not ready, which objects cannot be read and why', async () => {
    const { clock, api, replica } = world();
    const readable = new Set<string>();
    api.fault = ({ path, query = {} }) => {
      const kind = path.split('/').at(-1) ?? '';
      if (kind !== 'services' && kind !== 'endpointslices') return undefined;
      if (!readable.has(kind)) return kind === 'services' ? { status: 403, reason: 'Forbidden' } : 'lose-request';
      // It lists in pages, and a watch of it has nothing to tell.
      if (query['sendInitialEvents'] === true) return { status: 422, reason: 'Invalid' };
      return query['watch'] === true ? 'hang' : undefined;
    };
    const { readiness, stop, ended } = replica('one', async (environment) => {
      environment.caches.cache(services);
      environment.caches.cache(endpointSlices);
      environment.readiness.set({ ready: false, reason: 'reading the cluster' });
      await environment.caches.synced(environment.signal);
      environment.readiness.set({ ready: true });
      await untilItEnds(environment);
    });
    const noServices = 'services: GET /api/v1/services: Forbidden (403 Forbidden)';
    const noSlices = 'endpointslices.discovery.k8s.io: the request was lost';
    await clock.advance(30_000);
    expect(readiness.at(-1)).toEqual({ ready: false, reason: `reading the cluster; ${noServices}; ${noSlices}` });
    readable.add('endpointslices');
    await clock.advance(30_000);
    expect(readiness.at(-1)).toEqual({ ready: false, reason: `reading the cluster; ${noServices}` });
    readable.add('services');
    await clock.advance(60_000);
    expect(readiness.at(-1)).toEqual({ ready: true });
    stop();
    await clock.advance(30_000);
    await ended;
  });

  it('ends the Events and caches of a part with its leadership, whatever the part still does', async () => {
    const { clock, api, replica } = world();
    const object = { metadata: { namespace: 'shop', name: 'web', uid: 'web' } };
    const environments: LeaderEnvironment[] = [];
    const { stop, ended } = replica('one', async (environment) => {
      environments.push(environment);
      environment.caches.cache(services);
      const message = { type: 'Normal', reason: 'Again', note: 'it happened' } as const;
      environment.events.record(services, object, message);
      environment.events.record(services, object, message);
      await untilItEnds(environment);
    });
    await clock.advance(5_000);
    stop();
    await clock.advance(5_000);
    await ended;
    const before = api.requests.length;
    environments[0]?.events.record(services, object, { type: 'Normal', reason: 'Late', note: 'too late' });
    await clock.advance(600_000);
    expect(api.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells no Event for a part that takes its time to end', async () => {
    const { clock, api, replica } = world();
    const object = { metadata: { namespace: 'shop', name: 'web', uid: 'web' } };
    const { stop, ended } = replica('one', async (environment) => {
      await untilItEnds(environment).catch(() => {});
      environment.events.record(services, object, { type: 'Normal', reason: 'Late', note: 'too late' });
      await sleep(clock, 5_000);
    });
    await clock.advance(5_000);
    stop();
    await clock.advance(30_000);
    await ended;
    expect(api.requests.filter(({ path }) => path.includes('/events'))).toEqual([]);
  });

  it('is not ready, and no longer looks for the Lease, while the part that leads says nothing', async () => {
    const { clock, replica } = world();
    const { readiness, stop, ended } = replica('one', untilItEnds);
    await clock.advance(5_000);
    expect(readiness.at(-1)).toEqual({ ready: false, reason: 'starting' });
    stop();
    await clock.advance(30_000);
    await ended;
  });

  it('does not listen to a part that no longer leads', async () => {
    const { clock, replica } = world();
    const { readiness, stop, ended } = replica('one', async (environment) => {
      environment.readiness.set({ ready: true });
      await untilItEnds(environment).catch(() => environment.readiness.set({ ready: false, reason: 'too late' }));
    });
    await clock.advance(5_000);
    stop();
    await clock.advance(30_000);
    await ended;
    expect(readiness).not.toContainEqual({ ready: false, reason: 'too late' });
  });

  it('writes no Events for a part that no longer leads', async () => {
    const { clock, api, replica } = world();
    const tell = ({ events }: LeaderEnvironment, note: string) =>
      events.record(namespaces, { metadata: { name: 'kube-system' } }, { type: 'Normal', reason: 'Told', note });
    const led: LeaderEnvironment[] = [];
    const { stop, ended } = replica('one', async (environment) => {
      led.push(environment);
      tell(environment, 'in time');
      await untilItEnds(environment);
    });
    await clock.advance(5_000);
    stop();
    await clock.advance(30_000);
    await ended;
    for (const environment of led) tell(environment, 'too late');
    await clock.advance(120_000);
    const written = api.writes.filter(({ path }) => path.endsWith('/events')).map(({ body }) => body);
    expect(written).toEqual([expect.objectContaining({ note: 'in time' })]);
  });

  it('tells the part the default class, where one was declared', async () => {
    const { clock, options } = world();
    const told: unknown[] = [];
    const start = async (environment: ReplicaEnvironment) => {
      told.push(environment.defaultClass);
      await untilItEnds(environment);
    };
    const stop = new AbortController();
    const runs = [{ defaultClass: 'example.com/lb' }, {}].map((declared) =>
      runPart({ runs: 'everywhere', start, ...questions }, { ...options('one', []), ...declared }, stop.signal),
    );
    await clock.advance(5_000);
    expect(told).toEqual(['example.com/lb', undefined]);
    stop.abort();
    await Promise.all(runs);
  });

  it('ends the caches of a part that failed, before it is started again', async () => {
    const { clock, api, options } = world();
    let starts = 0;
    const start = async ({ caches, signal }: ReplicaEnvironment) => {
      starts += 1;
      if (starts > 1) return orAborted(new Promise<never>(() => {}), signal);
      void caches
        .cache(services)
        .synced(signal)
        .catch(() => {});
      await sleep(clock, 1_000);
      throw new FairleadError('it fails once', { verdict: 'terminal', code: 'test' });
    };
    const stop = new AbortController();
    const run = runPart({ runs: 'everywhere', start, ...questions }, options('one', []), stop.signal);
    await clock.advance(10_000);
    expect(starts).toBe(2);
    const before = api.requests.length;
    await clock.advance(600_000);
    expect(api.requests.slice(before)).toEqual([]);
    stop.abort();
    await run.catch(() => {});
    expect(clock.pendingTimers).toBe(0);
  });

  it('runs a part of the kind that runs everywhere in each replica, without a Lease', async () => {
    const { clock, api, options } = world();
    const started: string[] = [];
    const start = async (environment: ReplicaEnvironment) => {
      started.push('leadership' in environment ? 'as leader' : 'as one of many');
      await untilItEnds(environment);
    };
    const stop = new AbortController();
    const runs = ['one', 'two'].map((name, index) =>
      runPart({ runs: 'everywhere', start, ...questions }, options(name, [], index), stop.signal),
    );
    await clock.advance(60_000);
    expect(started).toEqual(['as one of many', 'as one of many']);
    expect(api.writes).toEqual([]);
    stop.abort();
    await Promise.all(runs);
  });
});

/** Replicas of a part that caches Services, on a simulated cluster; `blind` are those whose reads are refused. */
async function watchers(...names: readonly string[]) {
  const { clock, options } = world();
  const kube = new SimulatedKube({ clock, random: seededRandom(7) });
  const client = new KubeClient(connectionOver(kube.transport(), clock), clock);
  await client.create(namespaces, { metadata: { name: 'fairlead' } });
  const blind = new Map<string, 'refused' | 'unwatched' | 'no answer'>();
  const requests: string[] = [];
  const warnings: string[] = [];
  const stop = new AbortController();
  const start = async (environment: LeaderEnvironment) => {
    await environment.caches.cache(services).synced(environment.signal);
    environment.readiness.set({ ready: true });
    await untilItEnds(environment);
  };
  let connections = Promise.withResolvers<never>();
  async function* seen(body: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
    const pieces = body[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([pieces.next(), connections.promise]);
      if (next.done === true) return;
      if (!blind.has(name)) yield next.value;
    }
  }
  /** Breaks the watches that are open. */
  const disconnect = () => {
    connections.promise.catch(() => {});
    connections.reject(new FairleadError('reset', { verdict: 'retriable', code: 'connection-reset' }));
    connections = Promise.withResolvers();
  };
  const replicas = names.map((name, index) => {
    const transport = kube.transport();
    const send: typeof transport.send = async (request) => {
      const { pathname } = new URL(request.url);
      requests.push(`${name} ${request.method} ${pathname}`);
      const how = pathname.endsWith('/services') ? blind.get(name) : undefined;
      if (how === 'no answer') return new Promise(() => {});
      if (how === 'refused' || (how === 'unwatched' && request.streaming === true))
        return { status: 403, headers: {}, body: (async function* () {})() };
      const response = await transport.send(request);
      return request.streaming === true ? { ...response, body: seen(response.body, name) } : response;
    };
    const readiness: Readiness[] = [];
    const logger = {
      ...silentLogger,
      error: ({ error }: LogFields) => void warnings.push(`${name}: ${String(error)}`),
    };
    const connection = connectionOver({ send }, clock);
    const run = { ...options(name, readiness, index + 1, { ...logger, child: () => logger }), connection };
    const ended = runPart({ runs: 'leader', start, ...questions }, run, stop.signal);
    return { name, readiness, ended };
  });
  const lease = () => client.find(leases, { namespace: 'fairlead', name: 'fairlead-lighthouse' });
  const holder = async () => (await lease())?.spec?.holderIdentity?.split('_')[0];
  const end = async () => {
    stop.abort();
    await clock.advance(60_000);
    await Promise.all(replicas.map(({ ended }) => ended));
  };
  return { clock, disconnect, blind, requests, warnings, replicas, lease, holder, end };
}

describe('a leader that cannot read', () => {
  it('is not ready, says why, and leaves its Lease to a replica that can', async () => {
    const { clock, disconnect, blind, warnings, replicas, holder, end } = await watchers('one', 'two');
    await clock.advance(60_000);
    const leader = await holder();
    const [blinded, other] = replicas[0]?.name === leader ? replicas : replicas.toReversed();
    blind.set(blinded?.name ?? '', 'refused');
    disconnect();
    await clock.advance(60_000);
    expect(blinded?.readiness.at(-1)).toEqual({
      ready: false,
      reason: expect.stringMatching(/^services: .*403/),
    });
    expect(await holder()).toBe(leader);
    await clock.advance(BLIND_MILLISECONDS);
    expect(await holder()).toBe(other?.name);
    expect(other?.readiness.at(-1)).toEqual({ ready: true });
    expect(blinded?.readiness.at(-1)).toEqual({
      ready: false,
      reason: expect.stringMatching(/^leaves the Lease to other replicas, as it cannot read what it needs: .*403/),
    });
    expect(warnings).toEqual([expect.stringMatching(/: gave the Lease back, .*services: .*403/)]);
    blind.clear();
    await clock.advance(120_000);
    expect(blinded?.readiness.at(-1)).toEqual({ ready: true });
    expect(await holder()).toBe(other?.name);
    await end();
  });

  it('may begin no further call, although the Lease is still its own', async () => {
    const { clock, api, replica } = world();
    api.fault = ({ path }) => (path.endsWith('/services') ? { status: 403, reason: 'Forbidden' } : undefined);
    const covered: boolean[] = [];
    const { stop, ended, readiness } = replica('one', async ({ caches, leadership, signal }) => {
      caches.cache(services);
      covered.push(leadership.covers(1_000));
      await untilItEnds({ signal }).catch(() => covered.push(leadership.covers(1_000)));
    });
    await clock.advance(BLIND_MILLISECONDS + 30_000);
    expect(covered).toEqual([true, false]);
    // It came to a quiet end, and is not started again at once.
    expect(readiness).toContainEqual({ ready: false, reason: expect.stringMatching(/^gave the Lease back, /) });
    stop();
    await clock.advance(30_000);
    await ended;
  });

  it('gives its Lease back also when its reads are not answered, once its watch has noticed', async () => {
    const { clock, blind, holder, end } = await watchers('one', 'two');
    await clock.advance(60_000);
    const leader = (await holder()) ?? '';
    blind.set(leader, 'no answer');
    await clock.advance(160_000 + BLIND_MILLISECONDS + 30_000);
    expect(await holder()).toSatisfy((name) => name !== undefined && name !== leader);
    await end();
  });

  it.each([
    ['read', 'refused', 90],
    ['watch', 'unwatched', 180],
  ] as const)('leaves the Lease in peace when no replica may %s, and one leads when it may', async (_, how, most) => {
    const { clock, disconnect, blind, requests, lease, holder, end } = await watchers('one', 'two', 'three');
    await clock.advance(60_000);
    for (const name of ['one', 'two', 'three']) blind.set(name, how);
    disconnect();
    await clock.advance(4 * BLIND_MILLISECONDS);
    expect(await holder()).toBeUndefined();
    const before = await lease();
    expect(before?.spec?.leaseTransitions).toBe(3);
    requests.length = 0;
    await clock.advance(3_600_000);
    expect(await lease()).toEqual(before);
    expect(requests.length).toBeLessThan(3 * most);
    blind.delete('two');
    await clock.advance(70_000);
    expect(await holder()).toBe('two');
    await end();
  });

  it('keeps its Lease when the API server refuses reads for two minutes', async () => {
    const { clock, disconnect, blind, lease, replicas, end } = await watchers('one', 'two');
    await clock.advance(60_000);
    for (const { name } of replicas) blind.set(name, 'refused');
    disconnect();
    await clock.advance(120_000);
    blind.clear();
    await clock.advance(300_000);
    expect((await lease())?.spec?.leaseTransitions).toBe(1);
    for (const { readiness } of replicas) expect(readiness.at(-1)).toEqual({ ready: true });
    await end();
  });

  it('does not read what it caches while it stands by', async () => {
    const { clock, requests, holder, end } = await watchers('one', 'two');
    await clock.advance(600_000);
    const standby = (await holder()) === 'one' ? 'two' : 'one';
    expect(requests.filter((line) => line.startsWith(standby) && !line.includes('/leases'))).toEqual([]);
    await end();
  });
});

describe('runNodePart', () => {
  it('needs no cluster, and starts a part again that failed', async () => {
    const { clock, options } = world();
    const readiness: Readiness[] = [];
    let starts = 0;
    const stop = new AbortController();
    const run = runNodePart(
      {
        runs: 'node',
        start: async (environment) => {
          starts += 1;
          if (starts === 1) throw new Error('no kernel');
          environment.readiness.set({ ready: true });
          await untilItEnds(environment);
        },
      },
      options('node-1', readiness),
      stop.signal,
    );
    await clock.advance(60_000);
    expect(readiness).toContainEqual({ ready: false, reason: 'no kernel' });
    expect(readiness.at(-1)).toEqual({ ready: true });
    stop.abort();
    await run;
  });

  it.each([
    ['ended well', async () => {}],
    [
      'ran for ten minutes',
      async (clock: VirtualClock) => sleep(clock, 600_000).then(() => Promise.reject(new Error('x'))),
    ],
  ])('starts a part soon that failed once after it %s, however often it failed before', async (_, goWell) => {
    const { clock, options } = world();
    const startedAt: number[] = [];
    const stop = new AbortController();
    const start = async (environment: { readonly signal: AbortSignal }) => {
      startedAt.push(clock.monotonic());
      if (startedAt.length === 8) return goWell(clock);
      if (startedAt.length === 10) return untilItEnds(environment);
      throw new Error('no kernel');
    };
    const run = runNodePart({ runs: 'node', start }, options('node-1', []), stop.signal);
    await clock.advance(900_000);
    const [eighth = 0, , tenth = 0] = startedAt.slice(7);
    expect(eighth - (startedAt[6] ?? 0)).toBeGreaterThan(20_000);
    expect(tenth - (startedAt[8] ?? 0)).toBeLessThanOrEqual(1_000);
    stop.abort();
    await run;
  });
});
