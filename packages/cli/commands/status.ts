import { hostname } from 'node:os';
import { messageOf, renderTable } from '@fairlead/control';
import { keyText } from '@fairlead/kube';
import { leaseName, type Part, type PartStatus } from '@fairlead/part';
import { type Format, renderValue } from '../render/format.ts';
import type { Palette } from '../render/palette.ts';
import { oneLine } from '../render/printable.ts';
import { findLeader, type Leader, leaderText } from '../why/leader.ts';
import { askLeaderReadiness, type ReplicaReadiness } from '../why/replica-readiness.ts';
import { askReplicas, replicaLines, type Replicas } from '../why/replicas.ts';
import type { Output } from '../terminal.ts';
import { type Look, look } from './read-only.ts';

interface ReportedPart extends PartStatus {
  readonly part: string;
  /** It could not look at what it is to tell about. */
  readonly isUnseen?: true;
  /** Of a part that one replica leads. */
  readonly election?: { readonly leader: Leader; readonly lease: string; readonly readiness: ReplicaReadiness };
  /** Of a part that all of them run. */
  readonly replicas?: Replicas;
}

/** `fairlead status`: who leads each part, and how it is doing. Tells whether each is led, and ready. */
export async function statusCommand(
  file: string,
  parts: readonly Part[],
  format: Format,
  signal: AbortSignal,
  { print, palette }: Output,
): Promise<{ readonly isWell: boolean }> {
  let isWell = true;
  await look(file, parts, signal, async (seen) => {
    const reported = await Promise.all(seen.active.map((active) => reportOn(active, seen, signal)));
    isWell = reported.every(isPartWell);
    if (format !== 'table') {
      print(renderValue(format, { cluster: seen.cluster.server, parts: reported }));
      return;
    }
    print(`Cluster: ${seen.cluster.name}`);
    for (const part of reported) print(renderPart(part, palette));
  });
  return { isWell };
}

async function reportOn(
  { part, configured }: Look['active'][number],
  { configuration, environment, cluster }: Look,
  signal: AbortSignal,
): Promise<ReportedPart> {
  const status = await configured.status(environment).catch((error: unknown) => unseen(error, signal));
  const question = { client: cluster.client, configuration, part: part.name, here: hostname(), signal };
  if (configured.runs !== 'leader') return { part: part.name, ...status, replicas: await askReplicas(question) };
  const { namespace } = configuration.leaderElection;
  const leader = await findLeader(cluster.client, namespace, part.name, environment.clock, signal);
  const readiness = await askLeaderReadiness(question, leader);
  const lease = keyText({ namespace, name: leaseName(part.name) });
  return { part: part.name, ...status, election: { leader, lease, readiness } };
}

/** What one part cannot see outside hides nothing of the others. */
function unseen(error: unknown, signal: AbortSignal): PartStatus & { readonly isUnseen: true } {
  signal.throwIfAborted();
  return { summary: 'cannot tell how it is doing', figures: {}, problems: [messageOf(error)], isUnseen: true };
}

function isPartWell({ isUnseen, election, replicas }: ReportedPart): boolean {
  if (isUnseen === true) return false;
  if (replicas !== undefined && replicaLines(replicas).wrong.length > 0) return false;
  return election === undefined || (election.leader.kind === 'led' && !isUnready(election.readiness));
}

function renderPart(reported: ReportedPart, palette: Palette): string {
  const { part, summary, figures, problems = [] } = reported;
  const rows = Object.entries(figures).map(([name, figure]) => [`  ${name}`, String(figure)]);
  return [
    `${palette.strong(part)}: ${oneLine(summary)} (${standingText(reported, palette)})`,
    ...readinessLines(reported, palette),
    ...problems.map((problem) => `  ${palette.bad(oneLine(problem))}`),
    ...renderTable(rows),
  ].join('\n');
}

function standingText({ election, replicas }: ReportedPart, palette: Palette): string {
  if (election !== undefined) {
    const led = oneLine(`${leaderText(election.leader)}, Lease ${election.lease}`);
    return election.leader.kind === 'led' ? led : palette.bad(led);
  }
  const ready = replicas === undefined ? [] : replicaLines(replicas).ready;
  return `in every replica${ready.length === 0 ? '' : `: ready in ${ready.join(', ')}`}`;
}

function readinessLines({ election, replicas }: ReportedPart, palette: Palette): readonly string[] {
  if (replicas !== undefined) {
    const { wrong, unasked } = replicaLines(replicas);
    return [...wrong.map((line) => `  ${palette.bad(oneLine(line))}`), ...unasked.map((line) => `  ${oneLine(line)}`)];
  }
  if (election?.leader.kind !== 'led') return [];
  const { readiness } = election;
  if ('unasked' in readiness)
    return [`  ${oneLine(`whether its leader is ready could not be asked: ${readiness.unasked}`)}`];
  return readiness.ready ? [] : [`  ${palette.bad(oneLine(`not ready: ${readiness.reason}`))}`];
}

/** One that could not be asked is not held against it. */
function isUnready(readiness: ReplicaReadiness): boolean {
  return 'ready' in readiness && !readiness.ready;
}
