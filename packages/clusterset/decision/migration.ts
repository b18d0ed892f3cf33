import { type IpFamily, parseIpAddress } from '@fairlead/control';
import { jsonEqual, keyText, type Service } from '@fairlead/kube';
import { olderImportOf } from '../mcs/older-import.ts';
import type { ServiceImport, ServiceImportSpec } from '../mcs/types.ts';
import { isAdopted, OLDER_COPY } from '../records/marks.ts';
import type { ExportKey } from '../records/names.ts';
import { validationProblem } from '../records/malformed.ts';
import { readRecord } from '../records/record.ts';
import { type Claims, NO_CLAIMS } from '../records/registration.ts';
import { isNamespaceAllowed, wrongAddress } from '../records/trust.ts';
import type { Settings } from './settings.ts';
import { type Place, remove, type Write } from './write.ts';

/*
 * While clusters are upgraded one by one, those with the software before aggregation have a ServiceImport of their own
 * for each Service, in one namespace that all of them share at the broker. The broker does not control who writes
 * there: only those of clusters that the operator named are believed.
 */

/** All that there is of it, here and at the broker. */
export interface MigrationView {
  readonly atBroker: readonly ServiceImport[];
  /** In this cluster, in the namespace of the older software. */
  readonly local: readonly ServiceImport[];
  readonly hasNamespace: (namespace: string) => boolean;
  /** Whether the cluster stands behind the aggregated import of the Service: then it was upgraded. */
  readonly isUpgraded: (cluster: string, key: ExportKey) => boolean;
  /** What this cluster exports under that name. */
  readonly exported: (key: ExportKey) => Service | undefined;
  readonly claims?: Claims;
}

export interface Migration {
  readonly writes: readonly Write[];
  /** What is not believed, and why. */
  readonly refused: readonly string[];
}

const AGAIN = 'All of it is compared again.';

/** Pure: what is to be done for the clusters that are yet to be upgraded, and about what is left of those that were. */
export function migrationOf(view: MigrationView, settings: Settings): Migration {
  const { older, cluster: own } = settings;
  const refused: string[] = [];
  const wanted = new Map<string, ServiceImport>();
  for (const one of view.atBroker) {
    const about = olderImportOf(one.metadata, older.brokerNamespace);
    if (about === undefined || about.cluster === own || !older.clusters.includes(about.cluster)) continue;
    if (view.isUpgraded(about.cluster, about) || !isNamespaceAllowed(about.namespace, settings.namespaces)) continue;
    if (!view.hasNamespace(about.namespace)) continue;
    const wrong = refusalOf(one, about.cluster, settings, view.claims ?? NO_CLAIMS);
    if (wrong === undefined) wanted.set(one.metadata.name, one);
    else refused.push(`${keyText(one.metadata)}: ${wrong}`);
  }
  const copies = view.local.filter(({ metadata }) => {
    const about = olderImportOf(metadata, older.namespace);
    return about !== undefined && about.cluster !== own && older.clusters.includes(about.cluster);
  });
  const keeps = new Set(refused.map((text) => text.slice(text.indexOf('/') + 1, text.indexOf(':'))));
  const byName = new Map(copies.map((one) => [one.metadata.name, one]));
  const kept = [...wanted.values()].flatMap((one) => copyWrites(one, byName.get(one.metadata.name), view, settings));
  const gone = copies.filter(({ metadata }) => !wanted.has(metadata.name) && !keeps.has(metadata.name));
  const removed = gone.flatMap((one) => removalWrites('member', one, view, settings));
  return { writes: [...kept, ...removed, ...ownWrites(view, settings, copies.length + wanted.size)], refused };
}

function refusalOf(one: ServiceImport, cluster: string, settings: Settings, claims: Claims): string | undefined {
  const read = one.spec === undefined ? undefined : readRecord(one, cluster);
  if (read === undefined) return 'it cannot be read';
  const wrong = validationProblem(read);
  if (wrong !== undefined) return `it has ${wrong}`;
  return (one.spec.ips ?? [])
    .map((text) => wrongAddress(text, familyOf(text), settings, cluster, claims))
    .find((reason) => reason !== undefined);
}

