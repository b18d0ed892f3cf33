import {
  type EndpointSlice,
  endpointSlices,
  jsonEqual,
  services,
  statusOf,
  type WantedCondition,
} from '@fairlead/kube';
import { type Merged, PORTS_SERVED } from '../merge/merge.ts';
import { type ExportedSlice, exportedSlices } from '../records/exported-slices.ts';
import { globalAddressOf, withGlobalAddress, withGlobalPods } from '../records/global-addresses.ts';
import { isHeadless, type LocalExport, readLocalExport } from '../records/local-export.ts';
import { clusterOf, derivedSliceLabels, importLabels, isOurs, recordLabels, sliceLabels } from '../records/marks.ts';
import {
  derivedSliceName,
  exportedSliceName,
  importedSliceName,
  memberNamespace,
  recordName,
} from '../records/names.ts';
import { recordContent } from '../records/record.ts';
import { isNamespaceAllowed, MOST_SLICES } from '../records/trust.ts';
import { localShare } from './derived-service.ts';
import { noImport } from './preconditions.ts';
import type { Observation } from './observation.ts';
import type { Settings } from './settings.ts';
import { type Precondition, ensureImport, ensureSlice, remove, type Write, withConditions } from './write.ts';

/** The conditions of a ServiceExport that are ours to write. */
const OUR_CONDITIONS = ['Valid', 'Ready', 'Conflict', PORTS_SERVED];

/** Times of the broker are in whole seconds. */
const YOUNG_MILLISECONDS = 2_000;

/** What this cluster does for its own export of a Service. */
export interface ExportSide {
  readonly writes: readonly Write[];
  /** The record is yet to be written: until then, what all clusters make of it is not known. */
  readonly isPending: boolean;
  /** For people. */
  readonly state: 'none' | 'invalid' | 'waiting' | 'exported' | 'conflict';
}

export function exportSide(observed: Observation, merged: Merged, settings: Settings, now: number): ExportSide {
  const { serviceExport } = observed;
  if (serviceExport === undefined || serviceExport.metadata.deletionTimestamp !== undefined) {
    const { serviceExports } = settings;
    const preconditions: readonly Precondition[] = [
      { is: 'absent', at: 'member', resource: serviceExports, key: observed.key },
    ];
    return { writes: withdrawal(observed, settings, preconditions), isPending: false, state: 'none' };
  }
  const mayExport = isNamespaceAllowed(observed.key.namespace, settings.namespaces);
  const local = globally(readLocalExport(serviceExport, observed.service, settings.cluster, mayExport), observed);
  if (local.kind === 'invalid') {
    const isMissing = local.valid.reason === 'NoService';
    const preconditions: readonly Precondition[] = isMissing
      ? [{ is: 'absent', at: 'member', resource: services, key: observed.key }]
      : [];
    const ready = notReady('Pending', 'There is nothing to export.');
    const writes = [
      ...withdrawal(observed, settings, preconditions),
      ...conditionWrites(observed, [local.valid, ready], settings, now),
    ];
    return { writes, isPending: false, state: 'invalid' };
  }
  return validExport(observed, local, merged, settings, now);
}

/** Where addresses are translated, a Service without a global one cannot be reached from elsewhere. */
function globally(local: LocalExport, { globalIps, key }: Observation): LocalExport {
  if (globalIps === undefined || local.kind === 'invalid' || isHeadless(local.service)) return local;
  const found = globalAddressOf(key.name, globalIps);
  if (found.kind === 'allocated') return local;
  const { reason, message } = found;
  return { kind: 'invalid', valid: { type: 'Valid', status: 'False', reason, message } };
}

/** As other clusters reach it; this one goes on by its own addresses. */
function reachedSlices(
  { globalIps, key, podSlices }: Observation,
  { service }: Extract<LocalExport, { kind: 'valid' }>,
  slices: readonly ExportedSlice[],
): readonly ExportedSlice[] {
  if (globalIps === undefined) return slices;
  if (isHeadless(service)) return exportedSlices(service, withGlobalPods(podSlices, globalIps));
  const found = globalAddressOf(key.name, globalIps);
  return found.kind === 'allocated' ? withGlobalAddress(slices, found.address) : [];
}

