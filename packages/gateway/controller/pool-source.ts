import { type Clock, codeOf, type Logger, messageOf, orAborted, sleep } from '@fairlead/control';
import type { AddressCloud } from './addresses/address-provider.ts';
import { type GatewayConfiguration, parsePools, poolsOf } from './configuration.ts';
import type { Pool } from './pools.ts';

/** The kubelet takes up to a minute to bring a changed ConfigMap to its file; this adds little to that. */
const REREAD_MILLISECONDS = 10_000;

/** Where the pools are configured: in the configuration, or in a file that may change while we run. */
export interface PoolSource {
  read(): Promise<readonly Pool[]>;
  /** Resolves with other pools as soon as there are any; with undefined when the signal aborts. */
  next(current: readonly Pool[], signal: AbortSignal): Promise<readonly Pool[] | undefined>;
}

export interface PoolSourceOptions {
  /** Whose sections pools may have. */
  readonly cloud?: AddressCloud | undefined;
  readonly readFile: (path: string) => Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function poolSource(
  configuration: GatewayConfiguration,
  { cloud, readFile, clock, logger }: PoolSourceOptions,
): PoolSource {
  const { poolsFile } = configuration;
  const read = async () =>
    poolsFile === undefined
      ? poolsOf(configuration)
      : parsePools(await readFile(poolsFile), configuration, cloud?.sections);
  return {
    read,
    async next(current, signal) {
      if (poolsFile === undefined) await orAborted(new Promise(() => {}), signal).catch(() => {});
      while (!signal.aborted) {
        await sleep(clock, REREAD_MILLISECONDS, signal).catch(() => {});
        if (signal.aborted) return undefined;
        try {
          const found = await read();
          if (JSON.stringify(found) !== JSON.stringify(current)) return found;
        } catch (error) {
          // What is in force stays: a file that is being written, or was written wrongly, takes no address away.
          logger.warn({ code: codeOf(error), error: messageOf(error) }, 'the pools are not read anew');
        }
      }
      return undefined;
    },
  };
}
