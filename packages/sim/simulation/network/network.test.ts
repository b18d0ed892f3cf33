import { codeOf, type HttpRequest, readText, sleep, verdictOf } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../faults/fault.ts';
import type { Incarnation } from '../process.ts';
import { Simulation } from '../simulation.ts';
import { Store } from '../testing/store.ts';
import { kubernetesDialect } from './kubernetes-dialect.ts';

interface Fixture {
  readonly simulation: Simulation;
  readonly store: Store;
}

function world(faults: Readonly<Record<string, Fault>> = {}, seed = 1): Fixture {
  const placed = Object.entries(faults).map(([call, fault]) => ({ call: `client > store: ${call}`, fault }));
  const simulation = new Simulation({ seed, placed, keepsHistory: true });
  const store = new Store();
  simulation.serve('store', store);
  return { simulation, store };
}

const request = (method: HttpRequest['method'], path: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method,
  url: `http://store${path}`,
  headers: {},
  ...more,
});

/** What a caller gets to see of one request, as text. */
async function tell(client: Incarnation, sent: HttpRequest): Promise<string> {
  try {
    const response = await client.connect('store').send(sent);
    return `${response.status} ${await readText(response)}`;
  } catch (error) {
    return `${verdictOf(error)} ${codeOf(error)}`;
  }
}

/** What a client gets to see that sends these requests, each after the one before it is answered. */
async function seen(fixture: Fixture, ...requests: readonly HttpRequest[]): Promise<string[]> {
  const told: string[] = [];
  fixture.simulation.process('client', async (client) => {
    for (const sent of requests) told.push(await tell(client, sent));
  });
  await fixture.simulation.run(60_000);
  expect(fixture.simulation.failure).toBeUndefined();
  return told;
}

