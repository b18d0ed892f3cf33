import { FairleadError, type IpRange, parseIpRange } from '@fairlead/control';
import {
  type ConfigMap,
  configMaps,
  type EndpointSlice,
  endpointSlices,
  isAlreadyExists,
  isConflict,
  isNotFound,
  jsonEqual,
  type KubeClient,
  type KubeObject,
  type Lease,
  leases,
  namespaces,
  type Resource,
  statusOf,
} from '@fairlead/kube';
import { type ServiceImport, serviceImports, SOURCE_CLUSTER } from '../mcs/types.ts';
import { CLUSTERSET, isLeaving, LEAVING } from '../records/marks.ts';
import { memberNamespace } from '../records/names.ts';
import { claimsOf, isOfAnother, registrationName } from '../records/registration.ts';
import { type Member, memberObjects, type Placed, sharedObjects } from './broker-objects.ts';

const IMPORTS = serviceImports('v1beta1');

/** One thing that is done at the broker, for people to read before it is done. */
export interface MembershipStep {
  readonly text: string;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * What is missing at the broker for the cluster to be a member. Rejects when the broker is another clusterset's, or the
 * name is another cluster's that it does not replace. Asked again when all is there, there is nothing left to do.
 */
export async function joinSteps(
  client: KubeClient,
  member: Member,
  signal: AbortSignal,
  { replaces = false } = {},
): Promise<readonly MembershipStep[]> {
  await requireOurs(client, member, signal);
  await requireStaying(client, member, signal);
  if (!replaces && (await isTaken(client, member, signal))) {
    throw refused(
      `another cluster is the member ${member.cluster}: choose another name, or give --replace if this one takes its place`,
    );
  }
  await requireFreeRanges(client, member, signal);
  const steps: MembershipStep[] = [];
  for (const one of [...sharedObjects(member), ...memberObjects(member)]) {
    const step = await ensured(client, one, signal);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/**
 * What has to go from the broker for the cluster to be no member: what it exports first, then who it is. Rejects as
 * joining does, so that a name that was mistyped takes no other cluster out.
 */
export async function leaveSteps(
  client: KubeClient,
  member: Member,
  signal: AbortSignal,
): Promise<readonly MembershipStep[]> {
  const { brokerNamespace, cluster } = member;
  await requireOurs(client, member, signal);
  if (await isTaken(client, member, signal)) {
    throw refused(`another cluster is the member ${cluster}: give the name of this one`);
  }
  const lease = await client.find(leases, { namespace: brokerNamespace, name: cluster }, { signal });
  const own = memberNamespace(brokerNamespace, cluster);
  const slices = await client.list<EndpointSlice>(endpointSlices, { namespace: own, signal });
  const records = await client.list(IMPORTS, { namespace: own, signal });
  const shared = await client.list(IMPORTS, { namespace: brokerNamespace, signal });
  const aggregates = shared.items.filter(({ status }) => status?.clusters?.some((one) => one.cluster === cluster));
  const kept = new Set<Resource<KubeObject>>([leases]);
  const objects = memberObjects(member).filter(({ resource }) => !kept.has(resource));
  const there: Placed[] = [];
  for (const one of objects) {
    if ((await client.find(one.resource, one.object.metadata, { signal })) !== undefined) there.push(one);
  }
  const mark = `mark the Lease ${brokerNamespace}/${cluster} as that of a cluster that leaves`;
  return [
    // From here on, its own agent writes nothing more, and the others take it for one that has left.
    ...(lease === undefined || isLeaving(lease)
      ? []
      : [{ text: mark, run: (stop: AbortSignal) => leave(client, member, stop) }]),
    ...slices.items.map((slice) => removal(client, endpointSlices, slice)),
    ...records.items.map((record) => removal(client, IMPORTS, record)),
    ...aggregates.map((aggregate) => ({
      text: `take ${cluster} out of ServiceImport ${brokerNamespace}/${aggregate.metadata.name}`,
      run: (stop: AbortSignal) => takeOut(client, aggregate, cluster, stop),
    })),
    ...there.toReversed().map(({ resource, object }) => removal(client, resource, object)),
  ];
}

async function requireOurs(client: KubeClient, { clusterset, cluster, brokerNamespace }: Member, signal: AbortSignal) {
  const shared = await client.find(namespaces, { name: brokerNamespace }, { signal });
  const other = shared?.metadata.labels?.[CLUSTERSET];
  if (shared !== undefined && other !== clusterset) {
    const whose = other === undefined ? 'of no clusterset' : `of the clusterset ${other}`;
    throw refused(`the namespace ${brokerNamespace} at the broker is ${whose}: choose another with --broker-namespace`);
  }
  const own = await client.find(namespaces, { name: memberNamespace(brokerNamespace, cluster) }, { signal });
  const owner = own?.metadata.labels?.[SOURCE_CLUSTER];
  if (own !== undefined && owner !== cluster) {
    throw refused(
      `the namespace ${own.metadata.name} at the broker belongs to ${owner ?? 'others'}: choose another name`,
    );
  }
}

/** A namespace that is being deleted takes nothing new. */
async function requireStaying(client: KubeClient, { cluster, brokerNamespace }: Member, signal: AbortSignal) {
  for (const name of [brokerNamespace, memberNamespace(brokerNamespace, cluster)]) {
    const found = await client.find(namespaces, { name }, { signal });
    if (found?.metadata.deletionTimestamp === undefined) continue;
    throw refused(`the namespace ${name} at the broker is still being deleted: try again in a moment`);
  }
}

/** Two clusters of one name would each delete what the other exports. */
async function isTaken(client: KubeClient, { brokerNamespace, cluster, uid }: Member, signal: AbortSignal) {
  const key = { namespace: brokerNamespace, name: registrationName(cluster) };
  return isOfAnother(await client.find(configMaps, key, { signal }), uid);
}

/** Where two clusters have the same addresses, a client cannot be led to the right one. */
async function requireFreeRanges(
  client: KubeClient,
  { brokerNamespace, cluster, ranges = [] }: Member,
  signal: AbortSignal,
) {
  const wanted = ranges.map(requireRange);
  if (wanted.length === 0) return;
  const { items } = await client.list(configMaps, { namespace: brokerNamespace, labelSelector: CLUSTERSET, signal });
  for (const [other, ranges] of claimsOf(items)) {
    if (other === cluster) continue;
    for (const taken of ranges) {
      const own = wanted.find((range) => overlap(range, taken));
      if (own === undefined) continue;
      const whose = `${taken.text} of the cluster ${other}`;
      throw refused(`${own.text} overlaps ${whose}: give --translated where addresses are translated between clusters`);
    }
  }
}

function requireRange(text: string): IpRange {
  const range = parseIpRange(text);
  if (range === undefined) throw refused(`"${text}" is no range such as 10.0.0.0/16`);
  return range;
}

function overlap(left: IpRange, right: IpRange): boolean {
  return left.family === right.family && left.first <= right.last && right.first <= left.last;
}

async function ensured(
  client: KubeClient,
  { resource, object }: Placed,
  signal: AbortSignal,
): Promise<MembershipStep | undefined> {
  const { namespace, name } = object.metadata;
  const found = await client.find(resource, object.metadata, { signal });
  const where = namespace === undefined ? name : `${namespace}/${name}`;
  if (found === undefined) {
    return {
      text: `create ${resource.kind} ${where}`,
      run: async (stop) => {
        try {
          await client.create(resource, object, { signal: stop });
        } catch (error) {
          // Another cluster joins at the same time, and what they share is there now.
          if (!isAlreadyExists(error)) throw error;
        }
      },
    };
  }
  const patch = (text: string, change: object) => ({
    text: `${text} ${resource.kind} ${where}`,
    run: async (stop: AbortSignal) => {
      await client.patchMerge<KubeObject>(resource, object.metadata, change, { signal: stop });
    },
  });
  if (resource === configMaps) {
    const [before, after] = [dataOf(found), dataOf(object)];
    // What an operator wrote to it stays, but for what this cluster is admitted with.
    return jsonEqual({ ...before, ...after }, before) ? undefined : patch('admit it with other data:', { data: after });
  }
  if ('rules' in object && !jsonEqual(object.rules, 'rules' in found ? found.rules : undefined)) {
    return patch('bring up to date', { rules: object.rules });
  }
  if (resource !== leases || !isLeaving(found)) return undefined;
  return patch('take back that the cluster leaves, on', { metadata: { annotations: { [LEAVING]: null } } });
}

function dataOf(object: KubeObject & Pick<ConfigMap, 'data'>): Readonly<Record<string, string>> {
  return object.data ?? {};
}

async function leave(client: KubeClient, { brokerNamespace, cluster }: Member, signal: AbortSignal): Promise<void> {
  const patch = { metadata: { annotations: { [LEAVING]: 'true' } } };
  await client.patchMerge<Lease>(leases, { namespace: brokerNamespace, name: cluster }, patch, { signal });
}

export function removal(client: KubeClient, resource: Resource<KubeObject>, { metadata }: KubeObject): MembershipStep {
  const where = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const run = async (signal: AbortSignal) => {
    try {
      await client.delete(resource, metadata, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  return { text: `delete ${resource.kind} ${where}`, run };
}

/** Others may keep the aggregate at the same time: then they take the cluster out, as its record is gone. */
async function takeOut(
  client: KubeClient,
  aggregate: ServiceImport,
  cluster: string,
  signal: AbortSignal,
): Promise<void> {
  const clusters = (aggregate.status?.clusters ?? []).filter((one) => one.cluster !== cluster);
  const { uid = '', resourceVersion = '' } = aggregate.metadata;
  try {
    if (clusters.length === 0) await client.delete(IMPORTS, aggregate.metadata, { uid, resourceVersion, signal });
    else
      await client.update(statusOf(IMPORTS), { ...aggregate, status: { ...aggregate.status, clusters } }, { signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function refused(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'join-refused' });
}
