import { type ImportType, type ServiceImport, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import type { EndpointSlice } from '@fairlead/kube';
import { type DnsSite, NAMESPACE, nameOf } from './names.ts';

/** What there is of one Service. */
export interface ServiceObjects {
  readonly imports: readonly ServiceImport[];
  readonly slices: readonly EndpointSlice[];
}

/**
 * What one reply may say of a name, by the rules as they are written down, and by none of the code that answers: the
 * addresses in order, or the rcode where there are none.
 */
export function rightAnswers(
  { local, clusters, older: olderCluster }: DnsSite,
  service: string,
  name: string,
  objects: ServiceObjects,
): ReadonlySet<string> {
  const older = objects.imports.find(({ metadata }) => metadata.name === `${service}-${NAMESPACE}-${olderCluster}`);
  const aggregate = objects.imports.find(({ metadata }) => metadata.name === service);
  const type = (aggregate ?? older)?.spec.type;
  if (type === undefined) return new Set(['NXDOMAIN']);
  const shares = new Map(
    clusters.map((cluster) => [
      cluster,
      addressesIn(cluster, type, objects, cluster === olderCluster ? older : undefined),
    ]),
  );
  const base = nameOf(service);
  if (name !== base) return one(shares.get(name.slice(0, -base.length - 1)) ?? [], 'NXDOMAIN');
  if (type === 'Headless') return one([...shares.values()].flat(), 'NXDOMAIN');
  const ofAll = aggregate?.spec.ips ?? [];
  if (ofAll.length > 0) return one(ofAll, 'NOERROR');
  const own = shares.get(local) ?? [];
  const backed = own.length > 0 ? [own] : [...shares.values()].filter((addresses) => addresses.length > 0);
  return backed.length === 0 ? new Set(['NOERROR']) : new Set(backed.map(reply));
}

/** Those of its slices; while a cluster before aggregation has a ServiceImport of its own, what that names instead. */
function addressesIn(
  cluster: string,
  type: ImportType,
  { slices }: ServiceObjects,
  older: ServiceImport | undefined,
): readonly string[] {
  const own = slices.filter(({ metadata }) => metadata.labels?.[SOURCE_CLUSTER] === cluster);
  const ready = own
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses);
  if (older === undefined) return ready;
  const isWithoutPods = own.length > 0 && ready.length === 0;
  return older.spec.type !== type || isWithoutPods ? [] : (older.spec.ips ?? []);
}

function one(addresses: readonly string[], otherwise: string): ReadonlySet<string> {
  return new Set([addresses.length === 0 ? otherwise : reply(addresses)]);
}

function reply(addresses: readonly string[]): string {
  return [...new Set(addresses)].toSorted().join(' ');
}
