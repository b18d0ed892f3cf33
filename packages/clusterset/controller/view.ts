import {
  type ConfigMap,
  type EndpointSlice,
  type KubeObject,
  keyText,
  type Lease,
  type Namespace,
  SERVICE_NAME_LABEL,
  type Service,
} from '@fairlead/kube';
import type { BrokerUnavailable, BrokerObservation, Observation } from '../decision/observation.ts';
import type { Settings } from '../decision/settings.ts';
import { SERVICE_NAME, type ServiceExport, type ServiceImport } from '../mcs/types.ts';
import { clusterOf, derivedKey, importedSliceKey, isLeaving, isOurs } from '../records/marks.ts';
import type { GlobalIngressIp } from '../records/global-addresses.ts';
import {
  derivedServiceName,
  type ExportKey,
  keyOfRecord,
  memberNamespace,
  partsOfExportedSlice,
  recordName,
} from '../records/names.ts';
import type { MigrationView } from '../decision/migration.ts';
import { claimsOf, isOfAnother, registrationName } from '../records/registration.ts';
import { trustRecord, trustSlice } from '../records/trust.ts';
import type { Store } from './store.ts';

/** What is read of this cluster. */
export interface MemberStores {
  readonly exports: Store<ServiceExport>;
  readonly services: Store<Service>;
  readonly slices: Store<EndpointSlice>;
  readonly imports: Store<ServiceImport>;
  readonly namespaces: Store<Namespace>;
  /** Where addresses are translated by Globalnet. */
  readonly globalIps?: Store<GlobalIngressIp>;
}

/** What is read of the broker: records and aggregates of the clusterset, slices, and who its members are. */
export interface BrokerStores {
  readonly imports: Store<ServiceImport>;
  readonly slices: Store<EndpointSlice>;
  readonly leases: Store<Lease>;
  readonly registrations: Store<ConfigMap>;
}

/** What is known of another cluster: a `missing` one has no Lease; one that is missing for long has `left`. */
export type Standing = 'alive' | 'dropped' | 'missing' | 'left';

/** Whether the broker can be gone by. */
export type BrokerState = { readonly state: 'in-step' } | BrokerUnavailable;

/** Whether the broker has the cluster with this UID for a member. */
export function membershipState(
  { leases, registrations }: Pick<BrokerStores, 'leases' | 'registrations'>,
  uid: string | undefined,
  settings: Settings,
): BrokerState {
  const { brokerNamespace: namespace, cluster: name } = settings;
  const lease = leases.get(keyText({ namespace, name }));
  if (lease === undefined || isLeaving(lease)) return notAMember(settings);
  const registration = registrations.get(keyText({ namespace, name: registrationName(name) }));
  if (!isOfAnother(registration, uid)) return { state: 'in-step' };
  const { cluster, clusterset } = settings;
  const reason = `Another cluster is the member ${cluster} of the clusterset ${clusterset}: run fairlead join with another name.`;
  return { state: 'unavailable', reason, isLasting: true };
}

function notAMember({ cluster, clusterset }: Settings): BrokerUnavailable {
  const reason = `The cluster ${cluster} is no member of the clusterset ${clusterset} at the broker: run fairlead join.`;
  return { state: 'unavailable', reason, isLasting: true };
}

/** Puts together what there is about one Service of the clusterset. */
export class View {
  readonly #member: MemberStores;
  readonly #broker: BrokerStores;
  readonly #settings: Settings;

  constructor(member: MemberStores, broker: BrokerStores, settings: Settings) {
    this.#member = member;
    this.#broker = broker;
    this.#settings = settings;
  }

  observe(key: ExportKey, state: BrokerState, standing: (cluster: string) => Standing): Observation {
    const { exports, services, slices, imports, namespaces, globalIps } = this.#member;
    const { namespace } = this.#settings;
    const text = keyText(key);
    const localImport = imports.get(keyText({ namespace, name: recordName(key) }));
    const own = slices.index('mine', servedBy).get(text);
    const imported = slices.index('imported', importedFor).get(text);
    const named = [...clustersOf(imports.get(text)), ...imported.map(clusterOf)];
    return {
      key,
      namespace: namespaces.get(key.namespace),
      serviceExport: exports.get(text),
      service: services.get(text),
      podSlices: own,
      ...(globalIps !== undefined && { globalIps: globalIps.index('namespace', inNamespace).get(key.namespace) }),
      localImport: localImport !== undefined && isOurs(localImport) ? localImport : undefined,
      imported: imports.get(text),
      importedSlices: imported,
      derivedService: services.get(keyText({ namespace: key.namespace, name: derivedServiceName(key.name) })),
      derivedSlices: slices.index('derived', derivedFor).get(text),
      broker: state.state === 'unavailable' ? state : this.#observeBroker(key, named, standing),
    };
  }

