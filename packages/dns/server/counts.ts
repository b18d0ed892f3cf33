import type { MetricDefinition, Metrics } from '@fairlead/control';
import { RECORD_TYPES, RCODES, type Rcode } from '../wire/index.ts';

export type Transport = 'udp' | 'tcp';

/** Why a packet, or a connection, got no reply. */
export type DropReason = 'no-query' | 'source-port' | 'connection-limit' | 'connection-timeout' | 'oversized';

export const repliesSent: MetricDefinition = {
  name: 'fairlead_dns_replies_total',
  kind: 'counter',
  help: 'Replies of the DNS server, by transport and rcode.',
  labels: ['transport', 'rcode'],
};

export const questionsAsked: MetricDefinition = {
  name: 'fairlead_dns_questions_total',
  kind: 'counter',
  help: 'Questions for names of the zone, by type; types that the zone has none of are "other".',
  labels: ['type'],
};

export const repliesTruncated: MetricDefinition = {
  name: 'fairlead_dns_truncated_total',
  kind: 'counter',
  help: 'Replies that were longer than the client takes.',
};

export const packetsDropped: MetricDefinition = {
  name: 'fairlead_dns_dropped_total',
  kind: 'counter',
  help: 'Packets and connections without a reply, by reason.',
  labels: ['reason'],
};

export const queriesForwarded: MetricDefinition = {
  name: 'fairlead_dns_forwarded_total',
  kind: 'counter',
  help: 'Queries for other zones, by what became of them.',
  labels: ['result'],
};

export const openConnections: MetricDefinition = {
  name: 'fairlead_dns_tcp_connections',
  kind: 'gauge',
  help: 'Open TCP connections.',
};

const TYPE_NAMES = new Map<number, string>(Object.entries(RECORD_TYPES).map(([name, number]) => [number, name]));

/** Counts without allocating, and tells the metrics from time to time. */
export class Counts {
  readonly #replies = { udp: new Map<Rcode, number>(), tcp: new Map<Rcode, number>() };
  readonly #types = new Map<number, number>();
  readonly #drops = new Map<DropReason, number>();
  readonly #forwards = new Map<'answered' | 'failed' | 'refused', number>();
  #truncated = 0;

  constructor() {
    for (const rcode of rcodes) for (const replies of Object.values(this.#replies)) replies.set(rcode, 0);
  }

  reply(transport: Transport, rcode: Rcode): void {
    add(this.#replies[transport], rcode);
  }

  question(type: number): void {
    add(this.#types, TYPE_NAMES.has(type) ? type : 0);
  }

  truncated(): void {
    this.#truncated += 1;
  }

  drop(reason: DropReason): void {
    add(this.#drops, reason);
  }

  forward(result: 'answered' | 'failed' | 'refused'): void {
    add(this.#forwards, result);
  }

  /** Tells what was counted since the last time. */
  flush(metrics: Metrics): void {
    for (const transport of ['udp', 'tcp'] as const) {
      drain(this.#replies[transport], (rcode, by) => metrics.increment(repliesSent, { transport, rcode }, by));
    }
    drain(this.#types, (type, by) => metrics.increment(questionsAsked, { type: TYPE_NAMES.get(type) ?? 'other' }, by));
    drain(this.#drops, (reason, by) => metrics.increment(packetsDropped, { reason }, by));
    drain(this.#forwards, (result, by) => metrics.increment(queriesForwarded, { result }, by));
    if (this.#truncated > 0) metrics.increment(repliesTruncated, {}, this.#truncated);
    this.#truncated = 0;
  }
}

const rcodes = Object.keys(RCODES).filter((text): text is Rcode => text in RCODES);

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function drain<Key>(counts: Map<Key, number>, tell: (key: Key, by: number) => void): void {
  for (const [key, count] of counts) {
    if (count === 0) continue;
    tell(key, count);
    counts.set(key, 0);
  }
}
