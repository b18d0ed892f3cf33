import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `cloud` alone, before any of its tests was looked at. */
export const cloudDefectsFromSources: readonly Defect[] = [
  {
    name: 'a list settles what an unfinished write left unknown',
    file: 'packages/cloud/known-resources.ts',
    find: "      this.get(name).state !== 'unknown' && (this.#touchedAt.get(name) ?? Number.NEGATIVE_INFINITY) < begunAt;",
    replace: '      (this.#touchedAt.get(name) ?? Number.NEGATIVE_INFINITY) < begunAt;',
    foundBy: { unit: 'packages/cloud' },
  },
  {
    name: 'a repeated request is refused as if it were the first',
    file: 'packages/cloud/connection.ts',
    find: 'await this.#sendOnce({ ...request, mayHaveTakenEffect: true }, scope);',
    replace: 'await this.#sendOnce(request, scope);',
    foundBy: { unit: 'packages/cloud' },
  },
  {
    name: 'an account that answers again is still throttled as if it had not',
    file: 'packages/cloud/account-gates.ts',
    find: `    this.#backoff.reset();
`,
    replace: '',
    foundBy: { unit: 'packages/cloud' },
  },
  {
    name: 'a request may last as long as the whole call',
    file: 'packages/cloud/connection.ts',
    find: `text: await readText(response) };
      }, deadlineMilliseconds);`,
    replace: `text: await readText(response) };
      });`,
    foundBy: { unit: 'packages/cloud' },
  },
  {
    name: 'a POST does not count as a write',
    file: 'packages/cloud/request.ts',
    find: "return verb !== 'GET' && verb !== 'LIST' && verb !== 'POLL';",
    replace: "return verb === 'PUT' || verb === 'DELETE';",
    foundBy: { unit: 'packages/cloud' },
  },
  {
    name: 'a token that the cloud refuses is asked for again without a pause',
    file: 'packages/cloud/tokens.ts',
    find: `    if (this.#clock.monotonic() - this.#askedAt < RENEWAL_INTERVAL_MILLISECONDS) return false;
`,
    replace: '',
    foundBy: { unit: 'packages/cloud' },
  },
];
