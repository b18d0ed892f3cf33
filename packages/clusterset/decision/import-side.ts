import { type EndpointSlice, endpointSlices, services, type WantedCondition } from '@fairlead/kube';
import type { ServiceImport } from '../mcs/types.ts';
import type { Merged, MergedImport } from '../merge/merge.ts';
import {
  aggregateLabels,
  derivedServiceNameLabel,
  clusterOf,
  DERIVED_IPS,
  exportedTexts,
  importLabels,
  isOurs,
  sliceLabels,
} from '../records/marks.ts';
import { exportedSliceName, importedSliceName, isClusterName, memberNamespace, recordName } from '../records/names.ts';
import { canImportInto, MOST_SLICES } from '../records/trust.ts';
import { DERIVED_SERVICE, derivedService, derives, ownDerived, retired } from './derived-service.ts';
import { isMember, MOST_ASKED, noImport, noRecord, withdrawn } from './preconditions.ts';
import type { BrokerObservation, Observation } from './observation.ts';
import type { Settings } from './settings.ts';
import {
  ensureImport,
  ensureImportStatus,
  ensureSlice,
  type Precondition,
  type ImportContent,
  remove,
  type Write,
  withConditions,
} from './write.ts';

type InStep = Extract<BrokerObservation, { state: 'in-step' }>;

/** On an import while it cannot be compared with the broker: it is what was there before. */
const IN_STEP = 'fairlead.dev/InStep';

/** What this cluster does to have the Service of all clusters. */
export function importSide(observed: Observation, merged: Merged, settings: Settings, now: number): readonly Write[] {
  const { broker, namespace, imported } = observed;
  // What another controller made is not ours to change.
  if (imported !== undefined && !isOurs(imported)) return remove('member', services, [ownDerived(observed)]);
  if (broker.state === 'unavailable') {
    // A derived Service goes after its import also without the broker, which may never come back.
    if (imported === undefined)
      return remove('member', services, [ownDerived(observed)], [noImport(observed, settings)]);
    const turnedOff = retired(observed, settings);
    if (turnedOff.length > 0 || !broker.isLasting) return turnedOff;
    return staleWrites(observed, broker.reason, settings, now);
  }
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return [];
  if (!canImportInto(namespace, settings.namespaces)) return removal(observed, settings, () => []);
  if (merged.import === undefined) {
    const clusters = clustersBehind(observed);
    // Nothing is deleted because something was refused; but what no cluster behind it wrote holds nothing up.
    if (refusedOf(broker).some((cluster) => clusters.includes(cluster))) return [];
    if (clusters.some((cluster) => broker.missing.has(cluster))) return [];
    return removal(observed, settings, (lost) => withdrawn(lost, observed, broker, settings));
  }
  // Endpoints go on following, also where a server refuses the import.
  const slices = sliceWrites(observed, broker, merged, settings);
  const kept = slices.filter(({ verb }) => verb !== 'delete');
  const removed = slices.filter(({ verb }) => verb === 'delete');
  const imports = importWrites(observed, broker, merged, settings, now);
  return [...kept, ...imports, ...removed, ...derivedWrites(observed, broker, merged, settings)];
}

/** Last: a Service that the server refuses holds back nothing else, and one that goes is on no import by then. */
function derivedWrites(observed: Observation, broker: InStep, merged: Merged, settings: Settings): readonly Write[] {
  if (merged.import === undefined || observed.imported === undefined) return [];
  const lost = lostClusters(observed, broker, merged);
  if (lost.some((cluster) => broker.missing.has(cluster))) return [];
  const { writes } = derivedService(observed, merged.import.spec, settings);
  return onPreconditions(writes, lost, observed, broker, settings);
}

function importWrites(
  observed: Observation,
  broker: InStep,
  merged: Merged,
  settings: Settings,
  now: number,
): readonly Write[] {
  const { key, imported } = observed;
  if (merged.import === undefined) return [];
  const { clusters } = merged.import;
  const target = { at: 'member', resource: settings.serviceImports, key } as const;
  const { ips, conditions } = derivedService(observed, merged.import.spec, settings);
  const content = withAddresses(contentOf(merged.import, importLabels), ips);
  if (imported === undefined) return ensureImport(target, imported, content);
  const before = clustersOf(imported);
  const refused = refusedOf(broker);
  const lost = lostClusters(observed, broker, merged);
  if (lost.some((cluster) => broker.missing.has(cluster))) return [];
  const listed = [...new Set([...clusters, ...refused.filter((cluster) => before.includes(cluster))])].toSorted();
  const written = ensureImport(target, imported, content);
  // One write makes another version: the status follows when that has come.
  const all =
    written.length > 0
      ? written
      : ensureImportStatus(
          target,
          imported,
          listed,
          withConditions(imported, conditions, [IN_STEP, DERIVED_SERVICE], now),
        );
  return onPreconditions(all, lost, observed, broker, settings);
}

