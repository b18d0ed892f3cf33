import type { Clock } from '@fairlead/control';
import { services } from '@fairlead/kube';
import type { Part, Subject } from '@fairlead/part';
import type { Cluster } from '../cluster.ts';
import { defaults } from '../configuration/schema.ts';
import type { WhyReport } from '../render/why.ts';
import { askLeader, askNamed, explanationIn } from './ask-leader.ts';
import { findLeader, leaderText } from './leader.ts';
import { seenObject } from './seen-object.ts';

const HINT = 'no configuration file tells where Fairlead runs: name one with --config, or a running one with --server';

export interface UnconfiguredQuestion {
  readonly subject: Subject;
  readonly server: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

/**
 * For who has no configuration file, such as an application team: what the leader of the Service's class says where it
 * is to be found at its default place, and what the Service shows by itself otherwise.
 */
export async function reportsWithoutConfiguration(
  cluster: Pick<Cluster, 'client' | 'server' | 'isPod' | 'connection'>,
  parts: readonly Part[],
  { subject, server, clock, signal }: UnconfiguredQuestion,
): Promise<readonly WhyReport[]> {
  const { kind, namespace = '', name } = subject;
  const service = await cluster.client.find(services, { namespace, name }, { signal });
  const seen = await seenObject(cluster.client, subject, signal);
  if (service === undefined || seen === undefined) return [];
  const loadBalancerClass = service.spec?.loadBalancerClass;
  const part = parts.find((one) => one.explains.includes(kind) && one.loadBalancerClass === loadBalancerClass);
  if (loadBalancerClass === undefined || part === undefined)
    return [{ part: 'fairlead', explanation: seen, tried: HINT }];
  const leader = await findLeader(cluster.client, defaults.leaderElection.namespace, part.name, clock, signal);
  const question = { cluster, configuration: defaults, part: part.name, leader, subject, signal };
  const asked = server === undefined ? await askLeader(question) : await askNamed(server, question);
  const explanation = explanationIn(asked) ?? seen;
  const tried = 'unasked' in asked ? `${asked.unasked}; ${HINT}` : asked.answer.entries;
  return [{ part: part.name, explanation, leader: leaderText(leader), tried }];
}