  /** What there is of older software, with its ServiceImports at the broker. */
  migration(atBroker: readonly ServiceImport[]): MigrationView {
    const { exports, services, imports, namespaces } = this.#member;
    const { older } = this.#settings;
    return {
      atBroker,
      local: imports.list().filter(({ metadata }) => metadata.namespace === older.namespace),
      hasNamespace: (name) => namespaces.get(name) !== undefined,
      isUpgraded: (cluster, key) => clustersOf(imports.get(keyText(key))).includes(cluster),
      exported: (key) => (exports.get(keyText(key)) === undefined ? undefined : services.get(keyText(key))),
      claims: claimsOf(this.#broker.registrations.list()),
    };
  }

  /** How many imports there are in this cluster. */
  get imports(): number {
    return this.#member.imports.size;
  }

  /** How many imports in this cluster name that cluster. */
  importCount(cluster: string): number {
    return this.#member.imports.index('clusters', clustersOf).get(cluster).length;
  }

  /** Every Service of the clusterset that anything is known about. */
  keys(): ReadonlySet<string> {
    const { exports, services, slices, imports } = this.#member;
    return new Set([
      ...exports.list().map(({ metadata }) => keyText(metadata)),
      ...imports.list().flatMap((one) => memberImportKeys(one, this.#settings)),
      ...services.list().flatMap(derivedFor),
      ...slices.list().flatMap((slice) => [...importedFor(slice), ...derivedFor(slice)]),
      ...this.#broker.imports.list().flatMap(recordedFor),
      ...this.#broker.slices.list().flatMap(slicedFor),
    ]);
  }

  /** `named` are the clusters that the imports in this cluster name. */
  #observeBroker(key: ExportKey, named: readonly string[], standing: (cluster: string) => Standing): BrokerObservation {
    const { cluster, brokerNamespace } = this.#settings;
    const ownNamespace = memberNamespace(brokerNamespace, cluster);
    const text = keyText(key);
    const all = this.#broker.imports.index('key', recordedFor).get(text);
    const slices = this.#broker.slices.index('key', slicedFor).get(text);
    const inOwn = ({ metadata }: KubeObject) => metadata.namespace === ownNamespace;
    const isShared = ({ metadata }: KubeObject) => metadata.namespace === brokerNamespace;
    const records = all.filter((one) => !isShared(one)).map((one) => trustRecord(one, this.#settings));
    const recorded = records.flatMap((one) => (one.kind === 'foreign' ? [] : [one.cluster]));
    const aggregate = all.find(isShared);
    const claims = claimsOf(this.#broker.registrations.list());
    const others = [...named, ...recorded].filter((one) => one !== cluster);
    const standings = [...new Set(others)].map((one) => [one, standing(one)] as const);
    const those = (wanted: Standing) => new Set(standings.flatMap(([one, found]) => (found === wanted ? [one] : [])));
    return {
      state: 'in-step',
      ownRecord: all.find(inOwn),
      ownSlices: slices.filter(inOwn),
      records: records.filter(({ kind }) => kind !== 'foreign'),
      slices: slices.filter((slice) => !inOwn(slice)).map((slice) => trustSlice(slice, this.#settings, claims)),
      aggregate,
      dropped: those('dropped'),
      missing: those('missing'),
      left: those('left'),
    };
  }
}

function clustersOf(object: ServiceImport | undefined): readonly string[] {
  return (object?.status?.clusters ?? []).map(({ cluster }) => cluster);
}

const inNamespace = ({ metadata }: KubeObject) => [metadata.namespace ?? ''];

/** The key of the Service whose slice this is. */
export function servedBy({ metadata: { namespace = '', labels } }: EndpointSlice): readonly string[] {
  const name = labels?.[SERVICE_NAME_LABEL];
  return name === undefined ? [] : [keyText({ namespace, name })];
}

/** The key of the Service of the clusterset whose imported slice this is. */
export function importedFor(slice: EndpointSlice): readonly string[] {
  const key = importedSliceKey(slice);
  return key === undefined ? [] : [keyText(key)];
}

/** The key of the import that a Service or a slice of ours is derived from. */
export function derivedFor(object: KubeObject): readonly string[] {
  const key = derivedKey(object);
  return key === undefined ? [] : [keyText(key)];
}

/** The key under which the Service that is derived from an import is, whoever made it. */
export function derivedAs({ metadata: { namespace = '', name } }: ServiceImport): readonly string[] {
  return [keyText({ namespace, name: derivedServiceName(name) })];
}

/** The key of a record or an aggregate at the broker. */
export function recordedFor({ metadata }: ServiceImport): readonly string[] {
  const key = keyOfRecord(metadata.name);
  return key === undefined ? [] : [keyText(key)];
}

export function slicedFor({ metadata }: EndpointSlice): readonly string[] {
  const parts = partsOfExportedSlice(metadata.name);
  return parts === undefined ? [] : [keyText(parts.key)];
}

/** The key of an import in this cluster: that of all clusters, or the local one in our own namespace. */
export function memberImportKeys(object: ServiceImport, { namespace }: Settings): readonly string[] {
  const { metadata } = object;
  if (!isOurs(object)) return metadata.namespace === undefined ? [] : [keyText(metadata)];
  const isLocal = metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME] !== undefined;
  return isLocal ? recordedFor(object) : [keyText(metadata)];
}
