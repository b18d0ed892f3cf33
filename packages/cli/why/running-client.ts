import {
  codeOf,
  FairleadError,
  joinHostPort,
  type JournalEntry,
  messageOf,
  readText,
  withDeadline,
} from '@fairlead/control';
import { SocketTransport, systemClock } from '@fairlead/control/adapters';
import type { Explanation, Standing, Subject } from '@fairlead/part';
import { z } from 'zod';
import type { Configuration } from '../configuration/schema.ts';
import { hostOf, portOf, TOKEN_HEADER } from '../server/status-server.ts';

const DEADLINE_MILLISECONDS = 10_000;
const LONGEST_REFUSAL = 300;

/** The code of an error: a Fairlead is there, and does not tell us. */
export const REFUSED = 'journal-refused';
const UNAVAILABLE = 'journal-unavailable';

const POD_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** How the API server hands a request on to a replica; undefined when its name is not that of a Pod. */
export function podProxyPath(
  { http, leaderElection }: Pick<Configuration, 'http' | 'leaderElection'>,
  replica: string,
): string | undefined {
  if (!POD_NAME.test(replica)) return undefined;
  return `/api/v1/namespaces/${leaderElection.namespace}/pods/${replica}:${portOf(http.listen)}/proxy`;
}

/** Where a Fairlead of this configuration listens on this machine. */
export function serverHere({ http: { listen } }: Pick<Configuration, 'http'>): string {
  const host = hostOf(listen);
  return `http://${joinHostPort(host === '' ? 'localhost' : host, portOf(listen))}`;
}

const times = { at: z.number(), lastAt: z.number(), count: z.number() };

const journalEntry: z.ZodType<JournalEntry> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('state'), state: z.string(), because: z.string().optional(), ...times }),
  z.object({
    kind: z.literal('step'),
    step: z.string(),
    call: z.string(),
    outcome: z.enum(['started', 'done', 'failed', 'interrupted']),
    ...times,
  }),
  z.object({ kind: z.literal('call'), call: z.string(), result: z.string(), milliseconds: z.number(), ...times }),
  z.object({
    kind: z.literal('error'),
    code: z.string(),
    verdict: z.enum(['stale', 'retriable', 'terminal']),
    message: z.string(),
    ...times,
  }),
  z.object({ kind: z.literal('waiting'), for: z.string(), retryAt: z.number().optional(), ...times }),
  z.object({ kind: z.literal('note'), text: z.string(), ...times }),
]);

const standing: z.ZodType<Standing> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('leads') }),
  z.object({ kind: z.literal('stands-by'), leader: z.string().optional() }),
  z.object({ kind: z.literal('runs') }),
]);

const explanation: z.ZodType<Explanation> = z.object({
  answer: z.string(),
  state: z.enum(['as-wanted', 'working', 'stuck', 'not-ours']),
  wanted: z.array(z.string()),
  there: z.array(z.string()),
  waitsFor: z.string().optional(),
});

const runningAnswer = z.object({
  cluster: z.string(),
  standing,
  explanation: explanation.optional(),
  entries: z.array(journalEntry),
});

/** What a running Fairlead says of an object. */
export interface RunningAnswer {
  /** The UID of kube-system in the cluster that it runs on; empty when it could not read that. */
  readonly cluster: string;
  readonly standing: Standing;
  /** Undefined when its part has nothing to do with the object. */
  readonly explanation?: Explanation | undefined;
  readonly entries: readonly JournalEntry[];
}

/** Where a running Fairlead tells of an object. */
export function whyPath(part: string, { kind, namespace, name }: Subject): string {
  const words = [part, kind, ...(namespace === undefined ? [] : [namespace]), name];
  return `/debug/why/${words.map(encodeURIComponent).join('/')}`;
}

/** Asks the Fairlead at a URL. Rejects soon, in one line, when it does not answer, refuses, or something else answers. */
export async function askRunning(
  server: string,
  part: string,
  subject: Subject,
  token: string | undefined,
  signal: AbortSignal,
): Promise<RunningAnswer> {
  const transport = new SocketTransport();
  try {
    const deadline = { name: `the Fairlead at ${server}`, milliseconds: DEADLINE_MILLISECONDS };
    const url = `${server}${whyPath(part, subject)}`;
    const headers = tokenHeader(token);
    return await withDeadline(systemClock, deadline, signal, async (limited) => {
      const response = await transport.send({ method: 'GET', url, headers, signal: limited });
      const text = await readText(response);
      if (response.status !== 200) throw refused(text, response.status);
      return parseAnswer(text);
    });
  } catch (error) {
    const message = `cannot ask ${server} what was tried: ${messageOf(error)}`;
    const code = codeOf(error) === REFUSED ? REFUSED : UNAVAILABLE;
    throw new FairleadError(message, { verdict: 'terminal', code, cause: error });
  } finally {
    await transport.close();
  }
}

export function tokenHeader(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { [TOKEN_HEADER]: token };
}

export function parseAnswer(text: string): RunningAnswer {
  try {
    return runningAnswer.parse(JSON.parse(text));
  } catch (error) {
    const message = 'what answers there is no Fairlead of this version';
    throw new FairleadError(message, { verdict: 'terminal', code: UNAVAILABLE, cause: error });
  }
}

function refused(text: string, status: number): FairleadError {
  const said = text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_REFUSAL);
  const code = status === 401 || status === 403 ? REFUSED : UNAVAILABLE;
  return new FairleadError(`${said} (${status})`, { verdict: 'terminal', code });
}
