import { describe, expect, it } from 'vitest';
import { FAILED, FAILED_ONCE, RETRYING, SUCCEEDED_ONCE, UPDATED, UpdaterWorld } from '../testing/updater-world.ts';

const put = { method: 'PUT', kind: 'backendAddressPools' } as const;
const conflict = { kind: 'refuse', status: 409, code: 'Conflict' } as const;
const throttled = (seconds: number) =>
  ({ kind: 'refuse', status: 429, code: 'TooManyRequests', headers: { 'retry-after': String(seconds) } }) as const;

/** Runs the updater from 0 s to `seconds`, as the program does. */
async function play(world: UpdaterWorld, seconds: number, happens: Readonly<Record<number, () => void>> = {}) {
  const running = world.updater.run(world.stop.signal);
  for (const [at, happen] of Object.entries(happens)) {
    await world.clock.advance(Number(at) * 1000 - world.clock.monotonic());
    happen();
  }
  await world.clock.advance(seconds * 1000 - world.clock.monotonic());
  const timeline = world.takeTimeline();
  world.stop.abort(new Error('the test is over'));
  await running;
  return timeline;
}

describe('expected behavior, with the default of three retries and 30 s', () => {
  it('tells of three retries and then of the failure, 90 s after the first', async () => {
    const world = new UpdaterWorld();
    world.emulator.faults.next(put, conflict, 4);
    const timeline = await play(world, 600, { 1: () => world.change('shop/web', ['10.0.0.1']) });
    expect(timeline).toEqual([
      '30s GET lb/web 200',
      '30s PUT lb/web 409 Conflict',
      `30s shop/web ${RETRYING}`,
      '60s GET lb/web 200',
      '60s PUT lb/web 409 Conflict',
      `60s shop/web ${RETRYING}`,
      '90s GET lb/web 200',
      '90s PUT lb/web 409 Conflict',
      `90s shop/web ${RETRYING}`,
      '120s GET lb/web 200',
      '120s PUT lb/web 409 Conflict',
      `120s shop/web ${FAILED}`,
    ]);
    expect([world.queue, world.results]).toEqual([[], FAILED_ONCE]);
  });

  it('tells of the success when a later retry succeeds', async () => {
    const world = new UpdaterWorld();
    world.emulator.faults.next(put, conflict, 2);
    const timeline = await play(world, 600, { 1: () => world.change('shop/web', ['10.0.0.1']) });
    expect(timeline.filter((line) => line.includes('shop/'))).toEqual([
      `30s shop/web ${RETRYING}`,
      `60s shop/web ${RETRYING}`,
      `90s shop/web ${UPDATED}`,
    ]);
    expect([world.queue, world.results]).toEqual([[], SUCCEEDED_ONCE]);
  });

  it('drops the operation quietly when the Service becomes stale in between', async () => {
    const world = new UpdaterWorld();
    world.emulator.faults.next(put, conflict, 4);
    const timeline = await play(world, 600, {
      1: () => world.change('shop/web', ['10.0.0.1']),
      65: () => world.services.delete('shop/web'),
    });
    expect(timeline.filter((line) => line.includes('shop/'))).toEqual([
      `30s shop/web ${RETRYING}`,
      `60s shop/web ${RETRYING}`,
    ]);
    expect([world.queue, world.results]).toEqual([[], []]);
  });

  it('fails at once on a status that the client has repeated by itself', async () => {
    const world = new UpdaterWorld();
    world.emulator.faults.next(put, { kind: 'refuse', status: 503, code: 'Busy' });
    const timeline = await play(world, 600, { 1: () => world.change('shop/web', ['10.0.0.1']) });
    expect(timeline).toEqual(['30s GET lb/web 200', '30s PUT lb/web 503 Busy', `30s shop/web ${FAILED}`]);
  });
});

