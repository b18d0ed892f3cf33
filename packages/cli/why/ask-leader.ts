import { codeOf, FairleadError, messageOf } from '@fairlead/control';
import { isNotFound, type KubeClient } from '@fairlead/kube';
import { type Explanation, readClusterId, type Subject } from '@fairlead/part';
import type { Cluster } from '../cluster.ts';
import type { Configuration } from '../configuration/schema.ts';
import { accountToken } from './account-token.ts';
import type { Leader } from './leader.ts';
import {
  askRunning,
  parseAnswer,
  podProxyPath,
  REFUSED,
  type RunningAnswer,
  serverHere,
  tokenHeader,
  whyPath,
} from './running-client.ts';

const DEADLINE_MILLISECONDS = 10_000;

/** What a running Fairlead said, or why none could be asked. */
export type Asked = { readonly answer: RunningAnswer; readonly by: string } | { readonly unasked: string };

/** One that stands by does not know what the leader is at. */
export function explanationIn(asked: Asked): Explanation | undefined {
  if ('unasked' in asked || asked.answer.standing.kind === 'stands-by') return undefined;
  return asked.answer.explanation;
}

export interface Question {
  readonly cluster: Pick<Cluster, 'client' | 'server' | 'isPod'> & {
    readonly connection: Pick<Cluster['connection'], 'token'>;
  };
  readonly configuration: Pick<Configuration, 'http' | 'leaderElection'>;
  readonly part: string;
  readonly leader: Leader;
  readonly subject: Subject;
  readonly signal: AbortSignal;
}

/**
 * Asks the Fairlead at a URL that a person named: it must answer, and be of this cluster. Where we have a certificate
 * and no token, one is asked for as soon as that Fairlead wants one, and not before.
 */
export async function askNamed(server: string, question: Question): Promise<Asked> {
  const { cluster } = question;
  const asked = await askWithToken(server, question);
  if ('unasked' in asked || (await isOfCluster(asked.answer, cluster.client, question.signal))) return asked;
  const message = `the Fairlead at ${server} runs on another cluster than ${cluster.server}`;
  throw new FairleadError(message, { verdict: 'terminal', code: 'other-cluster' });
}

async function askWithToken(server: string, question: Question): Promise<Asked> {
  const { cluster, configuration, part, leader, subject, signal } = question;
  const own = await cluster.connection.token();
  const ask = (token: string | undefined) => unlessRefused(server, askRunning(server, part, subject, token, signal));
  const first = await ask(own);
  if ('answer' in first || own !== undefined) return first;
  const options = { signal, deadlineMilliseconds: DEADLINE_MILLISECONDS };
  const account = await accountToken(cluster.client, configuration, leader, options);
  return 'token' in account ? ask(account.token) : { unasked: `${first.unasked}; ${noToken(account.missing)}` };
}

/** One that answers, and refuses us, is one that we could not ask. */
async function unlessRefused(by: string, asking: Promise<RunningAnswer>): Promise<Asked> {
  try {
    return { answer: await asking, by };
  } catch (error) {
    if (codeOf(error) !== REFUSED) throw error;
    return { unasked: messageOf(error) };
  }
}

function noToken(missing: string): string {
  return `the kubeconfig has no token, and none could be asked for: ${missing}`;
}

/** Asks the replica that leads: through the API server where it is a Pod, and on this machine otherwise. */
export async function askLeader(question: Question): Promise<Asked> {
  const { leader } = question;
  const ways = leader.kind === 'led' ? [askPod, askHere] : [askHere];
  const reasons: string[] = [];
  for (const way of ways) {
    try {
      const asked = await way(question);
      if ('answer' in asked) return asked;
      reasons.push(asked.unasked);
    } catch (error) {
      question.signal.throwIfAborted();
      reasons.push(messageOf(error));
    }
  }
  return { unasked: reasons.join('; ') };
}

async function askPod({ cluster, configuration, part, leader, subject, signal }: Question): Promise<Asked> {
  if (leader.kind !== 'led') return { unasked: 'nobody leads' };
  const { namespace } = configuration.leaderElection;
  const { replica } = leader;
  const pod = podProxyPath(configuration, replica);
  if (pod === undefined) return { unasked: `${replica} is no Pod` };
  const options = { signal, deadlineMilliseconds: DEADLINE_MILLISECONDS };
  // The Lease names the Pod: our own token may be good for more than those may do who can write it.
  const account = await accountToken(cluster.client, configuration, leader, options);
  const token = 'token' in account ? account.token : await cluster.connection.token();
  try {
    const path = `${pod}${whyPath(part, subject)}`;
    const answer = parseAnswer(await cluster.client.getText(path, { ...options, headers: tokenHeader(token) }));
    return { answer, by: replica };
  } catch (error) {
    if (isNotFound(error)) return { unasked: `there is no Pod ${namespace}/${replica}` };
    if (token !== undefined || !('missing' in account)) throw error;
    signal.throwIfAborted();
    return { unasked: `${messageOf(error)}; ${noToken(account.missing)}` };
  }
}

/**
 * The one of the configuration may not be running, or be of another cluster; and since any program may listen there, it
 * is shown no token, but by a Pod its own.
 */
async function askHere({ cluster, configuration, part, subject, signal }: Question): Promise<Asked> {
  const server = serverHere(configuration);
  const token = cluster.isPod ? await cluster.connection.token() : undefined;
  const answer = await askRunning(server, part, subject, token, signal);
  if (await isOfCluster(answer, cluster.client, signal)) return { answer, by: server };
  return { unasked: `the Fairlead at ${server} runs on another cluster` };
}

/** By the UID of kube-system: the same API server has many addresses. Who may not read it has to believe. */
async function isOfCluster(
  { cluster }: RunningAnswer,
  client: Pick<KubeClient, 'get'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (cluster === '') return true;
  try {
    return (await readClusterId(undefined, client, { signal })) === cluster;
  } catch {
    signal.throwIfAborted();
    return true;
  }
}
