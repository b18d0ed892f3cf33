import { messageOf } from '@fairlead/control';
import type { Look } from '../commands/read-only.ts';
import { findLeader, leaderText } from '../why/leader.ts';
import { type Finding, well, wrong } from './finding.ts';

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
  { cluster, configuration, environment }: Look,
  { part, configured }: Look['active'][number],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  if (configured.runs !== 'leader') return [];
  const { namespace } = configuration.leaderElection;
  const leader = await findLeader(cluster.client, namespace, part.name, environment.clock, signal);
  if (leader.kind === 'led') return [well(part.name, leaderText(leader))];
  return [wrong(part.name, `${leaderText(leader)}: start fairlead run, or look at the log of its replicas`)];
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
