import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `cli` and `part` alone, before any of their tests was looked at. */
export const commandLineDefectsFromSources: readonly Defect[] = [
  {
    name: 'the token of an operator is shown to whatever listens here',
    file: 'packages/cli/why/ask-leader.ts',
    find: 'const token = cluster.isPod ? await cluster.connection.token() : undefined;',
    replace: 'const token = await cluster.connection.token();',
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'who may read one Service may read all for a while',
    file: 'packages/cli/server/journal-guard.ts',
    find: '.update(JSON.stringify([token, wish]))',
    replace: '.update(token)',
    foundBy: { unit: 'packages/cli/server' },
  },
  {
    name: 'of many Events the oldest are told',
    file: 'packages/cli/why/seen-object.ts',
    find: '.slice(-MOST_EVENTS)',
    replace: '.slice(0, MOST_EVENTS)',
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'a host on another network counts as this machine',
    file: 'packages/cli/server/status-server.ts',
    find: '/^(::ffff:)?127\\./.test(host)',
    replace: '/(::ffff:)?127\\./.test(host)',
    foundBy: { unit: 'packages/cli/server' },
  },
  {
    name: 'a clock that is behind is well',
    file: 'packages/cli/check/clock.ts',
    find: 'if (Math.abs(now - theirs) <= LARGEST_SKEW_MILLISECONDS)',
    replace: 'if (now - theirs <= LARGEST_SKEW_MILLISECONDS)',
    foundBy: { unit: 'packages/cli/check' },
  },
  {
    name: 'without a cluster all may read the journal',
    file: 'packages/cli/server/journal-guard.ts',
    find: "access === 'token' ? 'loopback' : access;",
    replace: "access === 'token' ? 'open' : access;",
    foundBy: { unit: 'packages/cli/server' },
  },
  {
    name: 'a leader that sees again gives its Lease back',
    file: 'packages/part/sight.ts',
    find: 'else this.#timer ??= this.#clock.setTimer(',
    replace: 'else this.#timer = this.#clock.setTimer(',
    foundBy: { unit: 'packages/part/run-part.test.ts' },
  },
];
