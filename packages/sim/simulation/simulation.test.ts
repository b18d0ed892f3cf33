import { readText, sleep } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { ROUGH_RATES } from './faults/fault.ts';
import type { Incarnation } from './process.ts';
import { Simulation } from './simulation.ts';
import { Store } from './testing/store.ts';

const url = 'http://store/a';

describe('a simulated process', () => {
  it('leaves nothing running when it dies, and begins again on the world as it is', async () => {
    const simulation = new Simulation({ seed: 1 });
    const log: string[] = [];
    const process = simulation.process('worker', async (worker) => {
      for (;;) {
        await sleep(worker.clock, 1000);
        log.push(`life ${worker.number} at ${simulation.clock.monotonic()}`);
      }
    });
    await simulation.run(2500);
    process.crash();
    expect(process.state).toBe('dead');
    await simulation.run(2000);
    process.start();
    await simulation.run(1500);
    expect(log).toEqual(['life 1 at 1000', 'life 1 at 2000', 'life 2 at 5500']);
    expect(process.lives).toBe(2);
  });

  it('comes back by itself when the crash says so, but only once', async () => {
    const simulation = new Simulation({ seed: 1 });
    const process = simulation.process('worker', (worker) => sleep(worker.clock, 1_000_000));
    await simulation.run(10);
    process.crash(1000);
    process.crash(5);
    await simulation.run(500);
    expect(process.state).toBe('dead');
    process.start();
    await simulation.run(5000);
    expect(process.lives).toBe(2);
    expect(process.state).toBe('running');
  });

  it('hears nothing of the answer to what it sent before it died', async () => {
    const simulation = new Simulation({ seed: 1 });
    const store = new Store();
    simulation.serve('store', store, { latency: { minimum: 10, maximum: 10 } });
    const heard: number[] = [];
    const process = simulation.process('worker', async (worker) => {
      const response = await worker.connect('store').send({ method: 'PUT', url, headers: {} });
      heard.push(response.status);
    });
    simulation.at(15, () => process.crash());
    await simulation.run(1000);
    expect(store.log).toEqual(['a=']);
    expect(heard).toEqual([]);
  });

  it('makes no call once it is dead, even in what is left of the step in which it died', async () => {
    const simulation = new Simulation({
      seed: 1,
      placed: [{ call: 'worker > store: PUT /a #1', fault: { kind: 'crash', side: 'before', milliseconds: 1e9 } }],
    });
    const store = new Store();
    simulation.serve('store', store);
    simulation.process('worker', async (worker) => {
      const put = (path: string) => worker.connect('store').send({ method: 'PUT', url: path, headers: {} });
      await Promise.all([put('http://store/a'), put('http://store/b')]);
    });
    await simulation.run(1000);
    expect(store.log).toEqual([]);
    expect(simulation.failure).toBeUndefined();
  });

  it('sleeps through a pause and then hears at once what it missed', async () => {
    const simulation = new Simulation({ seed: 1 });
    const store = new Store();
    simulation.serve('store', store, { latency: { minimum: 10, maximum: 10 } });
    const log: string[] = [];
    const process = simulation.process('worker', async (worker) => {
      const response = await worker.connect('store').send({ method: 'PUT', url, headers: {} });
      log.push(`heard ${await readText(response)} at ${worker.clock.monotonic()}`);
    });
    simulation.at(5, () => simulation.disturb({ kind: 'pause', process: 'worker', milliseconds: 500 }));
    await simulation.run(400);
    expect(process.state).toBe('paused');
    await simulation.run(400);
    expect(log).toEqual(['heard a at 505']);
    expect(process.state).toBe('ended');
  });

  it('goes on only when the last of several pauses has ended', async () => {
    const simulation = new Simulation({ seed: 1 });
    const process = simulation.process('worker', (worker) => sleep(worker.clock, 1_000_000));
    simulation.at(100, () => simulation.disturb({ kind: 'pause', process: 'worker', milliseconds: 1000 }));
    simulation.at(200, () => simulation.disturb({ kind: 'pause', process: 'worker', milliseconds: 100 }));
    await simulation.run(500);
    expect(process.state).toBe('paused');
    await simulation.run(700);
    expect(process.state).toBe('running');
  });

  it('has a wall clock of its own, which keeps its error over a restart', async () => {
    const simulation = new Simulation({ seed: 1 });
    const ahead: number[] = [];
    const process = simulation.process('worker', async (worker) => {
      await sleep(worker.clock, 100);
      ahead.push(worker.clock.now() - simulation.clock.now());
      await sleep(worker.clock, 1_000_000);
    });
    simulation.at(10, () => simulation.disturb({ kind: 'clock-jump', process: 'worker', milliseconds: -5000 }));
    await simulation.run(200);
    process.crash(10);
    await simulation.run(200);
    expect(ahead).toEqual([-5000, -5000]);
  });

  it('wakes with the right time, as nobody sets the clock of a machine that sleeps', async () => {
    const simulation = new Simulation({ seed: 1 });
    const ahead: number[] = [];
    simulation.process('worker', async (worker) => {
      await sleep(worker.clock, 100);
      ahead.push(worker.clock.now() - simulation.clock.now());
    });
    simulation.at(10, () => simulation.disturb({ kind: 'suspend', process: 'worker', milliseconds: 500 }));
    simulation.at(20, () => simulation.disturb({ kind: 'clock-jump', process: 'worker', milliseconds: -500 }));
    await simulation.run(1_000);
    expect(ahead).toEqual([0]);
  });

  it('sleeps with its machine, and keeps clocks that drift over a restart', async () => {
    const simulation = new Simulation({ seed: 1 });
    const times: number[][] = [];
    const process = simulation.process('worker', async ({ clock }) => {
      const startedAt = clock.now();
      await sleep(clock, 100);
      times.push([clock.monotonic(), clock.now() - startedAt, simulation.clock.monotonic()]);
      await sleep(clock, 1_000_000);
    });
    simulation.at(10, () => simulation.disturb({ kind: 'suspend', process: 'worker', milliseconds: 500 }));
    simulation.at(20, () => simulation.disturb({ kind: 'suspend', process: 'worker', milliseconds: 90 }));
    await simulation.run(1000);
    simulation.disturb({ kind: 'drift', process: 'worker', rate: 0.5 });
    process.crash(0);
    await simulation.run(1000);
    expect(times).toEqual([
      [100, 600, 600],
      [100, 100, 1200],
    ]);
  });

  it('can be asked to stop', async () => {
    const simulation = new Simulation({ seed: 1 });
    const log: string[] = [];
    const process = simulation.process('worker', async (worker) => {
      await sleep(worker.clock, 1_000_000, worker.signal).catch(() => log.push('stopping'));
      await sleep(worker.clock, 50);
      log.push('cleaned up');
    });
    await simulation.run(10);
    process.stop();
    await simulation.run(100);
    expect(log).toEqual(['stopping', 'cleaned up']);
    expect(process.state).toBe('ended');
  });

  it('draws its own numbers, others in each life, the same in each run', async () => {
    const numbersOf = async () => {
      const simulation = new Simulation({ seed: 3 });
      const numbers: number[] = [];
      const process = simulation.process('worker', async (worker) => {
        numbers.push(worker.random.next());
        await sleep(worker.clock, 1_000_000);
      });
      await simulation.run(1);
      process.crash(0);
      await simulation.run(1);
      return numbers;
    };
    const numbers = await numbersOf();
    expect(new Set(numbers)).toHaveLength(2);
    expect(await numbersOf()).toEqual(numbers);
  });
});

