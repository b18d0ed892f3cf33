import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `control` alone, before any of its tests was looked at. */
export const controlDefectsFromSources: readonly Defect[] = [
  {
    name: 'a gate that closes again lets those who wait out in waves as large as the last',
    file: 'packages/control/retry/throttle-gate.ts',
    find: 'this.#isNamed = isNamed;\n    this.#wave = 1;',
    replace: 'this.#isNamed = isNamed;',
    foundBy: { unit: 'packages/control/retry' },
  },
  {
    name: 'a longer pause does not hold back those who wait already',
    file: 'packages/control/retry/throttle-gate.ts',
    find: `    if (this.#waiters.size > 0) this.#letOutAfter(milliseconds);
  }

  /** Whether a call`,
    replace: `  }

  /** Whether a call`,
    foundBy: { unit: 'packages/control/retry' },
  },
  {
    name: 'newcomers overtake those who still wait at a gate that reopens',
    file: 'packages/control/retry/throttle-gate.ts',
    find: '    return this.#remaining() <= 0 && this.#waiters.size === 0;',
    replace: '    return this.#remaining() <= 0;',
    foundBy: { unit: 'packages/control/retry' },
  },
  {
    name: 'a task that was taken back while it claimed a slot is run nevertheless',
    file: 'packages/control/work/lanes.ts',
    find: `    this.#claims.delete(queued.start);
    const [next]`,
    replace: '    const [next]',
    foundBy: { unit: 'packages/control/work' },
  },
  {
    name: 'a stale error of a batch is blamed on its entries',
    file: 'packages/control/work/batcher.ts',
    find: "if (verdictOf(error) !== 'terminal') {\n        this.postponed.push",
    replace: "if (verdictOf(error) === 'retriable') {\n        this.postponed.push",
    foundBy: { unit: 'packages/control/work' },
  },
  {
    name: 'each further list puts off the confirmation of a held deletion',
    file: 'packages/control/ownership/deletion-brake.ts',
    find: '(isSudden ? (before.get(id) ?? later) : Number.NEGATIVE_INFINITY)',
    replace: '(isSudden ? later : Number.NEGATIVE_INFINITY)',
    foundBy: { unit: 'packages/control/ownership' },
  },
  {
    name: 'a deadline that was kept stays registered at the signal of its caller',
    file: 'packages/control/time/deadline.ts',
    find: `      timer.cancel();
      caller?.removeEventListener('abort', onCallerAbort);
`,
    replace: `      timer.cancel();
`,
    foundBy: { unit: 'packages/control/time' },
  },
  {
    name: 'the delay that a server asked for is lost when it fails a step',
    file: 'packages/control/work/steps.ts',
    find: `      ...(known?.retryAfterMilliseconds === undefined ? {} : { retryAfterMilliseconds: known.retryAfterMilliseconds }),
`,
    replace: '',
    foundBy: { unit: 'packages/control/work' },
  },
  {
    name: 'a step that was interrupted by the end of the leadership is told as a failure',
    file: 'packages/control/work/steps.ts',
    find: `    journal.record(key, { ...entry, outcome: signal.aborted ? 'interrupted' : 'failed' });
    signal.throwIfAborted();
`,
    replace: `    journal.record(key, { ...entry, outcome: signal.aborted ? 'interrupted' : 'failed' });
`,
    foundBy: { unit: 'packages/control/work' },
  },
];
