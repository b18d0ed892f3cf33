import type { Transport } from './counts.ts';

/** An IP address and a port. */
export interface SocketAddress {
  readonly address: string;
  readonly port: number;
}

/**
 * Takes a datagram. Writes the reply into `out`, which is only its own until it returns, and gives the length of the
 * reply; 0 for none, or for one that comes later.
 */
export type DatagramHandler = (bytes: Buffer, out: Buffer, from: SocketAddress) => number;

export interface DatagramSocket {
  readonly local: SocketAddress;
  /** Sends a reply that comes later. */
  send(bytes: Buffer, to: SocketAddress): void;
  close(): Promise<void>;
}

/** A TCP connection as the server writes to it. */
export interface ByteStream {
  readonly from: SocketAddress;
  /** False: it cannot keep up, and says when it can again. */
  write(bytes: Buffer): boolean;
  /** Stops and starts what it delivers. */
  pause(): void;
  resume(): void;
  /** Once the client has read what was written. */
  close(): void;
  /** Now: a client that does not read would keep it open for good. */
  destroy(): void;
}

/** What is told of a connection. */
export interface StreamHandler {
  receive(bytes: Buffer): void;
  drained(): void;
  closed(): void;
}

export interface StreamListener {
  readonly local: SocketAddress;
  /** Takes no more connections; resolves when those that are there have ended. */
  close(): Promise<void>;
}

/** One query to another server. */
export interface Exchange {
  readonly server: SocketAddress;
  readonly transport: Transport;
  readonly bytes: Buffer;
  /** Whether a packet is the reply, and not an attempt to pass for it. */
  readonly accepts: (reply: Buffer) => boolean;
  readonly signal: AbortSignal;
}

/** The network, as the server uses it. */
export interface Sockets {
  /** Whether another process may be answering on what this one listens on, until this one is ready. */
  readonly areHandedOver: boolean;
  /** Rejects with a sentence when the address cannot be had. */
  listenUdp(address: SocketAddress, handler: DatagramHandler): Promise<DatagramSocket>;
  listenTcp(address: SocketAddress, connected: (stream: ByteStream) => StreamHandler): Promise<StreamListener>;
  /** Resolves with the first reply that is accepted, from a port of its own; rejects when there is none. */
  exchange(exchange: Exchange): Promise<Buffer>;
}
