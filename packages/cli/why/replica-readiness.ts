import { messageOf, readText, withDeadline } from '@fairlead/control';
import { SocketTransport, systemClock } from '@fairlead/control/adapters';
import type { KubeClient } from '@fairlead/kube';
import type { Readiness } from '@fairlead/part';
import type { Configuration } from '../configuration/schema.ts';
import type { Leader } from './leader.ts';
import { podProxyPath, serverHere } from './running-client.ts';

const DEADLINE_MILLISECONDS = 5_000;

/** What a replica says of a part, or why it could not be asked. */
export type ReplicaReadiness = Readiness | { readonly unasked: string };

export interface ReadinessQuestion {
  readonly client: Pick<KubeClient, 'getText'>;
  readonly configuration: Pick<Configuration, 'http' | 'leaderElection'>;
  readonly part: string;
  /** The name that a Fairlead on this machine goes by. */
  readonly here: string;
  readonly signal: AbortSignal;
}

/** Asks the replica that leads whether the part is ready. */
export async function askLeaderReadiness(question: ReadinessQuestion, leader: Leader): Promise<ReplicaReadiness> {
  if (leader.kind !== 'led') return { unasked: 'nobody leads' };
  const said = await askReplica(question, leader.replica);
  return said === 'elsewhere' ? { unasked: `${leader.replica} runs no ${question.part}` } : said;
}

/**
 * Asks a replica whether the part is ready: on this machine, or through the API server where it is a Pod; `elsewhere`
 * when it does not run the part.
 */
export async function askReplica(
  question: ReadinessQuestion,
  replica: string,
): Promise<ReplicaReadiness | 'elsewhere'> {
  const { here, part, signal } = question;
  try {
    const said = replica === here ? await askHere(question) : await askPod(question, replica);
    return readinessIn(part, said) ?? { unasked: `${replica} answers as no Fairlead of this version does` };
  } catch (error) {
    signal.throwIfAborted();
    // A Pod that is not ready says so with 503, which arrives as an error with its words.
    return readinessIn(part, messageOf(error)) ?? { unasked: messageOf(error) };
  }
}

async function askPod({ client, configuration, part, signal }: ReadinessQuestion, replica: string): Promise<string> {
  const pod = podProxyPath(configuration, replica);
  if (pod === undefined) return Promise.reject(new Error(`${replica} is no Pod, and not this machine`));
  return client.getText(`${pod}/readyz/${part}`, { signal, deadlineMilliseconds: DEADLINE_MILLISECONDS });
}

async function askHere({ configuration, part, signal }: ReadinessQuestion): Promise<string> {
  const server = serverHere(configuration);
  const transport = new SocketTransport();
  const deadline = { name: `the Fairlead at ${server}`, milliseconds: DEADLINE_MILLISECONDS };
  try {
    return await withDeadline(systemClock, deadline, signal, async (limited) =>
      readText(await transport.send({ method: 'GET', url: `${server}/readyz/${part}`, headers: {}, signal: limited })),
    );
  } finally {
    await transport.close();
  }
}

function readinessIn(part: string, said: string): Readiness | 'elsewhere' | undefined {
  const [, reason] = said.split(`${part}: not ready: `);
  if (reason !== undefined) return { ready: false, reason: reason.replace(/ \(503 \w+\)$/, '').trim() };
  if (said.includes(`no part named ${part} runs here`)) return 'elsewhere';
  return said.includes(`${part}: ready`) ? { ready: true } : undefined;
}