function validExport(
  observed: Observation,
  local: Extract<LocalExport, { kind: 'valid' }>,
  merged: Merged,
  settings: Settings,
  now: number,
): ExportSide {
  const { key, broker, podSlices } = observed;
  const content = recordContent(local.fields);
  const localTarget = {
    at: 'member',
    resource: settings.serviceImports,
    key: { namespace: settings.namespace, name: recordName(key) },
  } as const;
  const localLabels = { ...recordLabels(key, settings.clusterset, settings.cluster), ...importLabels };
  const localImport = ensureImport(localTarget, observed.localImport, { ...content, labels: localLabels });
  const slices = exportedSlices(local.service, podSlices);
  const reached = reachedSlices(observed, local, slices);
  const conditions = (wanted: readonly WantedCondition[]) =>
    conditionWrites(observed, [VALID, ...wanted], settings, now);

  if (broker.state === 'unavailable') {
    const wasExported =
      observed.imported?.status?.clusters?.some(({ cluster }) => cluster === settings.cluster) ?? false;
    const own = wasExported ? localSliceWrites(observed, slices, settings) : staleShare(observed, settings);
    const told = wasExported || !broker.isLasting ? [] : conditions([notReady('Pending', broker.reason)]);
    return { writes: [...localImport, ...own, ...told], isPending: true, state: wasExported ? 'exported' : 'waiting' };
  }

  const recordTarget = {
    at: 'broker',
    resource: settings.brokerImports,
    key: { namespace: memberNamespace(settings.brokerNamespace, settings.cluster), name: recordName(key) },
  } as const;
  if (broker.ownRecord === undefined && mustWaitForOthers(observed, local, now)) {
    const message = `It is of another type than what is served, and comes after the clusters that serve it.`;
    return {
      writes: [...localImport, ...staleShare(observed, settings), ...conditions([notReady('Pending', message)])],
      isPending: true,
      state: 'waiting',
    };
  }
  const labels = recordLabels(key, settings.clusterset, settings.cluster);
  const record = ensureImport(recordTarget, broker.ownRecord, { ...content, labels });
  const verdict = merged.verdicts.get(settings.cluster);
  if (verdict === undefined || record.length > 0) {
    return { writes: [...localImport, ...record], isPending: true, state: 'waiting' };
  }
  const ready: WantedCondition = verdict.isExported
    ? { type: 'Ready', status: 'True', reason: 'Exported', message: exportedText(reached.length) }
    : notReady('Failed', 'It lost a conflict with an older export, and is not exported while that is there.');
  const served = verdict.isExported ? slices : [];
  return {
    writes: [
      ...localImport,
      ...brokerSliceWrites(observed, verdict.isExported ? taken(reached) : [], settings),
      ...localSliceWrites(observed, served, settings),
      ...conditions([...verdict.conditions, ready]),
    ],
    isPending: false,
    state: verdict.isExported ? 'exported' : 'conflict',
  };
}

/**
 * After a broker was rebuilt, or this cluster joined again, the oldest record is whichever is written first: one that
 * had lost must not be, or it would turn the type of what is being served. Of two records of the same second, neither
 * is older. By a clock that is behind, it waits longer, which costs an export nothing that is not served anyway.
 */
function mustWaitForOthers(
  { imported, broker }: Observation,
  local: Extract<LocalExport, { kind: 'valid' }>,
  now: number,
): boolean {
  if (imported === undefined || !isOurs(imported) || broker.state === 'unavailable') return false;
  const served = imported.spec?.type;
  if (served === local.fields.type || (imported.status?.clusters ?? []).length === 0) return false;
  const isOlder = (since: string) => now - Date.parse(since) >= YOUNG_MILLISECONDS;
  return !broker.records.some(
    (record) => record.kind === 'trusted' && record.value.type === served && isOlder(record.value.since),
  );
}

const VALID: WantedCondition = {
  type: 'Valid',
  status: 'True',
  reason: 'Valid',
  message: 'The Service can be exported.',
};

function notReady(reason: 'Pending' | 'Failed', message: string): WantedCondition {
  return { type: 'Ready', status: 'False', reason, message };
}

/** Those that other clusters take. More of them would only leave less room for other Services of this cluster. */
function taken(slices: readonly ExportedSlice[]): readonly ExportedSlice[] {
  if (slices.length <= MOST_SLICES) return slices;
  return slices.toSorted((left, right) => (left.suffix < right.suffix ? -1 : 1)).slice(0, MOST_SLICES);
}

function exportedText(count: number): string {
  if (count <= MOST_SLICES) return 'Its endpoints are at the broker.';
  return `Of its ${count} EndpointSlices, ${MOST_SLICES} are at the broker: no cluster takes more.`;
}

