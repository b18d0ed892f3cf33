import { hostname } from 'node:os';
import { messageOf, renderTable } from '@fairlead/control';
import { keyText } from '@fairlead/kube';
import { leaseName, type Part, type PartStatus } from '@fairlead/part';
import { type Format, renderValue } from '../render/format.ts';
import type { Palette } from '../render/palette.ts';
import { oneLine } from '../render/printable.ts';
import { findLeader, type Leader, leaderText } from '../why/leader.ts';
import { askReadiness, type LeaderReadiness } from '../why/leader-readiness.ts';
import type { Output } from '../terminal.ts';
import { type Look, look } from './read-only.ts';

interface ReportedPart extends PartStatus {
  readonly part: string;
  /** It could not look at what it is to tell about. */
  readonly isUnseen?: true;
  /** Of a part that one replica leads. */
  readonly election?: { readonly leader: Leader; readonly lease: string; readonly readiness: LeaderReadiness };
}

/** `fairlead status`: who leads each part, and how it is doing. Tells whether one has no leader, or one that is not ready. */
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
    isWell = reported.every(
      ({ election, isUnseen }) =>
        isUnseen !== true &&
        (election === undefined || (election.leader.kind === 'led' && !isUnready(election.readiness))),
    );
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
  if (configured.runs !== 'leader') return { part: part.name, ...status };
  const { namespace } = configuration.leaderElection;
  const leader = await findLeader(cluster.client, namespace, part.name, environment.clock, signal);
  const readiness = await askReadiness({
    client: cluster.client,
    configuration,
    part: part.name,
    leader,
    here: hostname(),
    signal,
  });
  const lease = keyText({ namespace, name: leaseName(part.name) });
  return { part: part.name, ...status, election: { leader, lease, readiness } };
}

/** What one part cannot see outside hides nothing of the others. */
function unseen(error: unknown, signal: AbortSignal): PartStatus & { readonly isUnseen: true } {
  signal.throwIfAborted();
  return { summary: 'cannot tell how it is doing', figures: {}, problems: [messageOf(error)], isUnseen: true };
}

function renderPart({ part, summary, figures, problems = [], election }: ReportedPart, palette: Palette): string {
  const led = election === undefined ? 'in every replica' : `${leaderText(election.leader)}, Lease ${election.lease}`;
  const rows = Object.entries(figures).map(([name, figure]) => [`  ${name}`, String(figure)]);
  const isLed = election === undefined || election.leader.kind === 'led';
  return [
    `${palette.strong(part)}: ${summary} (${isLed ? led : palette.bad(led)})`,
    ...readinessLines(election, palette),
    ...problems.map((problem) => `  ${palette.bad(oneLine(problem))}`),
    ...renderTable(rows),
  ].join('\n');
}

function readinessLines(election: ReportedPart['election'], palette: Palette): readonly string[] {
  if (election?.leader.kind !== 'led') return [];
  const { readiness } = election;
  if ('unasked' in readiness) return [`  whether its leader is ready could not be asked: ${readiness.unasked}`];
  return readiness.ready ? [] : [`  ${palette.bad(oneLine(`not ready: ${readiness.reason}`))}`];
}

/** One that could not be asked is not held against it. */
function isUnready(readiness: LeaderReadiness): boolean {
  return 'ready' in readiness && !readiness.ready;
}
