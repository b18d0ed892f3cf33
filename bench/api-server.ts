import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const LAST_VERSION = '200000';

/** Objects of one kind, each as JSON. */
export interface Collection {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: Buffer[];
}

/**
 * Serves objects that never change as an API server does, by path, and documents as they are. Prints its URL; ends when
 * its standard input closes. Below /pages it refuses to stream lists, so that clients have to read pages.
 */
export async function serveApi(
  collections: ReadonlyMap<string, Collection>,
  documents: ReadonlyMap<string, object> = new Map(),
): Promise<void> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://server');
    const isPaged = url.pathname.startsWith('/pages/');
    const collection = collections.get(isPaged ? url.pathname.slice('/pages'.length) : url.pathname);
    const document = documents.get(url.pathname);
    if (document !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    else if (collection === undefined) response.writeHead(404).end();
    else if (!isTrue(url, 'watch')) {
      const isCompressed = request.headers['accept-encoding'] === 'gzip';
      void sendPage(collection, url.searchParams, response, isCompressed);
    } else if (!isTrue(url, 'sendInitialEvents')) response.writeHead(200).flushHeaders();
    else if (isPaged) response.writeHead(422).end('{"kind":"Status","code":422,"reason":"Invalid"}');
    else void sendEvents(collection, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  console.log(`http://127.0.0.1:${address.port}`);
  process.stdin.resume().once('end', () => process.exit());
}

function isTrue({ searchParams }: URL, name: string): boolean {
  return ['true', '1'].includes(searchParams.get(name) ?? '');
}

/** One write for each event, hence one chunk on the wire, as the real one does. */
async function sendEvents(collection: Collection, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  await sendAll(eventsOf(collection), response);
}

function* eventsOf({ kind, apiVersion, items }: Collection): Generator<Buffer> {
  for (const item of items) yield Buffer.concat([Buffer.from('{"type":"ADDED","object":'), item, Buffer.from('}\n')]);
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const object = { kind, apiVersion, metadata: { resourceVersion: LAST_VERSION, annotations } };
  yield Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

/** Compressed as the real one does it: fast rather than small. */
async function sendPage(
  collection: Collection,
  query: URLSearchParams,
  response: ServerResponse,
  isCompressed: boolean,
): Promise<void> {
  const { length } = collection.items;
  const start = Number(query.get('continue') ?? 0);
  const end = Math.min(length, start + Number(query.get('limit') ?? length));
  const page = Readable.from(pageOf(collection, start, end), { objectMode: true });
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  });
  const sent = isCompressed ? pipeline(page, createGzip({ level: 1 }), response) : pipeline(page, response);
  await sent.catch(() => {});
}

function* pageOf({ kind, apiVersion, items }: Collection, start: number, end: number): Generator<Buffer> {
  const metadata = { resourceVersion: LAST_VERSION, ...(end < items.length ? { continue: String(end) } : {}) };
  const head = JSON.stringify({ kind: `${kind}List`, apiVersion, metadata }).slice(0, -1);
  yield Buffer.from(`${head},"items":[`);
  for (const [index, item] of items.slice(start, end).entries()) {
    if (index > 0) yield Buffer.from(',');
    yield item;
  }
  yield Buffer.from(']}');
}

/** Leaves the response open. A client that hangs up in the middle is no failure of ours. */
async function sendAll(pieces: Iterable<Buffer>, response: ServerResponse): Promise<void> {
  await pipeline(Readable.from(pieces, { objectMode: true }), response, { end: false }).catch(() => {});
}