describe('the simulated network', () => {
  it('carries requests and responses, and takes time for it', async () => {
    const fixture = world();
    let took = 0;
    fixture.simulation.process('client', async (client) => {
      expect(await tell(client, request('PUT', '/a', { body: '1' }))).toBe('200 a');
      took = client.clock.monotonic();
      expect(await tell(client, request('GET', '/a'))).toBe('200 1');
      expect(await tell(client, request('GET', '/b'))).toBe('404 ');
    });
    await fixture.simulation.run(1000);
    expect(fixture.simulation.failure).toBeUndefined();
    expect(took).toBeGreaterThanOrEqual(2);
    expect(took).toBeLessThanOrEqual(20);
  });

  it('loses a request: no effect, no answer', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'lose-request' } });
    expect(await seen(fixture, request('PUT', '/a'))).toEqual([]);
    expect(fixture.store.log).toEqual([]);
  });

  it('loses a response: the effect, and no answer', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'lose-response' } });
    expect(await seen(fixture, request('PUT', '/a'))).toEqual([]);
    expect(fixture.store.log).toEqual(['a=']);
  });

  it('breaks connections before and after the effect, and only the call that was named', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'reset-request' }, 'PUT /a #3': { kind: 'reset-response' } });
    const put = (body: string) => request('PUT', '/a', { body });
    expect(await seen(fixture, put('1'), put('2'), put('3'))).toEqual([
      'retriable connection-reset',
      '200 a',
      'retriable connection-reset',
    ]);
    expect(fixture.store.log).toEqual(['a=2', 'a=3']);
  });

  it('delays', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'delay', milliseconds: 500 } });
    fixture.simulation.process('client', async (client) => void (await tell(client, request('PUT', '/a'))));
    await fixture.simulation.run(500);
    expect(fixture.store.log).toEqual([]);
    await fixture.simulation.run(20);
    expect(fixture.store.log).toEqual(['a=']);
  });

  it('lets a request be overtaken by the next one', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'reorder', milliseconds: 5000 } });
    fixture.simulation.process('client', async (client) => {
      void tell(client, request('PUT', '/a', { body: 'first' }));
      await sleep(client.clock, 100);
      await tell(client, request('PUT', '/a', { body: 'second' }));
    });
    await fixture.simulation.run(1000);
    expect(fixture.store.log).toEqual(['a=second', 'a=first']);
  });

  it('delivers a request that nothing overtakes all the same', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'reorder', milliseconds: 5000 } });
    expect(await seen(fixture, request('PUT', '/a'))).toEqual(['200 a']);
    expect(fixture.store.log).toEqual(['a=']);
  });

  it('delivers twice, and answers once', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'duplicate', milliseconds: 50 } });
    expect(await seen(fixture, request('PUT', '/a'))).toEqual(['200 a']);
    expect(fixture.store.log).toEqual(['a=', 'a=']);
  });

  it('refuses in the name of the server, without effect, and says for how long', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'refuse', status: 429, retryAfterSeconds: 3 } });
    let retryAfter: string | undefined;
    fixture.simulation.process('client', async (client) => {
      const response = await client.connect('store').send(request('PUT', '/a'));
      expect(response.status).toBe(429);
      retryAfter = response.headers['retry-after'];
    });
    await fixture.simulation.run(1000);
    expect(retryAfter).toBe('3');
    expect(fixture.store.log).toEqual([]);
  });

  it('answers with an error although the write took effect', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'misreport', status: 504 } });
    expect(await seen(fixture, request('PUT', '/a'))).toEqual(['504 ']);
    expect(fixture.store.log).toEqual(['a=']);
  });

  it('breaks off in the middle of a body', async () => {
    const fixture = world({ 'GET /a #1': { kind: 'cut', milliseconds: 0, keep: 0.5 } });
    fixture.store.values.set('a', '0123456789');
    let text = '';
    fixture.simulation.process('client', async (client) => {
      const response = await client.connect('store').send(request('GET', '/a'));
      const reading = (async () => {
        for await (const piece of response.body) text += new TextDecoder().decode(piece);
      })();
      await expect(reading).rejects.toMatchObject({ verdict: 'retriable', code: 'connection-reset' });
    });
    await fixture.simulation.run(1000);
    expect(fixture.simulation.failure).toBeUndefined();
    expect(text).toBe('01234');
  });

  it('rejects with the reason of the signal at once, while the request that was sent still takes effect', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'delay', milliseconds: 500 } });
    let took: number | undefined;
    fixture.simulation.process('client', async (client) => {
      const controller = new AbortController();
      client.clock.setTimer(100, () => controller.abort(new Error('lost patience')));
      const sending = client.connect('store').send(request('PUT', '/a', { signal: controller.signal }));
      await expect(sending).rejects.toThrow('lost patience');
      took = client.clock.monotonic();
      await expect(client.connect('store').send(request('PUT', '/b', { signal: controller.signal }))).rejects.toThrow(
        'lost patience',
      );
    });
    await fixture.simulation.run(1000);
    expect(fixture.simulation.failure).toBeUndefined();
    expect(took).toBe(100);
    expect(fixture.store.log).toEqual(['a=']);
  });

  it('names the server that is missing', async () => {
    const fixture = world();
    fixture.simulation.process('client', async (client) => {
      await client.connect('nowhere').send(request('GET', '/'));
    });
    await fixture.simulation.run(100);
    expect(fixture.simulation.failure?.sentence).toContain('no server is called nowhere');
  });
});

