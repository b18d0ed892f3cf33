import { FairleadError, type JournalEntry, messageOf, readText, withDeadline } from '@fairlead/control';
import { SocketTransport, systemClock } from '@fairlead/control/adapters';
import type { Subject } from '@fairlead/part';
import { z } from 'zod';

const DEADLINE_MILLISECONDS = 2_000;

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

const journalAnswer = z.object({ cluster: z.string(), entries: z.array(journalEntry) });

export interface JournalAnswer {
  /** The API server of the cluster that the answering Fairlead runs on. */
  readonly cluster: string;
  readonly entries: readonly JournalEntry[];
}

/** What a running Fairlead recorded of an object. Rejects soon when it does not answer, or something else does. */
export async function askJournal(
  server: string,
  part: string,
  { kind, namespace = '', name }: Subject,
  signal: AbortSignal,
): Promise<JournalAnswer> {
  const path = [part, kind, namespace, name]
    .filter((piece) => piece !== '')
    .map(encodeURIComponent)
    .join('/');
  const transport = new SocketTransport();
  try {
    const deadline = { name: `the Fairlead at ${server}`, milliseconds: DEADLINE_MILLISECONDS };
    const text = await withDeadline(systemClock, deadline, signal, async (limited) =>
      readText(
        await transport.send({ method: 'GET', url: `${server}/debug/journal/${path}`, headers: {}, signal: limited }),
      ),
    );
    return journalAnswer.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof FairleadError ? messageOf(error) : 'what answers there is no Fairlead of this version';
    throw new FairleadError(`cannot ask ${server} what was tried: ${why}`, {
      verdict: 'terminal',
      code: 'journal-unavailable',
      cause: error,
    });
  } finally {
    await transport.close();
  }
}