/** The clusters that an import names and that have no record any more. */
function lostClusters({ imported }: Observation, broker: InStep, { verdicts }: Merged): readonly string[] {
  const refused = refusedOf(broker);
  return clustersOf(imported).filter((cluster) => !verdicts.has(cluster) && !refused.includes(cluster));
}

function withAddresses(content: ImportContent, ips: readonly string[]): ImportContent {
  if (ips.length === 0) return content;
  const { spec, annotations } = content;
  return { ...content, spec: { ...spec, ips }, annotations: { ...annotations, [DERIVED_IPS]: ips.join() } };
}

/** The clusters whose record is not believed. */
function refusedOf({ records }: InStep): readonly string[] {
  return records.flatMap((one) => (one.kind === 'refused' ? [one.cluster] : []));
}

/** Writes that take clusters out of an import because their records are gone. */
function onPreconditions(
  writes: readonly Write[],
  lost: readonly string[],
  observed: Observation,
  broker: InStep,
  settings: Settings,
): readonly Write[] {
  if (lost.length === 0) return writes;
  const preconditions = withdrawn(lost, observed, broker, settings);
  return writes.map((write) => ({ ...write, preconditions }));
}

function contentOf({ spec, labels, annotations }: MergedImport, ours: Readonly<Record<string, string>>) {
  return {
    spec,
    labels: { ...labels, ...ours },
    annotations: { ...annotations, ...exportedTexts(labels, annotations) },
  };
}

function clustersOf(object: ServiceImport | undefined): readonly string[] {
  return (object?.status?.clusters ?? []).map(({ cluster }) => cluster);
}

function staleWrites({ imported }: Observation, reason: string, settings: Settings, now: number): readonly Write[] {
  if (imported === undefined) return [];
  const wanted: WantedCondition = { type: IN_STEP, status: 'False', reason: 'BrokerUnreachable', message: reason };
  const clusters = clustersOf(imported);
  const conditions = withConditions(imported, [wanted], [IN_STEP], now);
  return ensureImportStatus({ at: 'member', resource: settings.serviceImports }, imported, clusters, conditions);
}

/** The slices of other clusters; those of our own need no broker. */
function sliceWrites(observed: Observation, broker: InStep, merged: Merged, settings: Settings): readonly Write[] {
  const { key } = observed;
  const existing = new Map(
    observed.importedSlices
      .filter((slice) => clusterOf(slice) !== settings.cluster)
      .map((one) => [one.metadata.name, one]),
  );
  const isBehind = merged.import !== undefined && derives(observed, merged.import.spec.type, settings);
  const settled = new Set<string>();
  const written: Write[] = [];
  for (const { cluster, slice } of wantedSlices(broker, merged)) {
    const name = importedSliceName(key.name, cluster, slice.suffix);
    settled.add(name);
    const target = { at: 'member', key: { namespace: key.namespace, name } } as const;
    const served = broker.dropped.has(cluster) ? { ...slice, endpoints: [] } : slice;
    const labels = { ...sliceLabels(key.name, cluster), ...(isBehind && derivedServiceNameLabel(key.name)) };
    written.push(...ensureSlice(target, existing.get(name), labels, served));
  }
  const left = [...existing.values()].filter(({ metadata }) => !settled.has(metadata.name));
  return [...written, ...left.flatMap((slice) => leftoverWrites(slice, observed, broker, merged, settings))];
}

function wantedSlices({ slices }: InStep, { import: merged }: Merged) {
  const counts = new Map<string, number>();
  return slices
    .flatMap((one) => (one.kind === 'trusted' ? [{ cluster: one.cluster, slice: one.value }] : []))
    .toSorted((left, right) => (left.slice.suffix < right.slice.suffix ? -1 : 1))
    .filter(({ cluster }) => {
      const count = (counts.get(cluster) ?? 0) + 1;
      counts.set(cluster, count);
      return merged?.clusters.includes(cluster) === true && count <= MOST_SLICES;
    });
}

