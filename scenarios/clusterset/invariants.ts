import type { ServiceImport } from '@fairlead/clusterset';
import { endpointSlices, type KubeObject, leases, services } from '@fairlead/kube';
import { writesOf } from '@fairlead/part';
import type { Invariant } from '@fairlead/sim';
import { BROKER_NAMESPACE, exports, imports, type Member, NAMESPACE, planOf, type World } from './world.ts';

const SOURCE_CLUSTER = 'multicluster.kubernetes.io/source-cluster';
const SERVICE_NAME = 'multicluster.kubernetes.io/service-name';
const DERIVED_FROM = 'clusterset.fairlead.dev/derived-from';
/** What a leader saw of a record before it acted upon it may be so old. */
const SIGHT_MILLISECONDS = 60_000;

export function invariants(world: World): readonly Invariant[] {
  const withdrawals = new Withdrawals(world);
  return [
    { name: 'nothing of a live cluster is withdrawn', check: () => withdrawals.unfounded() },
    { name: 'each cluster writes in its own namespace', check: () => strangers(world) },
  ];
}

/** Watches the imported slices: one goes only after its cluster has taken its record, or the slice itself, back. */
class Withdrawals {
  readonly #world: World;
  /** `member cluster service` of what is imported. */
  #imported: ReadonlySet<string> = new Set();
  /** `cluster service` -> when the broker last had no record that counts. */
  readonly #absentAt = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  unfounded(): string | undefined {
    const { members, broker, simulation } = this.#world;
    const now = simulation.clock.monotonic();
    const slices = broker.objects(endpointSlices);
    const sliced = new Set(slices.map((slice) => `${sourceOf(slice)} ${serviceOf(slice)}`));
    const records = broker.objects(imports).filter((record) => sourceOf(record) !== '');
    const winners = records.filter((record) => record.spec.type === oldest(records, record).spec.type);
    const ids = winners.map((record) => `${sourceOf(record)} ${serviceOf(record)}`);
    const exported = new Set(ids.filter((id) => sliced.has(id)));
    const imported = new Set<string>();
    for (const member of members.values()) {
      for (const slice of member.objects(endpointSlices)) {
        if (sourceOf(slice) !== '' && sourceOf(slice) !== member.name) {
          imported.add(`${member.name} ${sourceOf(slice)} ${serviceOf(slice)}`);
        }
      }
    }
    for (const entry of [...imported, ...this.#imported]) {
      const id = entry.slice(entry.indexOf(' ') + 1);
      if (!exported.has(id)) this.#absentAt.set(id, now);
    }
    const gone = [...this.#imported].filter((entry) => !imported.has(entry));
    this.#imported = imported;
    const unfounded = gone.find((entry) => {
      const id = entry.slice(entry.indexOf(' ') + 1);
      return now - (this.#absentAt.get(id) ?? Number.NEGATIVE_INFINITY) > SIGHT_MILLISECONDS;
    });
    return unfounded === undefined
      ? undefined
      : `"${unfounded}" (member, cluster, Service) was withdrawn, and is exported`;
  }
}

/** Of the records of the same Service: those of another type lose to it, also before their cluster has seen that. */
function oldest(records: readonly ServiceImport[], { metadata }: ServiceImport): ServiceImport {
  const age = (record: ServiceImport) => `${record.metadata.creationTimestamp} ${sourceOf(record)}`;
  return records
    .filter((record) => record.metadata.name === metadata.name)
    .reduce((first, record) => (age(record) < age(first) ? record : first));
}

function sourceOf({ metadata }: KubeObject): string {
  return metadata.labels?.[SOURCE_CLUSTER] ?? '';
}

function serviceOf({ metadata }: KubeObject): string {
  return metadata.labels?.[SERVICE_NAME] ?? '';
}

function strangers({ broker }: World): string | undefined {
  for (const { metadata } of [...broker.objects(imports), ...broker.objects(endpointSlices)]) {
    const { namespace = '', name } = metadata;
    const cluster = metadata.labels?.[SOURCE_CLUSTER];
    if (namespace === BROKER_NAMESPACE || namespace === `${BROKER_NAMESPACE}-m-${cluster}`) continue;
    return `${namespace}/${name} claims to be of ${cluster}`;
  }
  return undefined;
}

/** Those that have not left. */
function joined({ broker, members }: World): readonly Member[] {
  const alive = broker
    .objects(leases)
    .filter(({ metadata }) => metadata.namespace === BROKER_NAMESPACE && metadata.annotations === undefined)
    .map(({ metadata }) => metadata.name);
  return [...members.values()].filter(({ name }) => alive.includes(name));
}

export async function unfinished(world: World): Promise<string | undefined> {
  for (const member of world.members.values()) {
    const plan = await planOf(world, member);
    const first = plan.changes.find((change) => change.writes > 0);
    if (writesOf(plan) > 0) return `${member.name}: ${first?.subject}: ${first?.detail}`;
  }
  const [one, ...others] = joined(world).map((member) => ({ name: member.name, sight: sightOf(member) }));
  const other = others.find(({ sight }) => sight !== one?.sight);
  return other === undefined ? undefined : `${other.name} does not see what ${one?.name} sees`;
}

/** What a cluster sees of the clusterset, as text. */
function sightOf({ objects }: Member): string {
  const seen = objects(imports)
    .filter(({ metadata }) => metadata.namespace === NAMESPACE)
    // Each cluster derives an address of its own, or none.
    .map(({ metadata, spec, status }) => JSON.stringify([metadata.name, { ...spec, ips: [] }, status?.clusters]))
    .toSorted();
  const slices = objects(endpointSlices)
    .filter((slice) => sourceOf(slice) !== '')
    .map(({ metadata, endpoints, ports }) => JSON.stringify([metadata.name, endpoints, ports]))
    .toSorted();
  return [...seen, ...slices].join();
}

/** Derived Services, and slices behind them, without an import or after they were turned off. */
function leakedDerived({ name, objects, isDeriving }: Member): readonly string[] {
  const imported = new Set(objects(imports).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  return [...objects(services), ...objects(endpointSlices)].flatMap(({ metadata }) => {
    const from = metadata.labels?.[DERIVED_FROM];
    if (from === undefined || (isDeriving() && imported.has(`${metadata.namespace}/${from}`))) return [];
    return [`${metadata.namespace}/${metadata.name} of ${name}`];
  });
}

/** Imports that should have the address of a derived Service, and those that should not. */
function lostAddresses({ name, objects, isDeriving }: Member): readonly string[] {
  return objects(imports).flatMap(({ metadata, spec }) => {
    if (metadata.namespace !== NAMESPACE) return [];
    const derived = objects(services).find((service) => service.metadata.labels?.[DERIVED_FROM] === metadata.name);
    const isWanted = isDeriving() && spec.type === 'ClusterSetIP' && (spec.ports ?? []).length > 0;
    const wanted = isWanted ? (derived?.spec.clusterIP ?? 'one') : '';
    return (spec.ips?.[0] ?? '') === wanted ? [] : [`the address of ${metadata.name} in ${name}`];
  });
}

/** At the broker, without an export behind it; and in clusters, without an import. */
export function leaked(world: World): readonly string[] {
  const { broker, members } = world;
  const isWanted = (cluster: string, service: string) =>
    joined(world).some(({ name }) => name === cluster) &&
    (members.get(cluster)?.objects(exports) ?? []).some(({ metadata }) => metadata.name === service);
  const atBroker = [...broker.objects(imports), ...broker.objects(endpointSlices)].flatMap(({ metadata }) => {
    const cluster = metadata.labels?.[SOURCE_CLUSTER];
    const service = metadata.labels?.[SERVICE_NAME] ?? '';
    if (cluster === undefined || isWanted(cluster, service)) return [];
    return [`${metadata.namespace}/${metadata.name} at the broker`];
  });
  return [...atBroker, ...[...members.values()].flatMap(leakedDerived)];
}

/** Exported, and with no record; or imported, and without its address. */
export function lost(world: World): readonly string[] {
  const records = joined(world).flatMap(({ name, objects }) =>
    objects(exports).flatMap(({ metadata }) => {
      const isValid = objects(services).some((service) => service.metadata.name === metadata.name);
      const namespace = `${BROKER_NAMESPACE}-m-${name}`;
      const isThere = world.broker
        .objects(imports)
        .some(
          (record) =>
            record.metadata.namespace === namespace && record.metadata.name === `${metadata.name}.${NAMESPACE}`,
        );
      return isValid && !isThere ? [`the record of ${metadata.name} of ${name}`] : [];
    }),
  );
  return [...records, ...joined(world).flatMap(lostAddresses)];
}
