import { FairleadError } from '@fairlead/control';
import {
  type ContractEndpoint,
  objectOf,
  Stage,
  type TranscriptEntry,
  textOf,
  valueAt,
} from '@fairlead/sim/kube/contract';
import { type FuzzRequest, isWatch, REFERENCE } from './request.ts';

const WATCH_MILLISECONDS = 1_000;

/** Sends the requests in a namespace that is there already, and returns what the server answered to each. */
export async function playRequests(
  requests: readonly FuzzRequest[],
  endpoint: ContractEndpoint,
  namespace: string,
  /** What another server answered: a watch is left to go on until it has told as much. */
  other: readonly TranscriptEntry[] = [],
): Promise<readonly TranscriptEntry[]> {
  const stage = new Stage(endpoint, namespace);
  const start = textOf(
    valueAt(await stage.quietly('GET', `/api/v1/namespaces/${namespace}/configmaps`), 'metadata', 'resourceVersion'),
  );
  for (const [index, request] of requests.entries()) {
    const expected = other[index]?.events?.length ?? 0;
    await answered(index, play(stage, await resolved(stage, request, start), expected));
  }
  return stage.transcript;
}

/** The server broke the connection in place of an answer. */
export class Unanswered extends Error {
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(`request ${index} has no answer`, { cause });
    this.index = index;
  }
}

async function answered(index: number, playing: Promise<void>): Promise<void> {
  try {
    await playing;
  } catch (error) {
    if (error instanceof FairleadError && error.verdict === 'retriable') throw new Unanswered(index, error);
    throw error;
  }
}

async function play(stage: Stage, request: FuzzRequest, expectedEvents: number): Promise<void> {
  const { method, path, body, ...options } = request;
  if (!isWatch(request)) {
    await stage.call(method, path, body, options);
    return;
  }
  const watch = await stage.watch(path);
  await watch.takeFor(WATCH_MILLISECONDS, expectedEvents);
  watch.close();
}

/** With what only this server knows in place of the references. */
async function resolved(stage: Stage, request: FuzzRequest, start: string): Promise<FuzzRequest> {
  const values = new Map<string, string>();
  const inner = (text: string): string => text.replaceAll('<ns>', stage.namespace).replaceAll('<start>', start);
  for (const [, reference = ''] of `${request.path} ${request.body ?? ''}`.matchAll(REFERENCE)) {
    if (values.has(reference)) continue;
    values.set(reference, await valueOf(stage, inner(reference), start));
  }
  const fill = (text: string): string =>
    text.replaceAll(REFERENCE, (_, reference: string) => values.get(reference) ?? '');
  const { path, body } = request;
  return { ...request, path: fill(path), ...(body !== undefined && { body: fill(body) }) };
}

async function valueOf(stage: Stage, reference: string, start: string): Promise<string> {
  if (reference === 'ns') return stage.namespace;
  if (reference === 'start') return start;
  const [what = '', path = ''] = reference.split(' ');
  const metadata = objectOf((await stage.quietly('GET', path)).metadata);
  return textOf(metadata[what === 'version' ? 'resourceVersion' : what]);
}
