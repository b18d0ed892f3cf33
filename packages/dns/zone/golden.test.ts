import type { ServiceImport } from '@fairlead/clusterset/mcs';
import { GoldenFolder } from '@fairlead/control/testing';
import type { EndpointSlice } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { orderText, recordLines } from './record-text.ts';
import type { RecordSet } from './record-set.ts';
import { serviceRecords } from './service-records.ts';
import type { ZoneSettings } from './settings.ts';
import { ZoneIndex } from './zone-index.ts';

interface World {
  readonly settings?: Partial<Omit<ZoneSettings, 'weights'>> & { readonly weights?: Readonly<Record<string, number>> };
  readonly imports?: readonly ServiceImport[];
  readonly slices?: readonly EndpointSlice[];
}

const defaults: ZoneSettings = {
  zone: 'clusterset.local',
  seconds: 5,
  clusterSpecificNames: true,
  weights: new Map(),
  olderClusters: [],
  olderNamespace: 'submariner-operator',
  nameServerAddresses: [],
  serial: 1,
};

/** The zone, name by name, and what was left out of it. */
function translate({ settings, imports = [], slices = [] }: World): unknown {
  const names = new Map<string, readonly RecordSet[]>();
  const wanted = { ...defaults, ...settings, weights: new Map(Object.entries(settings?.weights ?? {})) };
  const index = new ZoneIndex(wanted, {
    set: (name, sets) => (sets === undefined ? names.delete(name) : names.set(name, sets)),
  });
  for (const one of imports) index.setImport(one);
  for (const one of slices) index.setSlice(one);
  index.flush();
  const zone = [...names].map(([name, sets]) => [
    name,
    sets.flatMap((set) => {
      const order = orderText(set);
      return [...recordLines(set), ...(order === undefined ? [] : [`(${order})`])];
    }),
  ]);
  const services = new Set([...imports, ...slices].map(({ metadata }) => metadata.namespace ?? ''));
  const leftOut = [...services].flatMap((namespace) => {
    const view = index.view(namespace, 'web') ?? index.view(namespace, 'db');
    if (view === undefined) return [];
    return serviceRecords(view, wanted).shares.flatMap(({ cluster, leftOut: lines }) =>
      lines.map((line) => `${cluster}: ${line}`),
    );
  });
  return { zone: Object.fromEntries(zone), leftOut };
}

function isWorld(document: unknown): document is World {
  return typeof document === 'object' && document !== null && 'imports' in document;
}

describe('the zone', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, (documents) => {
      const [world] = documents.filter(isWorld);
      return world === undefined ? 'there is no world' : translate(world);
    });
    expect(actual).toBe(expected);
  });
});
