// A program inside a network namespace that does what a test tells it, line by line: `{"id":1,"do":"connect",…}`.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { request } from 'node:https';
import { createConnection, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Task } from './tasks.ts';

/** Connections that tests hold open, by name; and those that were accepted. */
const held = new Map<string, Socket>();
const accepted = new Set<Socket>();

const LONGEST_MILLISECONDS = 2_000;

function limit<Result>(work: Promise<Result>, milliseconds = LONGEST_MILLISECONDS): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer')), milliseconds);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Tells whoever connects which address it reached and as whom it is seen; then repeats each line. */
async function serve(addresses: readonly string[], port: number): Promise<string> {
  for (const address of addresses) {
    const server = createServer((socket) => {
      accepted.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => accepted.delete(socket));
      socket.write(`${address} ${socket.remoteAddress}\n`);
      socket.pipe(socket);
    });
    server.listen(port, address);
    await once(server, 'listening');
    const datagrams = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    datagrams.on('message', (_, from) => datagrams.send(`${address} ${from.address}\n`, from.port, from.address));
    datagrams.bind(port, address);
    await once(datagrams, 'listening');
  }
  return 'serving';
}

async function nextLine(socket: Socket): Promise<string> {
  const [data]: unknown[] = await limit(
    Promise.race([once(socket, 'data'), once(socket, 'close').then(() => Promise.reject(new Error('closed')))]),
  );
  return String(data).trim();
}

async function connect({ host, port, from, as, hold }: Extract<Task, { do: 'connect' }>): Promise<string> {
  const socket = createConnection({
    host,
    port,
    ...(from === undefined ? {} : { localPort: from }),
    ...(as === undefined ? {} : { localAddress: as }),
  });
  socket.on('error', () => {});
  try {
    await limit(once(socket, 'connect'));
    const line = await nextLine(socket);
    if (hold !== undefined) held.set(hold, socket);
    return line;
  } finally {
    // A connection that is closed at once with RST leaves its port free for the next.
    if (hold === undefined) socket.resetAndDestroy();
  }
}

async function say(hold: string, text: string): Promise<string> {
  const socket = held.get(hold);
  if (socket === undefined) throw new Error(`nothing is held as ${hold}`);
  socket.write(`${text}\n`);
  return nextLine(socket);
}

/** One datagram from each of many ports; tells how many each backend answered. */
async function datagrams({ host, port, from, count }: Extract<Task, { do: 'datagrams' }>): Promise<object> {
  const counts: Record<string, number> = {};
  let next = from;
  const worker = async () => {
    while (next < from + count) {
      const own = next;
      next += 1;
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      const answered = (async () => {
        const [data]: unknown[] = await Promise.race([
          once(socket, 'message'),
          once(socket, 'error').then(([error]) => Promise.reject(error)),
        ]);
        return String(data).split(' ')[0] ?? '';
      })();
      socket.bind(own);
      socket.connect(port, host, () => socket.send('?'));
      const who = await limit(answered, 1_000).catch((error: Error) => error.message);
      counts[who] = (counts[who] ?? 0) + 1;
      socket.close();
    }
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  return counts;
}

async function ask({ url, method, body, tls }: Extract<Task, { do: 'ask' }>): Promise<unknown> {
  const asked = request(url, { method, agent: false, servername: 'agent', ...tls });
  asked.on('error', () => {});
  const received = Promise.withResolvers<unknown>();
  asked.on('error', (error) => received.reject(error));
  asked.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    response.on('end', () => received.resolve({ status: response.statusCode, body: JSON.parse(text) }));
  });
  asked.end(body);
  return limit(received.promise, 30_000);
}

function perform(task: Task): Promise<unknown> {
  switch (task.do) {
    case 'serve':
      return serve(task.addresses, task.port);
    case 'connect':
      return connect(task);
    case 'say':
      return say(task.hold, task.text);
    case 'push':
      for (const socket of accepted) socket.write(`${task.text}\n`);
      return Promise.resolve(accepted.size);
    case 'hear': {
      const socket = held.get(task.hold);
      return socket === undefined ? Promise.reject(new Error('nothing is held')) : nextLine(socket);
    }
    case 'datagrams':
      return datagrams(task);
    case 'ask':
      return ask(task);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, task }: { id: number; task: Task } = JSON.parse(line);
  perform(task).then(
    (result) => console.log(JSON.stringify({ id, result })),
    (error: NodeJS.ErrnoException) => console.log(JSON.stringify({ id, error: error.code ?? error.message })),
  );
}
process.exit(0);