describe('uncaught errors', () => {
  const failing: Record<string, (worker: Incarnation) => Promise<void>> = {
    'a main that rejects': async () => {
      throw new Error('a defect');
    },
    'a promise without a handler': async (worker) => {
      void sleep(worker.clock, 10).then(() => {
        throw new Error('a defect');
      });
      await sleep(worker.clock, 1000);
    },
    'a timer that throws': async (worker) => {
      worker.clock.setTimer(10, () => {
        throw new Error('a defect');
      });
      await sleep(worker.clock, 1000);
    },
    'a listener that throws': async (worker) => {
      const controller = new AbortController();
      controller.signal.addEventListener('abort', () => {
        throw new Error('a defect');
      });
      worker.clock.setTimer(10, () => controller.abort());
      await sleep(worker.clock, 1000);
    },
  };

  it.each(Object.entries(failing))('fail the run: %s', async (_, main) => {
    const simulation = new Simulation({ seed: 1 });
    simulation.process('worker', main);
    await simulation.run(100);
    expect(simulation.failure?.invariant).toBe('no error goes uncaught');
    expect(simulation.failure?.sentence).toBe('process worker: a defect');
    expect(simulation.failure?.details).toContain('simulation.test.ts');
  });

  it('do not fail the run when they come from a process that is dead', async () => {
    const simulation = new Simulation({
      seed: 1,
      placed: [{ call: 'worker > store: PUT /a #1', fault: { kind: 'crash', side: 'before', milliseconds: 1e9 } }],
    });
    simulation.serve('store', new Store());
    simulation.process('worker', async (worker) => {
      void worker.connect('store').send({ method: 'PUT', url, headers: {} });
      await Promise.resolve();
      void Promise.reject(new Error('left behind'));
      throw new Error('left behind');
    });
    await simulation.run(1000);
    expect(simulation.failure).toBeUndefined();
  });

  it('in an action or a server are told apart from those of processes', async () => {
    const simulation = new Simulation({ seed: 1 });
    simulation.serve('store', { send: () => Promise.reject(new Error('the server is broken')) });
    simulation.process('worker', async (worker) => {
      await worker.connect('store').send({ method: 'PUT', url, headers: {} });
    });
    await simulation.run(1000);
    expect(simulation.failure?.sentence).toBe('the simulated world: the server is broken');
  });

  it('go where they went before once the run is over', async () => {
    const before = process.listeners('unhandledRejection');
    const simulation = new Simulation({ seed: 1 });
    await simulation.run(10);
    expect(process.listeners('unhandledRejection')).toEqual(before);
  });

  it('cannot be told apart between two runs at once, which is refused', async () => {
    const first = new Simulation({ seed: 1 }).run(10);
    await expect(new Simulation({ seed: 2 }).run(10)).rejects.toThrow('two simulations run at once');
    await first;
  });
});