describe('a stream through the simulated network', () => {
  interface Watch {
    text: string;
    ended: string | undefined;
  }

  /** Watches for as long as it may; writes one value every 100 ms meanwhile. */
  function watching(fixture: Fixture, signal?: AbortSignal): Watch {
    const watch: Watch = { text: '', ended: undefined };
    fixture.simulation.process('client', async (client) => {
      const sent = request('GET', '/', { streaming: true, ...(signal === undefined ? {} : { signal }) });
      try {
        const response = await client.connect('store').send(sent);
        for await (const piece of response.body) watch.text += new TextDecoder().decode(piece);
        watch.ended = 'ended';
      } catch (error) {
        watch.ended = codeOf(error);
      }
      await sleep(client.clock, 1_000_000);
    });
    fixture.simulation.process('writer', async (writer) => {
      for (let number = 1; number <= 20; number += 1) {
        await sleep(writer.clock, 100);
        await tell(writer, request('PUT', '/a', { body: String(number) }));
      }
    });
    return watch;
  }

  const values = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line))
      .map((event) =>
        typeof event === 'object' && event !== null && 'value' in event ? Number(event.value) : undefined,
      );
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it('arrives whole and in order, whatever the pieces', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const fixture = world({}, seed);
      const watch = watching(fixture);
      await fixture.simulation.run(10_000);
      expect(values(watch.text)).toEqual(upTo(20));
      expect(watch.ended).toBeUndefined();
    }
  });

  it('is cut in the middle of a line', async () => {
    const fixture = world({ 'GET / #1': { kind: 'cut', milliseconds: 1000, keep: 0.5 } });
    const watch = watching(fixture);
    await fixture.simulation.run(10_000);
    expect(watch.ended).toBe('connection-reset');
    expect(watch.text).not.toMatch(/\n$/);
    expect(watch.text.split('\n').length).toBeGreaterThan(5);
    expect(fixture.store.watchers).toBe(0);
  });

  it('is cut between two lines', async () => {
    const fixture = world({ 'GET / #1': { kind: 'cut', milliseconds: 1000 } });
    const watch = watching(fixture);
    await fixture.simulation.run(10_000);
    expect(watch.ended).toBe('connection-reset');
    expect(watch.text).toMatch(/\n$/);
    expect(fixture.store.watchers).toBe(0);
  });

  it('falls silent without ending, until the reader loses patience', async () => {
    const fixture = world({ 'GET / #1': { kind: 'stall', milliseconds: 1000 } });
    const patience = new AbortController();
    const watch = watching(fixture, patience.signal);
    await fixture.simulation.run(10_000);
    expect(watch.ended).toBeUndefined();
    expect(values(watch.text).length).toBeLessThan(12);
    expect(fixture.store.watchers).toBe(1);
    expect(fixture.simulation.outOfTouch).toBe('client');
    patience.abort(new Error('silent for too long'));
    await fixture.simulation.run(100);
    expect(fixture.simulation.outOfTouch).toBeUndefined();
    expect(watch.ended).toBe('unexpected');
    expect(fixture.store.watchers).toBe(0);
  });

  it.each(['lose-request', 'lose-response'] as const)('leaves its reader out of touch: %s', async (kind) => {
    const fixture = world({ 'GET / #1': { kind } });
    watching(fixture);
    await fixture.simulation.run(10_000);
    expect(fixture.simulation.outOfTouch).toBe('client');
  });

  it.each(['lose-request', 'lose-response'] as const)(
    'leaves who waits for an answer out of touch: %s',
    async (kind) => {
      const { simulation } = world({ 'GET / #1': { kind } });
      const patience = new AbortController();
      simulation.process('client', async (client) => {
        await tell(client, request('GET', '/', { signal: patience.signal }));
        await sleep(client.clock, 1_000_000);
      });
      await simulation.run(10_000);
      expect(simulation.outOfTouch).toBe('client');
      patience.abort(new Error('no answer'));
      await simulation.run(100);
      expect(simulation.outOfTouch).toBeUndefined();
    },
  );

  it('ends with an error in the words of the server', async () => {
    const simulation = new Simulation({
      seed: 1,
      placed: [{ call: 'client > store: get / #1', fault: { kind: 'stream-error', milliseconds: 1000, status: 410 } }],
    });
    const store = new Store();
    simulation.serve('store', store, { dialect: kubernetesDialect });
    const watch = watching({ simulation, store });
    await simulation.run(10_000);
    expect(watch.ended).toBe('ended');
    expect(JSON.parse(watch.text.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'ERROR',
      object: { code: 410 },
    });
    expect(store.watchers).toBe(0);
  });

  it('is closed at the server when the reader leaves, aborts or dies', async () => {
    const fixture = world();
    const aborting = new AbortController();
    const watchOnce = async (client: Incarnation) => {
      const response = await client.connect('store').send(request('GET', '/', { streaming: true }));
      for await (const piece of response.body) if (piece.length > 0) break;
      await sleep(client.clock, 1_000_000);
    };
    fixture.simulation.process('leaves', watchOnce);
    const dies = fixture.simulation.process('dies', async (client) => {
      const response = await client.connect('store').send(request('GET', '/', { streaming: true }));
      for await (const piece of response.body) expect(piece.length).toBeGreaterThan(0);
    });
    watching(fixture, aborting.signal);
    await fixture.simulation.run(90);
    expect(fixture.store.watchers).toBe(3);
    await fixture.simulation.run(1000);
    expect(fixture.store.watchers).toBe(2);
    dies.crash();
    await fixture.simulation.run(100);
    expect(fixture.store.watchers).toBe(1);
    aborting.abort(new Error('enough'));
    await fixture.simulation.run(100);
    expect(fixture.store.watchers).toBe(0);
  });
});

