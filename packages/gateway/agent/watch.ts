import { type Clock, type Logger, type Metrics, messageOf, sleep } from '@fairlead/control';
import type { Gateway } from './apply/gateway.ts';
import type { Nft } from './apply/node.ts';
import { repairs } from './metrics.ts';
import { Verification } from './nftables/verification.ts';

const LOOK_MILLISECONDS = 1_000;
/** From the end of one walk over the whole table to the next. */
const REST_MILLISECONDS = 600_000;

export interface WatchOptions {
  readonly nft: Nft;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** After each look. */
  readonly onLook: () => void;
}

/** Finds and repairs what others changed on the node: at once what the table's record shows, in time every element. */
export async function watchNode(gateway: Gateway, options: WatchOptions): Promise<void> {
  const { nft, clock, logger, metrics, signal, onLook } = options;
  let verification = new Verification(nft);
  let doneAt: number | undefined;
  while (!signal.aborted) {
    await sleep(clock, LOOK_MILLISECONDS, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      const wasRepaired = await gateway.repair();
      const isWhole = await gateway.verify(verification);
      if (wasRepaired || !isWhole) metrics.increment(repairs);
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'the node could not be looked at');
    }
    if (verification.isDone) doneAt ??= clock.monotonic();
    if (doneAt !== undefined && clock.monotonic() - doneAt >= REST_MILLISECONDS) {
      verification = new Verification(nft);
      doneAt = undefined;
    }
    onLook();
  }
}