describe('invariants', () => {
  it('stop the run at the very step that breaks them, with name, sentence and the lines before', async () => {
    const simulation = new Simulation({ seed: 1 });
    let value = 0;
    simulation.process('worker', async (worker) => {
      for (;;) {
        await sleep(worker.clock, 100);
        value += 1;
        simulation.record(`value is ${value}`);
      }
    });
    simulation.invariant({ name: 'small', check: () => (value > 3 ? `the value is ${value}` : undefined) });
    expect(await simulation.run(10_000)).toBe(false);
    expect(value).toBe(4);
    expect(simulation.failure).toMatchObject({ invariant: 'small', sentence: 'the value is 4', at: 400 });
    expect(simulation.failure?.tail.slice(-2)).toEqual(['0.400 value is 4', '0.400 BROKEN small: the value is 4']);
  });

  it('hold no longer once one is broken: the run does not go on', async () => {
    const simulation = new Simulation({ seed: 1 });
    simulation.invariant({ name: 'never', check: () => 'broken from the start' });
    expect(await simulation.run(100)).toBe(false);
    expect(await simulation.runUntil(() => true, 100)).toBe(false);
  });

  it('name a livelock', async () => {
    const simulation = new Simulation({ seed: 1 });
    simulation.process('worker', async (worker) => {
      for (;;) await worker.clock.turn();
    });
    await simulation.run(100);
    expect(simulation.failure).toMatchObject({ invariant: 'time goes on' });
  });
});

/** Writers and watchers on a bad network, with everything that can befall them. */
async function busyWorld(seed: number): Promise<{ hash: string; history: readonly string[] }> {
  const simulation = new Simulation({
    seed,
    policy: [{ rates: { ...ROUGH_RATES, crash: 0.01 } }],
    keepsHistory: true,
  });
  const store = new Store();
  simulation.serve('store', store);
  for (const name of ['writer-1', 'writer-2']) {
    simulation.process(name, async (writer) => {
      for (;;) {
        await sleep(writer.clock, Math.floor(writer.random.next() * 200));
        const body = String(writer.random.next());
        const sending = writer.connect('store').send({ method: 'PUT', url, headers: {}, body });
        await Promise.race([sending.then(readText).catch(() => ''), sleep(writer.clock, 500)]);
      }
    });
  }
  simulation.process('watcher', async (watcher) => {
    for (;;) {
      const signal = AbortSignal.any([watcher.signal]);
      const response = watcher.connect('store').send({ method: 'GET', url, headers: {}, streaming: true, signal });
      await Promise.race([response.then(readText).catch(() => ''), sleep(watcher.clock, 5000)]);
    }
  });
  for (let second = 1; second < 20; second += 3) {
    simulation.at(second * 1000, () => {
      simulation.disturb({ kind: 'pause', process: 'writer-1', milliseconds: 700 });
      simulation.disturb({ kind: 'partition', process: 'writer-2', server: 'store', milliseconds: 900 });
      simulation.disturb({ kind: 'crash', process: 'watcher', milliseconds: 300 });
    });
  }
  await simulation.run(20_000);
  simulation.calm();
  await simulation.run(5000);
  expect(simulation.failure).toBeUndefined();
  return { hash: simulation.hash(), history: simulation.history };
}

describe('a seed', () => {
  it('gives the same history each time, byte for byte, and another one than other seeds', async () => {
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 10; seed += 1) {
      const first = await busyWorld(seed);
      const second = await busyWorld(seed);
      expect(second.history).toEqual(first.history);
      expect(second.hash).toBe(first.hash);
      hashes.add(first.hash);
    }
    expect(hashes).toHaveLength(10);
  });

  it('brings out every kind of fault within a few', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 30; seed += 1) {
      for (const line of (await busyWorld(seed)).history) {
        const kind = /FAULT ([a-z-]+)/.exec(line)?.[1];
        if (kind !== undefined) seen.add(kind);
      }
    }
    expect([...seen].sort()).toEqual(
      Object.keys({ ...ROUGH_RATES, crash: 0 })
        .filter((kind) => kind !== 'stream-error')
        .sort(),
    );
  });

  it('has no faults left once they have stopped', async () => {
    const { history } = await busyWorld(4);
    const end = history.findIndex((line) => line.endsWith('faults stop'));
    expect(end).toBeGreaterThan(100);
    expect(history.slice(0, end).some((line) => line.includes('FAULT'))).toBe(true);
    expect(history.slice(end).filter((line) => line.includes('FAULT'))).toEqual([]);
  });
});
