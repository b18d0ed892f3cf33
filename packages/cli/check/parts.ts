import { hostname } from 'node:os';
import { messageOf } from '@fairlead/control';
import type { Look } from '../commands/read-only.ts';
import { findLeader, leaderText } from '../why/leader.ts';
import { askReplicas, replicaLines } from '../why/replicas.ts';
import { type Finding, well, wrong } from './finding.ts';

const ADVICE = 'start fairlead run, or look at the log of its replicas';

/** Of each part: who leads it, whether what is outside answers, and what the part itself finds amiss. */
export async function partFindings(seen: Look, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    seen.active.map(async (active) => [
      ...(await leaderFinding(seen, active, signal)),
      ...(await outside(seen, active)),
    ]),
  );
  return findings.flat();
}

async function leaderFinding(
  seen: Look,
  { part, configured }: Look['active'][number],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  if (configured.runs !== 'leader') return replicaFindings(seen, part.name, signal);
  const { cluster, configuration, environment } = seen;
  const { namespace } = configuration.leaderElection;
  const leader = await findLeader(cluster.client, namespace, part.name, environment.clock, signal);
  if (leader.kind === 'led') return [well(part.name, leaderText(leader))];
  return [wrong(part.name, `${leaderText(leader)}: ${ADVICE}`)];
}

async function replicaFindings(
  { cluster: { client }, configuration }: Look,
  part: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const replicas = await askReplicas({ client, configuration, part, here: hostname(), signal });
  const { ready, wrong: amiss, unasked } = replicaLines(replicas);
  if (amiss.length > 0) return amiss.map((line) => wrong(part, `${line}: ${ADVICE}`));
  if (ready.length === 0) return [well(part, `whether it is ready ${unasked.join('; ')}`)];
  return [well(part, [`ready in ${ready.join(', ')}`, ...unasked].join('; '))];
}

/** Its status is made from what it finds outside: clouds, gateways, other clusters. */
async function outside(
  { environment }: Look,
  { part, configured }: Look['active'][number],
): Promise<readonly Finding[]> {
  try {
    const { summary, problems = [] } = await configured.status(environment);
    if (problems.length === 0) return [well(part.name, summary)];
    return problems.map((problem) => wrong(part.name, problem));
  } catch (error) {
    environment.signal.throwIfAborted();
    return [wrong(part.name, messageOf(error))];
  }
}
