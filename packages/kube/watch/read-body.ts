import { isRecord } from '@fairlead/control';
import { parseJson, unexpectedAnswer } from '../api/decode.ts';
import { LineSplitter } from './line-splitter.ts';
import { ListSplitter } from './list-splitter.ts';
import { decodeWatchEvent, type WatchEvent } from './watch-event.ts';
import type { WorkSlices } from './work-slices.ts';

/** The events of a watch as they arrive. */
export async function* readWatchEvents(
  path: string,
  body: AsyncIterable<Uint8Array>,
  slices: WorkSlices,
): AsyncGenerator<WatchEvent, void> {
  const lines = new LineSplitter();
  for await (const piece of body) {
    lines.push(piece);
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      yield decodeWatchEvent(path, line);
      if (slices.isOver) await slices.pause();
    }
  }
}

/** What stands around the items of a page. */
export interface PageEnvelope {
  readonly resourceVersion: string;
  /** Leads to the next page; undefined on the last. */
  readonly continueToken: string | undefined;
}

/** Reads one page of a list, and hands over each item as soon as it is there. */
export async function readListPage(
  path: string,
  body: AsyncIterable<Uint8Array>,
  slices: WorkSlices,
  take: (item: unknown) => void,
): Promise<PageEnvelope> {
  const items = new ListSplitter();
  for await (const piece of body) {
    items.push(piece);
    for (let item = items.next(); item !== undefined; item = items.next()) {
      take(parseJson(path, item));
      if (slices.isOver) await slices.pause();
    }
  }
  const list = parseJson(path, items.envelope);
  if (!isRecord(list) || !isRecord(list['metadata'])) throw unexpectedAnswer(path, 'is not a list');
  const { resourceVersion, continue: token } = list['metadata'];
  return {
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    continueToken: typeof token === 'string' && token !== '' ? token : undefined,
  };
}