describe('conditions', () => {
  it('let nothing through while two sides are partitioned, and silence what is open', async () => {
    const fixture = world();
    const told: string[] = [];
    let heard = 0;
    fixture.simulation.process('client', async (client) => {
      for (;;) {
        void tell(client, request('PUT', '/a')).then((text) => told.push(text));
        await sleep(client.clock, 1000);
      }
    });
    fixture.simulation.process('watcher', async (client) => {
      const response = await client.connect('store').send(request('GET', '/', { streaming: true }));
      for await (const piece of response.body) heard += piece.length > 0 ? 1 : 0;
    });
    const partition = { kind: 'partition', server: 'store', milliseconds: 5000 } as const;
    await fixture.simulation.run(2500);
    fixture.simulation.disturb({ ...partition, process: 'client' });
    await fixture.simulation.run(4000);
    expect(told).toHaveLength(3);
    await fixture.simulation.run(3000);
    expect(told.length).toBeGreaterThan(4);
    const before = heard;
    expect(before).toBeGreaterThan(4);
    fixture.simulation.disturb({ ...partition, process: 'watcher' });
    await fixture.simulation.run(10_000);
    expect(heard).toBe(before);
  });

  it('refuse every call of one process for a while', async () => {
    const fixture = world();
    const repeatInto = (told: string[]) => async (client: Incarnation) => {
      for (;;) {
        told.push((await tell(client, request('GET', '/'))).slice(0, 3));
        await sleep(client.clock, 1000);
      }
    };
    const [told, others]: [string[], string[]] = [[], []];
    fixture.simulation.process('client', repeatInto(told));
    fixture.simulation.process('other', repeatInto(others));
    await fixture.simulation.run(500);
    fixture.simulation.disturb({
      kind: 'refusal',
      process: 'client',
      server: 'store',
      status: 401,
      milliseconds: 2000,
    });
    await fixture.simulation.run(4000);
    expect(told).toEqual(['200', '401', '401', '200', '200']);
    expect(others).toEqual(['200', '200', '200', '200', '200']);
    expect(fixture.simulation.failure).toBeUndefined();
  });

  it('break all connections at once', async () => {
    const fixture = world({ 'PUT /a #1': { kind: 'lose-response' } });
    const told: string[] = [];
    fixture.simulation.process('client', async (client) => {
      const response = await client.connect('store').send(request('GET', '/', { streaming: true }));
      void readText(response).catch((error: unknown) => told.push(`stream ${codeOf(error)}`));
      told.push(await tell(client, request('PUT', '/a')));
      await sleep(client.clock, 1_000_000);
    });
    await fixture.simulation.run(1000);
    fixture.simulation.disturb({ kind: 'reset', process: 'client', server: 'store' });
    await fixture.simulation.run(1000);
    expect(told.sort()).toEqual(['retriable connection-reset', 'stream connection-reset']);
    expect(fixture.store.watchers).toBe(0);
  });
});

