import { type Clock, every, type Logger, messageOf } from '@fairlead/control';
import { type Migration, type MigrationView, migrationOf } from '../decision/migration.ts';
import type { Settings } from '../decision/settings.ts';
import type { Applier } from './apply.ts';

/** It looks at caches, and asks no server. */
const LOOK_MILLISECONDS = 2_000;

export interface MigrationRunOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly settings: Settings;
  readonly applier: Pick<Applier, 'apply'>;
  /** Undefined while it cannot be seen. */
  readonly view: () => MigrationView | undefined;
}

/** Looks now and then, while clusters are named that are yet to be upgraded, and after. */
export async function runMigration(options: MigrationRunOptions): Promise<void> {
  const { clock, logger, signal, settings, applier, view } = options;
  let told = '';
  await every(clock, LOOK_MILLISECONDS, signal, async () => {
    const seen = view();
    if (seen === undefined) return;
    const { writes, refused } = migrationOf(seen, settings);
    told = tell(logger, refused, told);
    for (const write of writes) {
      // One that fails holds up no other, and is tried again at the next look.
      await applier.apply('older imports', [write], signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ error: messageOf(error) }, 'an older import could not be brought in step');
      });
    }
  });
}

function tell(logger: Logger, refused: Migration['refused'], before: string): string {
  const text = refused.join('; ');
  if (text !== '' && text !== before) logger.warn({ refused: text }, 'older imports were refused');
  return text;
}
