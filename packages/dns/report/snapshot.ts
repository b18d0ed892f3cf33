import { servedMcsVersion, serviceImports, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { endpointSlices } from '@fairlead/kube';
import type { ReadEnvironment } from '@fairlead/part';
import { type NamedRecords, NameTable, type RecordSet, ZoneIndex, type ZoneSettings } from '../zone/index.ts';

/** Any will do: it answers no strangers. */
export const SNAPSHOT_SEED = 1;

/** The zone as a server that started now would have it. */
export interface Snapshot {
  readonly settings: ZoneSettings;
  readonly index: ZoneIndex;
  readonly table: NameTable;
  readonly names: NamedRecords;
}

export async function takeSnapshot(settings: ZoneSettings, environment: ReadEnvironment): Promise<Snapshot> {
  const { client, signal } = environment;
  const version = await servedMcsVersion(client, { signal });
  const [imports, slices] = await Promise.all([
    client.list(serviceImports(version), { signal }),
    client.list(endpointSlices, { labelSelector: SOURCE_CLUSTER, signal }),
  ]);
  const table = new NameTable(settings.zone, SNAPSHOT_SEED);
  const names = new Map<string, readonly RecordSet[]>();
  const index = new ZoneIndex(settings, {
    set(name, sets) {
      table.set(name, sets);
      if (sets !== undefined) names.set(name, sets);
    },
  });
  for (const one of imports.items) index.setImport(one);
  for (const one of slices.items) index.setSlice(one);
  index.flush();
  return { settings, index, table, names };
}