/** Endpoints first, so that no cluster leads clients here while the record is being taken back. */
function withdrawal(
  observed: Observation,
  settings: Settings,
  preconditions: readonly Precondition[],
): readonly Write[] {
  const { broker, localImport } = observed;
  const atBroker =
    broker.state === 'unavailable'
      ? []
      : [
          ...remove('broker', endpointSlices, broker.ownSlices, preconditions),
          ...remove('broker', settings.brokerImports, [broker.ownRecord], preconditions),
        ];
  return [
    ...remove(
      'member',
      endpointSlices,
      [...ownImportedSlices(observed, settings), ...observed.derivedSlices],
      preconditions,
    ),
    ...atBroker,
    ...remove('member', settings.serviceImports, [localImport], preconditions),
  ];
}

function brokerSliceWrites(
  { key, broker }: Observation,
  slices: readonly ExportedSlice[],
  { clusterset, cluster, brokerNamespace }: Settings,
): readonly Write[] {
  if (broker.state === 'unavailable') return [];
  const namespace = memberNamespace(brokerNamespace, cluster);
  const labels = { ...sliceLabels(key.name, cluster), ...recordLabels(key, clusterset, cluster) };
  const nameOf = ({ suffix }: ExportedSlice) => exportedSliceName(key, suffix);
  return sliceWrites('broker', namespace, broker.ownSlices, slices, nameOf, labels);
}

/** The endpoints of this cluster behind its own import: they need no broker. */
function localSliceWrites(
  observed: Observation,
  slices: readonly ExportedSlice[],
  settings: Settings,
): readonly Write[] {
  const { name, namespace } = observed.key;
  const { cluster } = settings;
  const nameOf = ({ suffix }: ExportedSlice) => importedSliceName(name, cluster, suffix);
  const existing = ownImportedSlices(observed, settings);
  const share = slices.length === 0 ? [] : localShare(observed, settings);
  const shareName = ({ suffix }: ExportedSlice) => derivedSliceName(name, suffix);
  return [
    ...sliceWrites('member', namespace, existing, slices, nameOf, sliceLabels(name, cluster)),
    ...sliceWrites('member', namespace, observed.derivedSlices, share, shareName, derivedSliceLabels(name)),
  ];
}

/** What is behind a derived Service that is not to be there, of a Service that is not exported yet, or no longer. */
function staleShare(observed: Observation, settings: Settings): readonly Write[] {
  const { imported, derivedSlices } = observed;
  if (localShare(observed, settings).length === 0) return remove('member', endpointSlices, derivedSlices);
  return imported === undefined ? remove('member', endpointSlices, derivedSlices, [noImport(observed, settings)]) : [];
}

function sliceWrites(
  at: 'member' | 'broker',
  namespace: string,
  existing: readonly EndpointSlice[],
  slices: readonly ExportedSlice[],
  nameOf: (slice: ExportedSlice) => string,
  labels: Readonly<Record<string, string>>,
): readonly Write[] {
  const byName = new Map(existing.map((slice) => [slice.metadata.name, slice]));
  const names = new Set(slices.map(nameOf));
  const written = slices.flatMap((slice) => {
    const name = nameOf(slice);
    return ensureSlice({ at, key: { namespace, name } }, byName.get(name), labels, slice);
  });
  return [
    ...written,
    ...remove(
      at,
      endpointSlices,
      existing.filter(({ metadata }) => !names.has(metadata.name)),
    ),
  ];
}

function ownImportedSlices({ importedSlices }: Observation, { cluster }: Settings): readonly EndpointSlice[] {
  return importedSlices.filter((slice) => clusterOf(slice) === cluster);
}

function conditionWrites(
  { serviceExport }: Observation,
  wanted: readonly WantedCondition[],
  { serviceExports }: Settings,
  now: number,
): readonly Write[] {
  if (serviceExport === undefined) return [];
  const conditions = withConditions(serviceExport, wanted, OUR_CONDITIONS, now);
  if (jsonEqual(conditions, serviceExport.status?.conditions ?? [])) return [];
  const object = { ...serviceExport, status: { ...serviceExport.status, conditions } };
  const ifItDiesHere = 'The conditions are told again when they differ.';
  return [
    { verb: 'update', at: 'member', resource: statusOf(serviceExports), object, preconditions: [], ifItDiesHere },
  ];
}
