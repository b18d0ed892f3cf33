import { verdictOf } from '../errors.ts';

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
}

/**
 * Sends the entries in as few batches as the limits allow, one after the other. A refused batch is halved until the
 * bad entries stand alone, in about 2·log2(n) calls for each. Every entry ends in exactly one list of the outcome.
 */
export async function sendInBatches<Entry>(
  entries: readonly Entry[],
  sender: BatchSender<Entry>,
): Promise<BatchOutcome<Entry>> {
  const accepted: Entry[] = [];
  const refused: { entry: Entry; error: unknown }[] = [];
  const postponed: { entries: readonly Entry[]; error: unknown }[] = [];

  const deliver = async (batch: readonly Entry[]): Promise<void> => {
    try {
      await sender.send(batch);
    } catch (error) {
      const [first] = batch;
      if (verdictOf(error) !== 'terminal') postponed.push({ entries: batch, error });
      else if (sender.blamesEntries?.(error) === false) for (const entry of batch) refused.push({ entry, error });
      else if (batch.length === 1 && first !== undefined) refused.push({ entry: first, error });
      else {
        const middle = batch.length >> 1;
        await deliver(batch.slice(0, middle));
        await deliver(batch.slice(middle));
      }
      return;
    }
    // Not by spreading: a batch may be longer than an argument list can be.
    for (const entry of batch) accepted.push(entry);
  };

  for (const batch of intoBatches(entries, sender.limits)) await deliver(batch);
  return { accepted, refused, postponed };
}

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
