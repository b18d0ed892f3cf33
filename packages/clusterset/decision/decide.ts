import { type Merged, merge } from '../merge/merge.ts';
import { type ExportSide, exportSide } from './export-side.ts';
import { aggregateWrites, importSide } from './import-side.ts';
import type { Observation } from './observation.ts';
import type { Settings } from './settings.ts';
import type { Write } from './write.ts';

/** What is to be done about one Service of the clusterset, and what all clusters make of it. */
export interface Decision {
  readonly merged: Merged;
  readonly exported: ExportSide;
  /** In order: what this cluster exports, then what it imports. */
  readonly writes: readonly Write[];
  /** The shared aggregate: every exporting cluster keeps it, and it is enough when one does. */
  readonly aggregate: readonly Write[];
}

/** Pure: the leader does it, `plan` counts it, `why` tells it. `now` is wall time, for conditions. */
export function decide(observed: Observation, settings: Settings, now: number): Decision {
  const { broker } = observed;
  const records = broker.state === 'unavailable' ? [] : broker.records;
  const exports = records.flatMap((record) => (record.kind === 'trusted' ? [record.value] : []));
  const merged = merge(exports, settings.portPolicy);
  const exported = exportSide(observed, merged, settings, now);
  // Without our own record, the others alone would be merged, and what we export taken out for a moment. One that has
  // to wait for others is not: it would go on waiting for clusters that are only on the import.
  const isHalf = broker.state === 'in-step' && broker.ownRecord === undefined && isWritten(exported);
  if (isHalf && isListed(observed, settings)) {
    return { merged, exported, writes: exported.writes, aggregate: [] };
  }
  return {
    merged,
    exported,
    writes: [...exported.writes, ...importSide(observed, merged, settings, now)],
    aggregate: exported.isPending || isWithdrawn(observed, exported) ? [] : aggregateWrites(observed, merged, settings),
  };
}

/** Whether the record is written now. */
function isWritten({ isPending, writes }: ExportSide): boolean {
  return isPending && writes.some(({ at }) => at === 'broker');
}

/** Whether our record is taken back now: what is made of it while it is there is wrong a moment later. */
function isWithdrawn({ broker }: Observation, { state }: ExportSide): boolean {
  return broker.state === 'in-step' && broker.ownRecord !== undefined && (state === 'none' || state === 'invalid');
}

function isListed({ imported }: Observation, { cluster: own }: Settings): boolean {
  return imported?.status?.clusters?.some(({ cluster }) => cluster === own) ?? false;
}
