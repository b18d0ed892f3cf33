import { seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { Supervisor, type Worker } from './supervisor.ts';

/** Workers that do nothing by themselves. */
function staff() {
  const clock = new VirtualClock();
  const workers: { readonly getReady: () => void; readonly die: (exitCode: number) => void; isStopping: boolean }[] =
    [];
  const start = (): Worker => {
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<number>();
    const worker = { getReady: ready.resolve, die: ended.resolve, isStopping: false };
    workers.push(worker);
    const stop = () => {
      worker.isStopping = true;
      clock.setTimer(100, () => ended.resolve(0));
    };
    return { pid: workers.length, ready: ready.promise, ended: ended.promise, stop };
  };
  const supervisor = new Supervisor({ start, clock, random: seededRandom(1), logger: silentLogger });
  const stop = new AbortController();
  let exitCode: number | undefined;
  const running = supervisor.run(stop.signal).then((code) => (exitCode = code));
  const one = (index: number) => {
    const worker = workers[index];
    if (worker === undefined) throw new Error(`there are ${workers.length} workers`);
    return worker;
  };
  return { clock, supervisor, workers, one, stop, running, exitCode: () => exitCode };
}

describe('a supervisor', () => {
  it('ends with the exit code of a worker that cannot begin', async () => {
    const { one, running, workers } = staff();
    one(0).die(1);
    expect(await running).toBe(1);
    expect(workers).toHaveLength(1);
  });

  it('starts another worker when one dies, and waits longer each time until one is ready', async () => {
    const { clock, one, workers, stop, running } = staff();
    one(0).getReady();
    await clock.advance(1);
    for (const [index, milliseconds] of [400, 800, 1_500].entries()) {
      one(index).die(1);
      await clock.advance(milliseconds * 0.9);
      expect(workers).toHaveLength(index + 1);
      await clock.advance(milliseconds);
      expect(workers).toHaveLength(index + 2);
    }
    one(3).getReady();
    await clock.advance(1);
    one(3).die(1);
    await clock.advance(700);
    expect(workers).toHaveLength(5);
    stop.abort();
    await clock.advance(1_000);
    expect(await running).toBe(0);
  });

  it('stops a worker when the next one is ready, and not before', async () => {
    const { clock, supervisor, one, workers, stop, running } = staff();
    one(0).getReady();
    await clock.advance(1);
    supervisor.replace();
    await clock.advance(60_000);
    expect(workers.map(({ isStopping }) => isStopping)).toEqual([false, false]);
    one(1).getReady();
    await clock.advance(1);
    expect(workers.map(({ isStopping }) => isStopping)).toEqual([true, false]);
    await clock.advance(60_000);
    expect(workers).toHaveLength(2);
    stop.abort();
    await clock.advance(1_000);
    expect(await running).toBe(0);
    expect(one(1).isStopping).toBe(true);
  });

  it('goes on with the worker it has when the next one cannot begin', async () => {
    const { clock, supervisor, one, workers, exitCode } = staff();
    one(0).getReady();
    await clock.advance(1);
    supervisor.replace();
    await clock.advance(1);
    one(1).die(1);
    await clock.advance(60_000);
    expect(workers.map(({ isStopping }) => isStopping)).toEqual([false, false]);
    supervisor.replace();
    await clock.advance(1);
    one(2).getReady();
    await clock.advance(1);
    expect(one(0).isStopping).toBe(true);
    expect(exitCode()).toBeUndefined();
  });

  it('gives up on a next worker that does not get ready when it is told to replace again', async () => {
    const { clock, supervisor, one, workers } = staff();
    one(0).getReady();
    await clock.advance(1);
    supervisor.replace();
    await clock.advance(1_000);
    supervisor.replace();
    await clock.advance(1_000);
    expect(workers.map(({ isStopping }) => isStopping)).toEqual([false, true, false]);
    one(2).getReady();
    await clock.advance(1);
    expect(workers.map(({ isStopping }) => isStopping)).toEqual([true, true, false]);
  });
});