describe('retry timing', () => {
  it('waits out a Retry-After that is longer than the interval, on the first tick that is late enough', async () => {
    const world = new UpdaterWorld();
    world.emulator.faults.next(put, throttled(100));
    const timeline = await play(world, 600, { 1: () => world.change('shop/web', ['10.0.0.1']) });
    expect(timeline).toEqual([
      '30s GET lb/web 200',
      '30s PUT lb/web 429 TooManyRequests',
      `30s shop/web ${RETRYING}`,
      '150s GET lb/web 200',
      '150s PUT lb/web 200',
      `150s shop/web ${UPDATED}`,
    ]);
  });

  it('tells when it tries again', async () => {
    const world = new UpdaterWorld();
    world.emulator.faults.next(put, throttled(100));
    await play(world, 45, { 1: () => world.change('shop/web', ['10.0.0.1']) });
    const last = world.journal.entries('service shop/web').at(-1);
    const begun = world.clock.now() - world.clock.monotonic();
    expect(last).toMatchObject({
      kind: 'waiting',
      for: 'what failed at backend pool lb/web: TooManyRequests',
      retryAt: begun + 150_000,
    });
  });

  it('bounds failed attempts, not the time they take', async () => {
    const world = new UpdaterWorld({ maxRetries: 1 });
    world.emulator.faults.next(put, throttled(600), 2);
    const timeline = await play(world, 1_000, { 1: () => world.change('shop/web', ['10.0.0.1']) });
    expect(timeline.filter((line) => line.includes('shop/'))).toEqual([
      `30s shop/web ${RETRYING}`,
      `630s shop/web ${FAILED}`,
    ]);
  });

  it('counts for each operation by itself where budgets are mixed', async () => {
    const world = new UpdaterWorld();
    world.emulator.faults.next(put, conflict, 6);
    const timeline = await play(world, 600, {
      1: () => world.change('shop/old', ['10.0.0.1'], 'shared'),
      70: () => world.change('shop/new', ['10.0.0.2'], 'shared'),
    });
    expect(timeline.filter((line) => line.includes('shop/'))).toEqual([
      `30s shop/old ${RETRYING}`,
      `60s shop/old ${RETRYING}`,
      `90s shop/old ${RETRYING}`,
      `90s shop/new ${RETRYING}`,
      `120s shop/old ${FAILED}`,
      `120s shop/new ${RETRYING}`,
      `150s shop/new ${RETRYING}`,
      `180s shop/new ${FAILED}`,
    ]);
    expect([world.queue, world.results]).toEqual([[], ['services_local update_backend_pool failed 2']]);
  });

  it('tells one thing of a Service whose own operations have mixed budgets', async () => {
    const world = new UpdaterWorld({ maxRetries: 1 });
    world.emulator.faults.next(put, conflict, 2);
    const timeline = await play(world, 600, {
      1: () => world.change('shop/web', ['10.0.0.1']),
      31: () => world.change('shop/web', ['10.0.0.2']),
    });
    expect(timeline.filter((line) => line.includes('shop/'))).toEqual([
      `30s shop/web ${RETRYING}`,
      `60s shop/web ${FAILED}`,
      `90s shop/web ${UPDATED}`,
    ]);
    expect(world.pool('web')).toEqual(['10.0.0.2']);
  });

  it('keeps its rhythm, and leaves out ticks, when Azure is slower than the interval', async () => {
    const world = new UpdaterWorld();
    world.emulator.behave({
      latency: { minimum: 8_000, maximum: 8_000 },
      operationTime: { minimum: 30_000, maximum: 30_000 },
    });
    const timeline = await play(world, 600, {
      1: () => world.change('shop/web', ['10.0.0.1']),
      35: () => world.change('shop/web', ['10.0.0.2']),
    });
    const reads = timeline.filter((line) => line.includes('GET lb/web'));
    // One at 30 s; it is done after 60 s, so that the next tick is the one at 90 s. Calls arrive after half of 8 s.
    expect(reads).toEqual(['34s GET lb/web 200', '94s GET lb/web 200']);
    expect(world.pool('web')).toEqual(['10.0.0.2']);
  });
});
