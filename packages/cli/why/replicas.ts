import { messageOf } from '@fairlead/control';
import { type CallOptions, type KubeClient, type Pod, pods } from '@fairlead/kube';
import { askReplica, type ReadinessQuestion, type ReplicaReadiness } from './replica-readiness.ts';
import { serverHere } from './running-client.ts';

/** The chart has it on the Pods of every release, whatever the release and its parts are called. */
export const REPLICA_LABEL = 'fairlead.dev/replica';

/** What the replicas say that could be asked, and what could not be. */
export interface Replicas {
  readonly asked: readonly { readonly replica: string; readonly readiness: ReplicaReadiness }[];
  readonly unasked?: string;
  /** It was looked for replicas everywhere, and there is none. */
  readonly isNone?: true;
}

export interface ReplicasQuestion extends ReadinessQuestion {
  readonly client: Pick<KubeClient, 'getText' | 'list'>;
}

type Found = { readonly pods: readonly Pod[] } | { readonly unlisted: string };

/** Asks each replica of a part that runs in all: the Pods of the chart, or where there is none the one on this machine. */
export async function askReplicas(question: ReplicasQuestion): Promise<Replicas> {
  const found = await findPods(question);
  if ('unlisted' in found) return askAlone(question, `other replicas: ${found.unlisted}`);
  if (found.pods.length === 0) {
    const { namespace } = question.configuration.leaderElection;
    const alone = await askAlone(question, `there is no Pod with the label ${REPLICA_LABEL} in ${namespace}`);
    const { unasked, ...asked } = alone;
    return alone.asked.length > 0 || unasked === undefined ? asked : { ...alone, isNone: true };
  }
  const answers = await Promise.all(
    found.pods.map(async (pod) => ({ replica: pod.metadata.name, readiness: await askPod(question, pod) })),
  );
  const asked = answers.flatMap(({ replica, readiness }) =>
    readiness === 'elsewhere' ? [] : [{ replica, readiness }],
  );
  if (asked.length > 0) return { asked };
  return { asked, unasked: `none of its Pods runs ${question.part}`, isNone: true };
}

/** In words, a line each. One that could not be asked is not held against it; that there is none is. */
export function replicaLines({ asked, unasked, isNone }: Replicas): {
  readonly ready: readonly string[];
  readonly wrong: readonly string[];
  readonly unasked: readonly string[];
} {
  const open = unasked === undefined ? [] : [unasked];
  const others = asked.flatMap(({ replica, readiness }) =>
    'unasked' in readiness ? [`${replica}: ${readiness.unasked}`] : [],
  );
  const unready = asked.flatMap(({ replica, readiness }) =>
    'ready' in readiness && !readiness.ready ? [`not ready in ${replica}: ${readiness.reason}`] : [],
  );
  return {
    ready: asked.flatMap(({ replica, readiness }) => ('ready' in readiness && readiness.ready ? [replica] : [])),
    wrong: isNone === true ? open.map((where) => `no replica is found: ${where}`) : unready,
    unasked: (isNone === true ? [] : [...others, ...open]).map((what) => `could not be asked: ${what}`),
  };
}

/** The Pods of Fairlead that have not come to their end. */
export async function replicaPods(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
  options: CallOptions,
): Promise<readonly Pod[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: REPLICA_LABEL, ...options });
  return items.filter(isAlive);
}

async function findPods({ client, configuration, signal }: ReplicasQuestion): Promise<Found> {
  try {
    return { pods: await replicaPods(client, configuration.leaderElection.namespace, { signal }) };
  } catch (error) {
    signal.throwIfAborted();
    return { unlisted: messageOf(error) };
  }
}

function isAlive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** A Pod that does not answer may be known not to be ready all the same. */
async function askPod(question: ReplicasQuestion, pod: Pod): Promise<ReplicaReadiness | 'elsewhere'> {
  const readiness = await askReplica(question, pod.metadata.name);
  if (readiness === 'elsewhere' || 'ready' in readiness) return readiness;
  const condition = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (condition === undefined || condition.status === 'True') return readiness;
  return { ready: false, reason: `its Pod is not: ${condition.message ?? condition.reason ?? 'it does not say why'}` };
}

/** The one on this machine; `others` is why no other could be asked. */
async function askAlone(question: ReplicasQuestion, others: string): Promise<Replicas> {
  const { here, part, configuration } = question;
  const readiness = await askReplica(question, here);
  if (readiness === 'elsewhere') {
    return { asked: [], unasked: `${others}; the Fairlead at ${serverHere(configuration)} runs no ${part}` };
  }
  if ('unasked' in readiness) return { asked: [], unasked: `${others}; ${readiness.unasked}` };
  return { asked: [{ replica: here, readiness }], unasked: others };
}