/** A slice that no cluster exports any more, or that was refused: then it stays as it is. */
function leftoverWrites(
  slice: EndpointSlice,
  observed: Observation,
  broker: InStep,
  { verdicts }: Merged,
  settings: Settings,
): readonly Write[] {
  const { key } = observed;
  const cluster = clusterOf(slice);
  const isRefused = (one: { readonly kind: string; readonly cluster?: string }) =>
    one.kind === 'refused' && one.cluster === cluster;
  if (broker.records.some(isRefused)) return [];
  const verdict = verdicts.get(cluster);
  if (verdict === undefined) {
    if (broker.missing.has(cluster)) return [];
    return remove('member', endpointSlices, [slice], withdrawn([cluster], observed, broker, settings));
  }
  // It lost a conflict: that is known, and not only not seen.
  if (!verdict.isExported) return remove('member', endpointSlices, [slice]);
  if (broker.slices.some(isRefused)) return [];
  const suffix = slice.metadata.name.slice(key.name.length + 1, -(cluster.length + 1));
  const namespace = memberNamespace(settings.brokerNamespace, cluster);
  const exported = { namespace, name: exportedSliceName(key, suffix) };
  return remove(
    'member',
    endpointSlices,
    [slice],
    [{ is: 'absent', at: 'broker', resource: endpointSlices, key: exported }],
  );
}

function removal(
  observed: Observation,
  settings: Settings,
  preconditionsFor: (clusters: readonly string[]) => readonly Precondition[],
): readonly Write[] {
  const { imported, importedSlices } = observed;
  const others = importedSlices.filter((slice) => clusterOf(slice) !== settings.cluster);
  const preconditions = preconditionsFor(clustersBehind(observed));
  return [
    // Each on those of its own cluster: who writes many of them would have the broker asked for each pair otherwise.
    ...others.flatMap((slice) => remove('member', endpointSlices, [slice], preconditionsFor([clusterOf(slice)]))),
    ...remove('member', settings.serviceImports, [imported], preconditions),
    ...remove('member', services, [ownDerived(observed)], [...preconditions, noImport(observed, settings)]),
  ];
}

/** The clusters that an import, or a slice behind it, names. */
function clustersBehind({ imported, importedSlices }: Observation): readonly string[] {
  return [...new Set([...clustersOf(imported), ...importedSlices.map(clusterOf)])];
}

/**
 * The aggregated ServiceImport in the shared namespace of the broker, for those who read it there. Clusters that have a
 * record keep it, and a cluster that comes across one that has none left removes it. Every member can write there:
 * it is brought to what the records say, and nothing that it says itself counts.
 */
export function aggregateWrites(observed: Observation, merged: Merged, settings: Settings): readonly Write[] {
  const { key, broker } = observed;
  if (broker.state === 'unavailable') return [];
  const { aggregate } = broker;
  const refused = refusedOf(broker);
  const target = {
    at: 'broker',
    resource: settings.brokerImports,
    key: { namespace: settings.brokerNamespace, name: recordName(key) },
  } as const;
  const before = clustersOf(aggregate).filter(isClusterName);
  const lost = before.filter((cluster) => !merged.verdicts.has(cluster) && !refused.includes(cluster));
  const preconditions = [
    ...lost.slice(0, MOST_ASKED).map((cluster) => noRecord(cluster, observed, settings)),
    isMember(settings.cluster, settings),
  ];
  if (merged.import === undefined) {
    if (aggregate === undefined || refused.some((cluster) => before.includes(cluster))) return [];
    return remove('broker', settings.brokerImports, [aggregate], preconditions);
  }
  if (!merged.verdicts.has(settings.cluster)) return [];
  const content = contentOf(merged.import, aggregateLabels(key, settings.clusterset));
  const written = ensureImport(target, aggregate, content);
  const all =
    written.length > 0 || aggregate === undefined
      ? written
      : ensureImportStatus(target, aggregate, merged.import.clusters, aggregate.status?.conditions);
  return lost.length === 0 ? all : all.map((write) => ({ ...write, preconditions }));
}
