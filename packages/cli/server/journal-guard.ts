import { createHash } from 'node:crypto';
import { type Clock, KeyedCounts, messageOf } from '@fairlead/control';
import { type Identity, identify, type KubeClient, mayUser, type AccessAttributes } from '@fairlead/kube';
import type { Subject } from '@fairlead/part';
import { type Answer, type Caller, text } from './router.ts';

/** Who may read the journal: those whose token the API server lets, processes of the same machine, or all. */
export type JournalAccess = 'token' | 'loopback' | 'open';

/** How long an answer of the API server holds: a right that is taken away is gone soon. */
const REMEMBERED_MILLISECONDS = 10_000;
const MOST_REMEMBERED = 1_000;
/** A review costs the API server work, and callers ask for free. */
const MOST_REVIEWS_AT_ONCE = 16;
/** One who asks with token after token leaves places for others. */
const MOST_REVIEWS_FROM_ONE = 4;
const REVIEW_DEADLINE_MILLISECONDS = 5_000;
const LONGEST_TOKEN = 16_384;

const EVERYTHING: AccessAttributes = { verb: 'get', path: '/debug/journal' };
const RESOURCES: ReadonlyMap<string, string> = new Map([
  ['service', 'services'],
  ['pod', 'pods'],
]);

/**
 * Stands before what we remember of objects. To read of a Service, one must be allowed to read the Service itself; to
 * read of all, to `get` the path /debug/journal.
 */
export class JournalGuard {
  readonly #access: JournalAccess;
  readonly #client: Pick<KubeClient, 'postJson'> | undefined;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, { readonly until: number; readonly refusal: Answer | undefined }>();
  /** address -> how many reviews are under way for who asks from there */
  readonly #reviews = new KeyedCounts<string>();

  /** Without a cluster there is nobody to review a token: then the machine itself may read. */
  constructor(access: JournalAccess, client: Pick<KubeClient, 'postJson'> | undefined, clock: Clock) {
    this.#access = client === undefined && access === 'token' ? 'loopback' : access;
    this.#client = client;
    this.#clock = clock;
  }

  /** Undefined: the caller may. */
  async refusal({ token, isLocal, address }: Caller, subject?: Subject): Promise<Answer | undefined> {
    if (this.#access === 'open') return undefined;
    if (this.#access === 'loopback') {
      return isLocal
        ? undefined
        : text(403, 'this is told on the same machine only; http.journal says who may read it');
    }
    if (token === undefined || token === '' || token.length > LONGEST_TOKEN) {
      return text(401, 'show a token of the cluster in the header X-Fairlead-Token or Authorization');
    }
    return this.#reviewed(token, address, subject === undefined ? EVERYTHING : accessTo(subject));
  }

  async #reviewed(token: string, address: string, access: AccessAttributes): Promise<Answer | undefined> {
    const key = createHash('sha256')
      .update(JSON.stringify([token, access]))
      .digest('base64');
    const known = this.#remembered.get(key);
    if (known !== undefined && this.#clock.monotonic() < known.until) return known.refusal;
    if (this.#reviews.get(address) >= MOST_REVIEWS_FROM_ONE || this.#reviews.total >= MOST_REVIEWS_AT_ONCE)
      return text(429, 'too many ask at once; try again in a second');
    this.#reviews.add(address, 1);
    try {
      const refusal = await this.#review(token, access);
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(key, { until: this.#clock.monotonic() + REMEMBERED_MILLISECONDS, refusal });
      return refusal;
    } catch (error) {
      const advice = 'it needs to create tokenreviews and subjectaccessreviews';
      return text(503, `Fairlead cannot have the token reviewed: ${messageOf(error)}; ${advice}`);
    } finally {
      this.#reviews.add(address, -1);
    }
  }

  async #review(token: string, access: AccessAttributes): Promise<Answer | undefined> {
    const client = this.#client;
    if (client === undefined) return text(401, 'there is no cluster to review a token');
    const options = { deadlineMilliseconds: REVIEW_DEADLINE_MILLISECONDS };
    const identity = await identify(client, token, options);
    if (identity === undefined) return text(401, 'the API server does not know this token');
    return (await mayUser(client, identity, access, options)) ? undefined : forbidden(identity, access);
  }
}

function accessTo({ kind, namespace, name }: Subject): AccessAttributes {
  const resource = RESOURCES.get(kind);
  return resource === undefined ? EVERYTHING : { verb: 'get', group: '', resource, namespace, name };
}

function forbidden({ name }: Identity, access: AccessAttributes): Answer {
  const what = 'path' in access ? access.path : `${access.resource} in the namespace ${access.namespace ?? ''}`;
  return text(403, `${name} may not ${access.verb} ${what}`);
}
