import { describe, expect, it } from 'vitest';
import { FairleadError } from '../errors.ts';
import { Journal } from '../report/journal.ts';
import { VirtualClock } from '../time/virtual-clock.ts';
import { runSteps, type Step, StepFailure } from './steps.ts';

const key = 'service default/web';

function setUp() {
  const journal = new Journal(new VirtualClock());
  const record = { journal, key };
  const recorded = () =>
    journal.entries(key).map((entry) => (entry.kind === 'step' ? `${entry.step} ${entry.outcome}` : entry.kind));
  return { record, recorded };
}

const step = (name: string, run: Step['run']): Step => ({
  name,
  call: `PUT ${name}`,
  ifItDiesHere: 'The next run finds it and goes on.',
  run,
});

const live = new AbortController().signal;

describe('steps', () => {
  it('run in order, each recorded', async () => {
    const { record, recorded } = setUp();
    const world: string[] = [];
    const steps = ['address', 'balancer'].map((name) => step(name, async () => void world.push(name)));
    await runSteps(steps, record, live);
    expect(world).toEqual(['address', 'balancer']);
    expect(recorded()).toEqual(['address done', 'balancer done']);
  });

  it('show in the journal as started while they run', async () => {
    const { record, recorded } = setUp();
    let seen: string[] = [];
    await runSteps([step('address', async () => void (seen = recorded()))], record, live);
    expect(seen).toEqual(['address started']);
  });

  it('stop at the first failure, which names the step and keeps verdict, code and delay', async () => {
    const { record, recorded } = setUp();
    const cause = new FairleadError('quota exceeded', {
      verdict: 'retriable',
      code: 'quota',
      retryAfterMilliseconds: 7000,
    });
    const steps = [
      step('address', () => Promise.resolve()),
      step('balancer', () => Promise.reject(new Error('refused', { cause }))),
      step('rule', () => expect.unreachable('a step before it failed')),
    ];
    const running = runSteps(steps, record, live);
    await expect(running).rejects.toBeInstanceOf(StepFailure);
    await expect(running).rejects.toMatchObject({
      message: 'balancer: refused',
      step: 'balancer',
      verdict: 'retriable',
      code: 'quota',
      retryAfterMilliseconds: 7000,
    });
    expect(recorded()).toEqual(['address done', 'balancer failed', 'error']);
  });

  it('take an unclassified error as terminal', async () => {
    const { record } = setUp();
    const running = runSteps([step('address', () => Promise.reject(new TypeError('a defect')))], record, live);
    await expect(running).rejects.toMatchObject({ verdict: 'terminal', code: 'unexpected' });
  });

  it('are not begun after an abort, and an interrupted one is no failure', async () => {
    const { record, recorded } = setUp();
    const controller = new AbortController();
    const lost = new Error('lease lost');
    const steps = [
      step('address', async () => controller.abort(lost)),
      step('balancer', () => expect.unreachable('it was aborted before')),
    ];
    await expect(runSteps(steps, record, controller.signal)).rejects.toBe(lost);
    expect(recorded()).toEqual(['address done']);

    const second = new AbortController();
    const interrupted = step('rule', () => {
      second.abort(lost);
      return Promise.reject(new Error('socket closed'));
    });
    await expect(runSteps([interrupted], record, second.signal)).rejects.toBe(lost);
    expect(recorded()).toEqual(['address done', 'rule interrupted']);
  });

  it('end in the same world when run again after dying before or after any of the outside calls', async () => {
    const names = ['address', 'balancer', 'rule'];
    for (const crashAt of names) {
      for (const side of ['before', 'after'] as const) {
        const { record } = setUp();
        const world = new Set<string>();
        let writes = 0;
        const plan = (crash: string | undefined) =>
          names
            .filter((name) => !world.has(name))
            .map((name) =>
              step(name, async () => {
                if (crash === name && side === 'before') throw new Error('killed');
                world.add(name);
                writes += 1;
                if (crash === name) throw new Error('killed');
              }),
            );
        await expect(runSteps(plan(crashAt), record, live)).rejects.toThrow(`${crashAt}: killed`);
        await runSteps(plan(undefined), record, live);
        expect([[...world], writes]).toEqual([names, 3]);
        expect(plan(undefined)).toEqual([]);
      }
    }
  });
});
