import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 2;
/** After so long a resolver asks its next name server. */
const PATIENCE_MS = 500;
const HEADER_BYTES = 12;

interface Asked {
  readonly at: number;
  readonly server: number;
}

/** What came of all queries: `retried` were not answered well by the first server, `lost` by none of them. */
export interface Counted {
  readonly asked: number;
  readonly retried: number;
  readonly lost: number;
}

/** Asks for one name over and over, as a resolver does that has these servers of this machine as its name servers. */
export class DnsLoad {
  readonly #ports: readonly number[];
  readonly #question: Buffer;
  readonly #socket: Socket = createSocket('udp4');
  readonly #pending = new Map<number, Asked>();
  #asked = 0;
  #retried = 0;
  #lost = 0;
  #isAsking = true;
  #ended: Promise<void> | undefined;

  private constructor(name: string, ports: readonly number[]) {
    this.#ports = ports;
    const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
    this.#question = Buffer.concat([...labels, Buffer.from([0, 0, 1, 0, 1])]);
  }

  static async start(name: string, ports: readonly number[]): Promise<DnsLoad> {
    const load = new DnsLoad(name, ports);
    load.#socket.bind(0, '127.0.0.1');
    await once(load.#socket, 'listening');
    load.#socket.on('message', (reply: Buffer) => load.#receive(reply));
    // A port that no process has any more says so: the query counts as not answered.
    load.#socket.on('error', () => {});
    load.#ended = load.#run();
    return load;
  }

  /** Asks no more, and waits for what was asked. */
  async stop(): Promise<Counted> {
    this.#isAsking = false;
    await this.#ended;
    this.#socket.close();
    return { asked: this.#asked, retried: this.#retried, lost: this.#lost };
  }

  async #run(): Promise<void> {
    while (this.#isAsking || this.#pending.size > 0) {
      if (this.#isAsking) {
        this.#asked += 1;
        this.#ask(this.#asked % 0x10000, 0);
      }
      for (const [id, { at, server }] of this.#pending) {
        if (performance.now() - at > PATIENCE_MS) this.#failed(id, server);
      }
      await sleep(EVERY_MS);
    }
  }

  #ask(id: number, server: number): void {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(id, 0);
    header.writeUInt16BE(1, 4);
    this.#pending.set(id, { at: performance.now(), server });
    this.#socket.send(Buffer.concat([header, this.#question]), this.#ports[server] ?? 0, '127.0.0.1');
  }

  #receive(reply: Buffer): void {
    const id = reply.readUInt16BE(0);
    const asked = this.#pending.get(id);
    const rcode = reply.readUInt8(3) & 0x0f;
    if (asked === undefined) return;
    if (rcode === 0 && reply.readUInt16BE(6) > 0) this.#pending.delete(id);
    else this.#failed(id, asked.server);
  }

  #failed(id: number, server: number): void {
    this.#pending.delete(id);
    if (server === 0) this.#retried += 1;
    if (server + 1 < this.#ports.length) this.#ask(id, server + 1);
    else this.#lost += 1;
  }
}
