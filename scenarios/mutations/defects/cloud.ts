import type { Defect } from '../defect.ts';

const FOLDER = 'packages/cloud';
const connection = { unit: `${FOLDER}/connection` };
const known = { unit: `${FOLDER}/known-resources` };

export const cloudDefects: readonly Defect[] = [
  {
    name: 'a call to the cloud that was throttled slows no other down',
    file: `${FOLDER}/connection.ts`,
    find: 'if (refusal.isThrottling) gate.throttled(refusal.retryAfterMilliseconds);',
    replace: '',
    foundBy: connection,
  },
  {
    name: 'a request to the cloud may take longer than the Lease was asked to cover',
    file: `${FOLDER}/connection.ts`,
    find: '}, deadlineMilliseconds);',
    replace: '});',
    foundBy: connection,
  },
  {
    name: 'the Lease is not asked before a request to the cloud',
    file: `${FOLDER}/connection.ts`,
    find: 'beforeCall?.(',
    replace: 'void (',
    foundBy: connection,
  },
  {
    name: 'a refused repetition hides that the first attempt may have taken effect',
    file: `${FOLDER}/connection.ts`,
    find: '{ ...request, mayHaveTakenEffect: true }',
    replace: 'request',
    foundBy: connection,
  },
  {
    name: 'an attempt that may have got through counts as one without effect',
    file: `${FOLDER}/known-resources.ts`,
    find: 'isWithoutEffect(error) && (',
    replace: '(',
    foundBy: known,
  },
  {
    name: 'a list that was begun before a write takes it back',
    file: `${FOLDER}/known-resources.ts`,
    find: '(this.#touchedAt.get(name) ?? Number.NEGATIVE_INFINITY) < begunAt;',
    replace: 'begunAt > 0;',
    foundBy: known,
  },
  {
    name: 'a key that is submitted while its batch is worked on is not worked on again',
    file: `${FOLDER}/key-batcher.ts`,
    find: 'this.#waiting = new Map();\n      await this.#workOn(batch);',
    replace: 'await this.#workOn(batch);\n      this.#waiting = new Map();',
    foundBy: { unit: `${FOLDER}/key-batcher` },
  },
  {
    name: 'a token that the cloud refuses is used on',
    file: `${FOLDER}/connection.ts`,
    find: 'received.refusal?.status !== 401 || !tokens.renew(token)',
    replace: 'received.refusal?.status !== 401',
    foundBy: connection,
  },
  {
    name: 'no call is made while a token that is still good cannot be renewed',
    file: `${FOLDER}/tokens.ts`,
    find: 'if (held !== undefined && this.#clock.now() < held.expiresAt) return held;',
    replace: '',
    foundBy: { unit: `${FOLDER}/tokens` },
  },
  {
    name: 'each spelling of an account is throttled by itself',
    file: `${FOLDER}/account-gates.ts`,
    find: 'const key = account.toLowerCase();',
    replace: 'const key = account;',
    foundBy: { unit: `${FOLDER}/account-gates` },
  },
  {
    name: 'a cloud that throttles without a time is asked again at once',
    file: `${FOLDER}/account-gates.ts`,
    find: 'this.closeFor(this.#backoff.next(retryAfterMilliseconds), ',
    replace: 'this.closeFor(retryAfterMilliseconds ?? 0, ',
    foundBy: { unit: `${FOLDER}/account-gates` },
  },
  {
    name: 'reads stop, too, when the Lease is short',
    file: `${FOLDER}/within-lease.ts`,
    find: '!isWrite(verb) || ',
    replace: '',
    foundBy: { unit: `${FOLDER}/within-lease` },
  },
  {
    name: 'what a cloud says is told with the line breaks of a page',
    file: `${FOLDER}/cloud-error.ts`,
    find: "    .replace(/<br\\s*\\/?>/g, ' ')\n",
    replace: '',
    foundBy: { unit: `${FOLDER}/cloud-error` },
  },
  {
    name: 'the words of a page are looked for in all of it',
    file: `${FOLDER}/cloud-error.ts`,
    find: 'text.slice(0, LONGEST_PAGE).replace',
    replace: 'text.replace',
    foundBy: { unit: `${FOLDER}/cloud-error` },
  },
  {
    name: 'of a server that refuses without a word nothing is told',
    file: `${FOLDER}/json-api.ts`,
    find: "said === '' ? 'refused' : said",
    replace: 'said',
    foundBy: { unit: `${FOLDER}/json-api` },
  },
];
