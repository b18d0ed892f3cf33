import { FairleadError, readText } from '@fairlead/control';
import { SocketTransport } from '@fairlead/control/adapters';
import type { Part, Subject } from '@fairlead/part';
import { loadConfiguration } from '../configuration/load.ts';
import { renderStory, type Story } from '../render/why.ts';
import { look } from './read-only.ts';

/** `fairlead why`: asks the running Fairlead, which knows what was tried; if none answers, looks for itself. */
export async function whyCommand(
  file: string,
  parts: readonly Part[],
  subject: Subject,
  server: string | undefined,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  const configuration = loadConfiguration(file, parts);
  const stories =
    (await askServer(server ?? `http://${configuration.http.listen.replace(/^:/, 'localhost:')}`, subject, signal)) ??
    (await lookForStories(file, parts, subject, signal));
  const name = subject.namespace === undefined ? subject.name : `${subject.namespace}/${subject.name}`;
  if (stories.length === 0) {
    throw new FairleadError(`there is no ${subject.kind} ${name} in the cluster`, {
      verdict: 'terminal',
      code: 'not-found',
    });
  }
  for (const story of stories) print(renderStory(story));
}

async function lookForStories(
  file: string,
  parts: readonly Part[],
  subject: Subject,
  signal: AbortSignal,
): Promise<readonly Story[]> {
  const stories: Story[] = [];
  await look(file, parts, signal, async ({ active, environment }) => {
    for (const { part, configured } of active) {
      const explanation = await configured.explain(environment, subject);
      if (explanation !== undefined) stories.push({ part: part.name, explanation });
    }
  });
  return stories;
}

/** Undefined when nobody answers there. */
async function askServer(server: string, subject: Subject, signal: AbortSignal): Promise<readonly Story[] | undefined> {
  const transport = new SocketTransport({ tls: {} });
  const query = new URLSearchParams({ kind: subject.kind, name: subject.name });
  if (subject.namespace !== undefined) query.set('namespace', subject.namespace);
  try {
    const response = await transport.send({
      method: 'GET',
      url: `${server}/debug/explain?${query.toString()}`,
      headers: {},
      signal,
    });
    if (response.status !== 200) return undefined;
    return JSON.parse(await readText(response));
  } catch {
    return undefined;
  } finally {
    await transport.close();
  }
}
