import { createRequire } from 'node:module';
import type { DatagramHandler, DatagramSocket, SocketAddress } from '../server/index.ts';

const BATCH = 64;
const SLOT_BYTES = 4_096;

interface NativeSocket {
  readonly port: number;
  close(): void;
  source(index: number): readonly [address: string, port: number];
  send(bytes: Buffer, address: string, port: number): void;
}

/** The addon: a UDP socket that is read and written in batches. */
export interface BatchUdp {
  open(
    address: string,
    port: number,
    receiveBytes: number,
    incoming: Buffer,
    outgoing: Buffer,
    lengths: Int32Array,
    ports: Uint16Array,
    onBatch: (count: number) => void,
  ): NativeSocket;
}

/** Beside the sources, where `npm run setup` builds it, or beside the bundle. */
const PLACES = ['../native/dist/batch-udp.node', './batch-udp.node'];

/** Undefined where it was not built, as without a compiler, or not for this machine. */
export function loadBatchUdp(): BatchUdp | undefined {
  const load = createRequire(import.meta.url);
  for (const place of PLACES) {
    try {
      const addon: BatchUdp = load(place);
      return addon;
    } catch {
      // The sockets of Node do as well, at a higher cost for each packet.
    }
  }
  return undefined;
}

/** As the socket of Node does, with one system call for many packets. Throws where the address cannot be had. */
export function listenInBatches(
  addon: BatchUdp,
  { address, port }: SocketAddress,
  receiveBytes: number,
  handler: DatagramHandler,
): DatagramSocket {
  const incoming = Buffer.allocUnsafeSlow(BATCH * SLOT_BYTES);
  const outgoing = Buffer.allocUnsafeSlow(BATCH * SLOT_BYTES);
  const replies = Array.from({ length: BATCH }, (_, index) =>
    outgoing.subarray(index * SLOT_BYTES, (index + 1) * SLOT_BYTES),
  );
  const lengths = new Int32Array(BATCH);
  const ports = new Uint16Array(BATCH);
  const sources = Array.from({ length: BATCH }, (_, index) => ({
    get address() {
      return native.source(index)[0];
    },
    get port() {
      return ports[index] ?? 0;
    },
  }));
  const onBatch = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const out = replies[index];
      const from = sources[index];
      if (out === undefined || from === undefined) return;
      const start = index * SLOT_BYTES;
      const bytes = incoming.subarray(start, start + (lengths[index] ?? 0));
      lengths[index] = handler(bytes, out, from);
    }
  };
  const native = addon.open(address, port, receiveBytes, incoming, outgoing, lengths, ports, onBatch);
  let isClosed = false;
  return {
    local: { address, port: native.port },
    isBatched: true,
    send(bytes, to) {
      if (!isClosed) native.send(bytes, to.address, to.port);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      native.close();
    },
  };
}
