import { FairleadError, type JournalEntry } from '@fairlead/control';
import { keyText } from '@fairlead/kube';
import type { Part, Subject } from '@fairlead/part';
import { askJournal } from '../journal-client.ts';
import { renderStory, type Story } from '../render/why.ts';
import { type Look, look } from './read-only.ts';

/** `fairlead why`: looks at the cluster, and asks the running Fairlead what it tried. */
export async function whyCommand(
  file: string,
  parts: readonly Part[],
  subject: Subject,
  server: string | undefined,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  await look(file, parts, signal, async (seen) => {
    const stories = await storiesOf(seen, subject, server, signal);
    if (stories.length === 0) {
      const message = `there is no ${subject.kind} ${keyText(subject)} in the cluster`;
      throw new FairleadError(message, { verdict: 'terminal', code: 'not-found' });
    }
    for (const story of stories) print(renderStory(story));
  });
}

async function storiesOf(
  { active, environment, cluster, configuration }: Look,
  subject: Subject,
  server: string | undefined,
  signal: AbortSignal,
): Promise<readonly Story[]> {
  const stories: Story[] = [];
  for (const { part, configured } of active) {
    const explanation = await configured.explain(environment, subject);
    if (explanation === undefined) continue;
    const journal = await journalOf(part.name, subject, cluster.server, server, configuration.http.listen, signal);
    stories.push({ part: part.name, explanation, ...(journal === undefined ? {} : { journal }) });
  }
  return stories;
}

/** A server that was named must answer; the one of the configuration may not be running, or be another cluster's. */
async function journalOf(
  part: string,
  subject: Subject,
  cluster: string,
  named: string | undefined,
  listen: string,
  signal: AbortSignal,
): Promise<readonly JournalEntry[] | undefined> {
  const server = named ?? `http://${listen.replace(/^:/, 'localhost:')}`;
  try {
    const answer = await askJournal(server, part, subject, signal);
    if (answer.cluster === cluster) return answer.entries;
    if (named === undefined) return undefined;
  } catch (error) {
    if (named === undefined) return undefined;
    throw error;
  }
  const message = `the Fairlead at ${server} runs on another cluster than ${cluster}`;
  throw new FairleadError(message, { verdict: 'terminal', code: 'other-cluster' });
}
