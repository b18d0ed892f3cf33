import { FairleadError, messageOf } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { isForbidden, keyText } from '@fairlead/kube';
import type { Explanation, Part, Subject } from '@fairlead/part';
import { openCluster } from '../cluster.ts';
import { defaults } from '../configuration/schema.ts';
import type { ClusterPart } from '../configured-parts.ts';
import { type Format, renderValue } from '../render/format.ts';
import { renderReport, type WhyReport } from '../render/why.ts';
import { askLeader, askNamed, type Asked, explanationIn } from '../why/ask-leader.ts';
import { findLeader, leaderText, replicaOf } from '../why/leader.ts';
import { seenObject } from '../why/seen-object.ts';
import { reportsWithoutConfiguration } from '../why/without-configuration.ts';
import type { Output } from '../terminal.ts';
import { type Look, look } from './read-only.ts';

export interface WhyQuestion {
  readonly subject: Subject;
  /** The one to ask, where a person named it. */
  readonly server: string | undefined;
  readonly format: Format;
}

/**
 * `fairlead why`: asks the replica that leads, and looks at the cluster with our own eyes where none can be asked.
 * Without a file, as an application team is, it tells of Services what they show.
 */
export async function whyCommand(
  file: string | undefined,
  parts: readonly Part[],
  { subject, server, format }: WhyQuestion,
  signal: AbortSignal,
  { print, palette }: Output,
): Promise<void> {
  const tell = (reports: readonly WhyReport[]) => {
    if (reports.length === 0) {
      const message = `there is no ${subject.kind} ${keyText(subject)} in the cluster`;
      throw new FairleadError(message, { verdict: 'terminal', code: 'not-found' });
    }
    if (format !== 'table') print(renderValue(format, reports));
    else for (const report of reports) print(renderReport(report, palette));
  };
  if (file !== undefined) {
    await look(file, parts, signal, async (seen) => tell(await reportsOf(seen, subject, server, signal)));
    return;
  }
  const cluster = await openCluster(defaults, signal);
  try {
    tell(await reportsWithoutConfiguration(cluster, parts, { subject, server, clock: systemClock, signal }));
  } finally {
    await cluster.close();
  }
}

async function reportsOf(
  seen: Look,
  subject: Subject,
  server: string | undefined,
  signal: AbortSignal,
): Promise<readonly WhyReport[]> {
  const told: WhyReport[] = [];
  // One after another: a running Fairlead answers only a few at once.
  for (const active of seen.active.filter(({ part }) => part.explains.includes(subject.kind))) {
    const report = await reportOf(seen, active, subject, server, signal);
    if (report !== undefined) told.push(report);
  }
  // That a Service is not its own is what every other part says of it.
  const concerned = told.filter(({ explanation }) => explanation.state !== 'not-ours');
  return concerned.length > 0 ? concerned : told;
}

async function reportOf(
  { environment, cluster, configuration }: Look,
  { part, configured }: ClusterPart,
  subject: Subject,
  server: string | undefined,
  signal: AbortSignal,
): Promise<WhyReport | undefined> {
  const { namespace } = configuration.leaderElection;
  const leader = await findLeader(cluster.client, namespace, part.name, environment.clock, signal);
  const question = { cluster, configuration, part: part.name, leader, subject, signal };
  const asked = server === undefined ? await askLeader(question) : await askNamed(server, question);
  const told = explanationIn(asked);
  const explain = () => configured.explain(environment, subject);
  const seen = told ?? (await explainHere(explain, cluster, subject, signal));
  if (seen === undefined) return undefined;
  const isLed = told !== undefined || configured.runs !== 'leader' || leader.kind !== 'nobody';
  const explanation = isLed ? seen : withoutLeader(seen);
  const standing = configured.runs === 'leader' ? { leader: standingText(asked) ?? leaderText(leader) } : {};
  return { part: part.name, explanation, ...standing, tried: 'answer' in asked ? asked.answer.entries : asked.unasked };
}

/** While no replica leads, the next step is not taken. */
function withoutLeader(explanation: Explanation): Explanation {
  if (explanation.state !== 'working' || explanation.waitsFor === undefined) return explanation;
  return { ...explanation, waitsFor: 'a replica that leads: nobody does' };
}

function standingText(asked: Asked): string | undefined {
  if ('unasked' in asked || asked.answer.standing.kind !== 'stands-by') return undefined;
  const { leader } = asked.answer.standing;
  return `${asked.by} stands by, ${leader === undefined ? 'nobody' : replicaOf(leader)} leads`;
}

/** With the rights of the user of the kubeconfig; a user who may not read the cluster is told what the object shows. */
async function explainHere(
  explain: () => Promise<Explanation | undefined>,
  { client }: Look['cluster'],
  subject: Subject,
  signal: AbortSignal,
): Promise<Explanation | undefined> {
  try {
    return await explain();
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const seen = await seenObject(client, subject, signal);
    if (seen === undefined) throw error;
    return { ...seen, there: [...seen.there, `more could not be read: ${messageOf(error)}`] };
  }
}
