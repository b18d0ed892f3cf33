import { sleep, type VirtualClock } from '@fairlead/control';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { type Latencies, latencies, mostPerInterval, type PoolCall, poolCalls } from './pool-calls.ts';
import type { EndpointChange, RollingRestart } from './rolling-restart.ts';

export const INTERVAL_MILLISECONDS = 30_000;
const RETRY_AFTER_MILLISECONDS = 600_000;
/** For what is still to come when the last pod was replaced. */
const AFTERWARDS_MILLISECONDS = 300_000;

/** An updater of backend pools, in the world it works in. */
export interface Side {
  readonly clock: VirtualClock;
  readonly azure: ArmEmulator;
  change(change: EndpointChange): Promise<void>;
  serviceOf(pool: string): number | undefined;
  /** How many operations wait. */
  held(): number;
}

/** What a restart cost one side. */
export interface RestartResult extends Latencies {
  readonly reads: number;
  readonly writes: number;
  readonly mostReadsPerInterval: number;
  readonly mostWritesPerInterval: number;
}

/** Replaces every pod, and counts what reaches Azure. */
export async function playRestart(side: Side, restart: RollingRestart): Promise<RestartResult> {
  const startedAt = side.clock.monotonic();
  side.azure.log.clear();
  await play(side, restart.changes);
  await side.clock.advance(AFTERWARDS_MILLISECONDS);
  const calls = poolCalls(side.azure.log.calls, startedAt, (pool) => side.serviceOf(pool));
  const most = (method: string) => mostPerInterval(calls, method, INTERVAL_MILLISECONDS);
  return {
    ...latencies(restart, calls, INTERVAL_MILLISECONDS),
    reads: countOf(calls, 'GET'),
    writes: countOf(calls, 'PUT'),
    mostReadsPerInterval: most('GET'),
    mostWritesPerInterval: most('PUT'),
  };
}

/** The operations that were held while Azure asked to wait for ten minutes. */
export interface HeldOperations {
  /** Over the first half, and over the second. */
  readonly mostInFirstHalf: number;
  readonly mostInSecondHalf: number;
}

/** Has every call about a pool refused for ten minutes while pods are replaced. */
export async function playThrottling(side: Side, restart: RollingRestart): Promise<HeldOperations> {
  const { clock, azure } = side;
  azure.faults.throttle({ kind: 'backendAddressPools' }, RETRY_AFTER_MILLISECONDS);
  const half = RETRY_AFTER_MILLISECONDS / 2;
  const most = [0, 0];
  const startedAt = clock.monotonic();
  const watch = new AbortController();
  void (async () => {
    for (let at = 0; at < RETRY_AFTER_MILLISECONDS; at += 1_000) {
      await sleep(clock, 1_000, watch.signal);
      const index = clock.monotonic() - startedAt <= half ? 0 : 1;
      most[index] = Math.max(most[index] ?? 0, side.held());
    }
  })();
  await play(
    side,
    restart.changes.filter(({ at }) => at < RETRY_AFTER_MILLISECONDS),
  );
  await clock.advance(Math.max(0, RETRY_AFTER_MILLISECONDS - (clock.monotonic() - startedAt)));
  return { mostInFirstHalf: most[0] ?? 0, mostInSecondHalf: most[1] ?? 0 };
}

async function play(side: Side, changes: readonly EndpointChange[]): Promise<void> {
  const { clock } = side;
  const startedAt = clock.monotonic();
  for (const change of changes) {
    await clock.advance(change.at - (clock.monotonic() - startedAt));
    await side.change(change);
  }
}

function countOf(calls: readonly PoolCall[], method: string): number {
  return calls.filter((call) => call.method === method).length;
}
