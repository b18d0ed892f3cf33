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

const MOST_RCODES = 32;
const MOST_TYPES = 256;
const TYPE_NAMES = new Map<number, string>(Object.entries(RECORD_TYPES).map(([name, number]) => [number, name]));

const isNamed = new Uint8Array(MOST_TYPES);
for (const type of TYPE_NAMES.keys()) isNamed[type] = 1;

/** Counts without allocating or looking anything up, and tells the metrics from time to time. */
export class Counts {
  /** By the number of the rcode. */
  readonly #replies = { udp: new Uint32Array(MOST_RCODES), tcp: new Uint32Array(MOST_RCODES) };
  /** By the number of the type; all that are not named count as 0. */
  readonly #types = new Uint32Array(MOST_TYPES);
  readonly #drops = new Map<DropReason, number>();
  readonly #forwards = new Map<'answered' | 'failed' | 'refused', number>();
  #truncated = 0;

  reply(transport: Transport, rcode: Rcode): void {
    const replies = this.#replies[transport];
    const code = RCODES[rcode];
    replies[code] = (replies[code] ?? 0) + 1;
  }

  question(type: number): void {
    const known = isNamed[type] === 1 ? type : 0;
    this.#types[known] = (this.#types[known] ?? 0) + 1;
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
      const replies = this.#replies[transport];
      for (const rcode of rcodes) {
        const by = taken(replies, RCODES[rcode]);
        if (by > 0) metrics.increment(repliesSent, { transport, rcode }, by);
      }
    }
    for (const [type, name] of [[0, 'other'] as const, ...TYPE_NAMES]) {
      const by = taken(this.#types, type);
      if (by > 0) metrics.increment(questionsAsked, { type: name }, by);
    }
    drain(this.#drops, (reason, by) => metrics.increment(packetsDropped, { reason }, by));
    drain(this.#forwards, (result, by) => metrics.increment(queriesForwarded, { result }, by));
    if (this.#truncated > 0) metrics.increment(repliesTruncated, {}, this.#truncated);
    this.#truncated = 0;
  }
}

const rcodes = Object.keys(RCODES).filter((text): text is Rcode => text in RCODES);

/** What was counted there since the last time. */
function taken(counts: Uint32Array, index: number): number {
  const count = counts[index] ?? 0;
  counts[index] = 0;
  return count;
}

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
