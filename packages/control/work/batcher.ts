import { codeOf, verdictOf } from '../errors.ts';

export interface BatchLimits<Entry> {
  readonly maximumCount: number;
  /** For servers that limit the size of a request. An entry too large for any batch travels alone. */
  readonly bytes?: { readonly maximum: number; sizeOf(entry: Entry): number };
}

export interface BatchOutcome<Entry> {
  readonly accepted: readonly Entry[];
  /** Entries that are refused also when they travel alone. */
  readonly refused: readonly { readonly entry: Entry; readonly error: unknown }[];
  /** Batches that met an error that is not theirs to answer for: send them again later, as a whole. */
  readonly postponed: readonly { readonly entries: readonly Entry[]; readonly error: unknown }[];
}

export interface BatchSender<Entry> {
  readonly limits: BatchLimits<Entry>;
  /** Takes the whole batch or none of it; where the server takes a part, sending that part again must do no harm. */
  send(batch: readonly Entry[]): Promise<void>;
  /**
   * Whether an entry of the batch may have caused this terminal error; if so the batch is bisected. Always, unless told
   * otherwise: narrow it where the server also refuses for reasons of its own (no permission, say).
   */
  blamesEntries?(error: unknown): boolean;
  /** For a server that may refuse for reasons of its own in words that do not tell. */
  readonly probe?: BatchProbe<Entry>;
}

/**
 * Before a refused batch is bisected, one of its entries is sent alone. When that is refused in the same way, the whole
 * batch is postponed: it is not likely that the one that was picked is the one to blame.
 */
export interface BatchProbe<Entry> {
  /** Another one each time: should it be the one to blame, the next attempt finds out. */
  pick(batch: readonly Entry[]): Entry;
  /** The error with which all of them wait. */
  postponedWith(error: unknown): unknown;
}

/** So few are bisected at once, in about as many calls as a probe would save. */
const FEW = 4;

/**
 * Sends the entries in as few batches as the limits allow, one after the other. A refused batch is halved until the
 * bad entries stand alone, in at most 2·log2(n) calls for each. Every entry ends in exactly one list of the outcome.
 */
export async function sendInBatches<Entry>(
  entries: readonly Entry[],
  sender: BatchSender<Entry>,
): Promise<BatchOutcome<Entry>> {
  const bisection = new Bisection(sender);
  for (const batch of intoBatches(entries, sender.limits)) await bisection.deliver(batch);
  const { accepted, refused, postponed } = bisection;
  return { accepted, refused, postponed };
}

class Bisection<Entry> implements BatchOutcome<Entry> {
  readonly accepted: Entry[] = [];
  readonly refused: { entry: Entry; error: unknown }[] = [];
  readonly postponed: { entries: readonly Entry[]; error: unknown }[] = [];
  readonly #sender: BatchSender<Entry>;

  constructor(sender: BatchSender<Entry>) {
    this.#sender = sender;
  }

  async deliver(batch: readonly Entry[]): Promise<void> {
    const outcome = await this.#attempt(batch);
    if (outcome.kind !== 'refused') return;
    const { error } = outcome;
    const { probe } = this.#sender;
    if (probe === undefined || batch.length <= FEW) await this.#takeApart(batch, error);
    else await this.#probe(batch, error, probe);
  }

  async #probe(batch: readonly Entry[], error: unknown, probe: BatchProbe<Entry>): Promise<void> {
    const picked = probe.pick(batch);
    const alone = await this.#attempt([picked]);
    const isAlike = alone.kind === 'refused' && codeOf(alone.error) === codeOf(error);
    if (isAlike) {
      this.postponed.push({ entries: batch, error: probe.postponedWith(error) });
      return;
    }
    if (alone.kind === 'refused') this.refused.push({ entry: picked, error: alone.error });
    await this.#takeApart(
      batch.filter((entry) => entry !== picked),
      error,
    );
  }

  /** An entry of the batch is to blame. */
  async #takeApart(batch: readonly Entry[], error: unknown): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first !== undefined) {
      this.refused.push({ entry: first, error });
      return;
    }
    const middle = batch.length >> 1;
    const [left, right] = [batch.slice(0, middle), batch.slice(middle)];
    const outcome = await this.#attempt(left);
    // With nothing to blame on the left it is on the right; but none is refused without having been sent alone.
    if (outcome.kind === 'accepted' && right.length > 1) return this.#takeApart(right, error);
    if (outcome.kind === 'refused') await this.#takeApart(left, outcome.error);
    const other = await this.#attempt(right);
    if (other.kind === 'refused') await this.#takeApart(right, other.error);
  }

  async #attempt(batch: readonly Entry[]): Promise<Attempt> {
    try {
      await this.#sender.send(batch);
    } catch (error) {
      if (verdictOf(error) !== 'terminal') {
        this.postponed.push({ entries: batch, error });
        return { kind: 'postponed' };
      }
      if (this.#sender.blamesEntries?.(error) !== false) return { kind: 'refused', error };
      for (const entry of batch) this.refused.push({ entry, error });
      return { kind: 'postponed' };
    }
    // Not by spreading: a batch may be longer than an argument list can be.
    for (const entry of batch) this.accepted.push(entry);
    return { kind: 'accepted' };
  }
}

/** How a batch fared: `refused` is for the caller to deal with. */
type Attempt = { readonly kind: 'accepted' | 'postponed' } | { readonly kind: 'refused'; readonly error: unknown };

/** The entries in order, cut wherever the next one would exceed a limit. */
export function intoBatches<Entry>(
  entries: readonly Entry[],
  limits: BatchLimits<Entry>,
): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  let current: Entry[] = [];
  let size = 0;
  for (const entry of entries) {
    const entrySize = limits.bytes?.sizeOf(entry) ?? 0;
    const isFull = current.length >= limits.maximumCount || size + entrySize > (limits.bytes?.maximum ?? Infinity);
    if (current.length === 0 || isFull) {
      current = [];
      size = 0;
      batches.push(current);
    }
    current.push(entry);
    size += entrySize;
  }
  return batches;
}