const familyOf = (text: string): IpFamily => parseIpAddress(text)?.family ?? 'IPv4';

/** Our copy of it in this cluster, for those who read it here. */
function copyWrites(
  { metadata, spec }: ServiceImport,
  existing: ServiceImport | undefined,
  { hasNamespace }: MigrationView,
  { older, serviceImports: resource }: Settings,
): readonly Write[] {
  const rest = { at: 'member', resource, preconditions: [], ifItDiesHere: AGAIN } as const;
  const { name, labels = {}, annotations = {} } = metadata;
  if (existing === undefined) {
    if (!hasNamespace(older.namespace)) return [];
    const object = {
      metadata: { namespace: older.namespace, name, labels: { ...labels, ...OLDER_COPY }, annotations },
      spec,
    };
    return [{ ...rest, verb: 'create', object }];
  }
  if (isAdopted(existing) && jsonEqual(existing.spec, spec)) return [];
  const marked = { ...existing.metadata, labels: { ...existing.metadata.labels, ...OLDER_COPY } };
  const object: ServiceImport = { ...existing, metadata: marked, spec };
  return [{ ...rest, verb: 'update', object }];
}

/** What the older software left is marked as ours first: nothing else is ever deleted. */
function removalWrites(at: Place, one: ServiceImport, view: MigrationView, settings: Settings): readonly Write[] {
  const resource = at === 'broker' ? settings.brokerImports : settings.serviceImports;
  if (!isAdopted(one)) {
    const metadata = { ...one.metadata, labels: { ...one.metadata.labels, ...OLDER_COPY } };
    return [{ verb: 'update', at, resource, object: { ...one, metadata }, preconditions: [], ifItDiesHere: AGAIN }];
  }
  const { older } = settings;
  const about = olderImportOf(one.metadata, at === 'broker' ? older.brokerNamespace : older.namespace);
  const isKnown = about !== undefined && (at === 'broker' || view.isUpgraded(about.cluster, about));
  const key = { namespace: older.brokerNamespace, name: one.metadata.name };
  // That it is not in a list is no reason to take it away.
  const preconditions = isKnown ? [] : [{ is: 'absent', at: 'broker', resource: settings.brokerImports, key } as const];
  return remove(at, resource, [one], preconditions);
}

/**
 * Our own, from before we were upgraded: kept true for those that were not, and taken off the broker once no cluster
 * is left whose import we copy. None is created.
 */
function ownWrites(view: MigrationView, settings: Settings, copyCount: number): readonly Write[] {
  const { older, cluster: own, brokerImports: resource } = settings;
  return view.atBroker.flatMap((one): readonly Write[] => {
    const about = olderImportOf(one.metadata, older.brokerNamespace);
    if (about?.cluster !== own) return [];
    const service = view.exported(about);
    if (copyCount === 0 || service === undefined) return removalWrites('broker', one, view, settings);
    const spec = ownSpec(one.spec, service);
    if (jsonEqual(spec, one.spec)) return [];
    const object: ServiceImport = { ...one, spec };
    return [{ verb: 'update', at: 'broker', resource, object, preconditions: [], ifItDiesHere: AGAIN }];
  });
}

function ownSpec(before: ServiceImportSpec | undefined, { spec }: Service): ServiceImportSpec {
  const isHeadless = spec.clusterIP === 'None';
  const ports = (spec.ports ?? []).map(({ name = '', protocol = 'TCP', port }) => ({
    ...(name !== '' && { name }),
    protocol,
    port,
  }));
  const ips = isHeadless || spec.clusterIP === undefined ? [] : [spec.clusterIP];
  return { ...before, type: isHeadless ? 'Headless' : 'ClusterSetIP', ports, ips };
}
