import { FairleadError } from '@fairlead/control';
import type { KubeClient, KubeObject, Resource } from '@fairlead/kube';
import { importLabels, isOurs } from '../records/marks.ts';
import type { Member } from './broker-objects.ts';
import { type MembershipStep, removal } from './membership.ts';

/** Says something about a cluster as a whole, for tools of any project. */
interface ClusterProperty extends KubeObject {
  readonly spec: { readonly value: string };
}

const GROUP = 'about.k8s.io';
const VERSIONS = ['v1beta1', 'v1alpha1'];

async function servedProperties(
  client: KubeClient,
  signal: AbortSignal,
): Promise<Resource<ClusterProperty> | undefined> {
  for (const version of VERSIONS) {
    const kind = { group: GROUP, version, plural: 'clusterproperties', kind: 'ClusterProperty', namespaced: false };
    if (await client.serves(kind, { signal })) return kind;
  }
  return undefined;
}

const valuesOf = ({ cluster, clusterset }: Pick<Member, 'cluster' | 'clusterset'>) => [
  ['cluster.clusterset.k8s.io', cluster] as const,
  ['clusterset.k8s.io', clusterset] as const,
];

/**
 * What a cluster that serves ClusterProperties is to say of itself. Rejects when it has another name already: tools
 * that go by it would take one cluster for another.
 */
export async function propertySteps(
  client: KubeClient,
  member: Pick<Member, 'cluster' | 'clusterset'>,
  signal: AbortSignal,
): Promise<readonly MembershipStep[]> {
  const resource = await servedProperties(client, signal);
  if (resource === undefined) return [];
  const steps: MembershipStep[] = [];
  for (const [name, value] of valuesOf(member)) {
    const found = await client.find(resource, { name }, { signal });
    if (found?.spec.value === value) continue;
    if (found !== undefined) {
      const message = `the ClusterProperty ${name} of this cluster is "${found.spec.value}", and not "${value}"`;
      throw new FairleadError(`${message}: join under that name, or change it`, {
        verdict: 'terminal',
        code: 'join-refused',
      });
    }
    const object: ClusterProperty = { metadata: { name, labels: importLabels }, spec: { value } };
    const run = async (stop: AbortSignal) => {
      await client.create(resource, object, { signal: stop });
    };
    steps.push({ text: `create ClusterProperty ${name} of this cluster: ${value}`, run });
  }
  return steps;
}

/** Those that we made. */
export async function removeProperties(client: KubeClient, signal: AbortSignal): Promise<readonly MembershipStep[]> {
  const resource = await servedProperties(client, signal);
  if (resource === undefined) return [];
  const { items } = await client.list(resource, { signal });
  return items.filter(isOurs).map((one) => removal(client, resource, one));
}