describe('a server in a simulated process', () => {
  it('answers while it lives, refuses connections when it is dead, and breaks those it was answering', async () => {
    const { simulation } = world();
    const store = new Store();
    const agent = simulation.process('agent', async (incarnation) => {
      incarnation.serve('agent', {
        send: async (sent) => {
          if (sent.method === 'POST') await sleep(incarnation.clock, 1000);
          return store.send(sent);
        },
      });
      await sleep(incarnation.clock, 1_000_000);
    });
    const told: string[] = [];
    simulation.process('client', async (client) => {
      const send = async (method: HttpRequest['method']) => {
        try {
          const response = await client.connect('agent').send(request(method, '/a'));
          told.push(`${method} ${response.status}`);
        } catch (error) {
          told.push(`${method} ${codeOf(error)}`);
        }
      };
      await sleep(client.clock, 10);
      await send('PUT');
      await send('POST');
      await sleep(client.clock, 500);
      await send('PUT');
    });
    simulation.at(500, () => agent.crash(2000));
    await simulation.run(2000);
    expect(told).toEqual(['PUT 200', 'POST connection-reset', 'PUT connection-refused']);
    expect(store.log).toEqual(['a=']);
    expect(simulation.failure).toBeUndefined();
  });

  it('answers no call while it is paused', async () => {
    const { simulation } = world();
    const store = new Store();
    const agent = simulation.process('agent', async (incarnation) => {
      incarnation.serve('agent', store);
      await sleep(incarnation.clock, 1_000_000);
    });
    simulation.process('client', async (client) => {
      await sleep(client.clock, 10);
      await client.connect('agent').send(request('PUT', '/a'));
    });
    simulation.at(5, () => agent.pause());
    await simulation.run(1000);
    expect(store.log).toEqual([]);
    agent.resume();
    await simulation.run(100);
    expect(store.log).toEqual(['a=']);
    expect(simulation.failure).toBeUndefined();
  });
});

describe('an outside call that is not HTTP', () => {
  const load = { name: 'nft -f', subject: '', write: true };

  async function loadTwice(fault: Fault | undefined): Promise<string[]> {
    const placed = fault === undefined ? [] : [{ call: 'agent > local: nft -f #1', fault }];
    const simulation = new Simulation({ seed: 1, placed });
    const told: string[] = [];
    simulation.process('agent', async (agent) => {
      for (const attempt of [1, 2]) {
        try {
          await agent.call(load, () => void told.push(`life ${agent.number} attempt ${attempt} took effect`));
          told.push('heard');
        } catch (error) {
          told.push(codeOf(error));
        }
      }
      await sleep(agent.clock, 1_000_000);
    });
    await simulation.run(10_000);
    expect(simulation.failure).toBeUndefined();
    return told;
  }

  const first = 'life 1 attempt 1 took effect';
  const second = 'life 1 attempt 2 took effect';
  const restarted = ['life 2 attempt 1 took effect', 'heard', 'life 2 attempt 2 took effect', 'heard'];

  it.each<[string, Fault | undefined, string[]]>([
    ['takes effect and is heard of', undefined, [first, 'heard', second, 'heard']],
    ['fails before the effect', { kind: 'reset-request' }, ['simulated-failure', second, 'heard']],
    ['fails after the effect', { kind: 'reset-response' }, [first, 'simulated-failure', second, 'heard']],
    ['hangs before the effect', { kind: 'lose-request' }, []],
    ['hangs after the effect', { kind: 'lose-response' }, [first]],
    ['kills before the effect', { kind: 'crash', side: 'before', milliseconds: 100 }, restarted],
    ['kills after the effect', { kind: 'crash', side: 'after', milliseconds: 100 }, [first, ...restarted]],
  ])('%s', async (_, fault, expected) => {
    expect(await loadTwice(fault)).toEqual(expected);
  });
});
