import type { Defect } from '../defect.ts';

const GUARD = 'packages/cli/server/journal-guard.ts';
const guard = { unit: 'packages/cli/server' };

export const cliDefects: readonly Defect[] = [
  {
    name: 'a process in the Pod, or behind a tunnel to it, is told everything',
    file: GUARD,
    find: "if (this.#access === 'open') return undefined;",
    replace: "if (this.#access === 'open' || isLocal) return undefined;",
    foundBy: guard,
  },
  {
    name: 'the journal of a Service is told to who may read none of it',
    file: GUARD,
    find: '(await mayUser(client, identity, wish, options)) ? undefined : forbidden(identity, wish)',
    replace: '(await mayUser(client, identity, wish, options), undefined)',
    foundBy: guard,
  },
  {
    name: 'a right that was taken away holds for ever',
    file: GUARD,
    find: 'this.#clock.monotonic() < known.until',
    replace: 'known.until > 0',
    foundBy: guard,
  },
  {
    name: 'everybody may have as many tokens reviewed as they like',
    file: GUARD,
    find: 'this.#reviews >= MOST_REVIEWS_AT_ONCE',
    replace: 'this.#reviews < 0',
    foundBy: guard,
  },
  {
    name: 'a process on another machine may read what loopback alone may',
    file: GUARD,
    find: 'return isLocal\n',
    replace: 'return isLocal || this.#clock !== undefined\n',
    foundBy: guard,
  },
  {
    name: 'a leader that fell silent is said to lead',
    file: 'packages/cli/why/leader.ts',
    find: 'silentSeconds <= leaseDurationSeconds',
    replace: 'silentSeconds <= leaseDurationSeconds * 1000',
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'a process is stopped before the one after it is ready',
    file: 'packages/cli/supervisor/supervisor.ts',
    find: 'const outcome = await Promise.race([readyOrEnded(next), this.#wish(), stopped]);',
    replace: "const outcome: 'ready' | 'wished' | 'stopped' | number = 'ready';",
    foundBy: { unit: 'packages/cli/supervisor' },
  },
  {
    name: 'a process that cannot start replaces the one that serves',
    file: 'packages/cli/supervisor/supervisor.ts',
    find: `the one before it goes on');
      return current;`,
    replace: `the one before it goes on');
      current.stop();
      return next;`,
    foundBy: { unit: 'packages/cli/supervisor' },
  },
  {
    name: 'a Pod that a Lease names is shown the token of who asks',
    file: 'packages/cli/why/ask-leader.ts',
    find: '(await tokenOf(cluster.client, namespace, replica, options)) ?? (await cluster.connection.token())',
    replace: '(await cluster.connection.token()) ?? (await tokenOf(cluster.client, namespace, replica, options))',
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'who may not ask for an explanation keeps those waiting who may',
    file: 'packages/cli/server/routes.ts',
    find: 'const refusal = await served.guard.refusal(caller, subject);\n        if',
    replace:
      'explaining += 1;\n        const refusal = await served.guard.refusal(caller, subject);\n        explaining -= 1;\n        if',
    foundBy: guard,
  },
  {
    name: 'what a tenant wrote into an annotation moves the cursor of an operator',
    file: 'packages/cli/program.ts',
    find: 'complain: (line) => complain(printable(line)),',
    replace: 'complain,',
    foundBy: { unit: 'packages/cli/program.test.ts' },
  },
  {
    name: 'a page in a browser reads the journal by a name that leads to the same machine',
    file: 'packages/cli/server/status-server.ts',
    find: " && isAskedAsLocal(headers.host ?? '')",
    replace: '',
    foundBy: guard,
  },
  {
    name: 'warnings that were gathered are lost when the process ends',
    file: 'packages/cli/observability/repeats.ts',
    find: 'for (const group of this.#groups.values()) this.#print(group);',
    replace: '',
    foundBy: { unit: 'packages/cli/observability' },
  },
  {
    name: 'the clock of the demo runs on when all is programmed',
    file: 'packages/cli/demo/scene.ts',
    find: 'return (this.#took ??= (now - this.#begunAt) / 1000);',
    replace: 'return (this.#took = (now - this.#begunAt) / 1000);',
    foundBy: { unit: 'packages/cli/demo/view.test.ts' },
  },
  {
    name: 'what a tenant wrote into an Event makes lines of its own in the story of a Service',
    file: 'packages/cli/render/why.ts',
    find: '`    - ${oneLine(entry)}`',
    replace: '`    - ${entry}`',
    foundBy: { unit: 'packages/cli/render' },
  },
  {
    name: 'what a tenant wrote moves the cursor of an operator who reads the log',
    file: 'packages/cli/observability/readable-line.ts',
    find: "return `${printable([...told, ...rest.map(palette.faint)].join(' '), palette)}",
    replace: "return `${[...told, ...rest.map(palette.faint)].join(' ')}",
    foundBy: { unit: 'packages/cli/observability' },
  },
  {
    name: 'what a tenant wrote moves the cursor on the screen of the demo',
    file: 'packages/cli/demo/view.ts',
    find: "const text = printable(given).replace(/[\\n\\t]/g, ' ');",
    replace: 'const text = given;',
    foundBy: { unit: 'packages/cli/demo/view' },
  },
];
