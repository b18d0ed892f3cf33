import { seededRandom, VirtualClock } from '@fairlead/control';
import { RecordedMetrics, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { queryFor } from '../testing/queries.ts';
import { Counts, queriesForwarded } from './counts.ts';
import { Forwarder } from './forwarder.ts';
import type { Exchange } from './sockets.ts';

const CLIENT = '192.0.2.9';
const query = queryFor('example.org');
const servers = [
  { address: '192.0.2.1', port: 53 },
  { address: '192.0.2.2', port: 53 },
];

/** The query as a server would send it back. */
function replyTo(bytes: Buffer): Buffer {
  const reply = Buffer.from(bytes);
  reply[2] = 0x81;
  return reply;
}

function forwarder(answer: (asked: Exchange) => Promise<Buffer>) {
  const clock = new VirtualClock();
  const counts = new Counts();
  const asked: Exchange[] = [];
  const exchange = (one: Exchange) => {
    asked.push(one);
    return answer(one);
  };
  const { signal } = new AbortController();
  const times = { timeoutMilliseconds: 2_000, signal };
  const one = new Forwarder({ servers, exchange, counts, clock, random: seededRandom(1), ...times });
  const counted = () => {
    const metrics = new RecordedMetrics();
    counts.flush(metrics);
    return metrics.lines(queriesForwarded);
  };
  return { forwarder: one, asked, clock, counted };
}

describe('a query for another zone', () => {
  it('is asked under another id, and answered under its own', async () => {
    const { forwarder: one, asked, counted } = forwarder(async ({ bytes }) => replyTo(bytes));
    const reply = await one.forward(query, 'tcp', CLIENT);
    expect(reply).toEqual(replyTo(query));
    expect(asked.map(({ server, transport }) => [server, transport])).toEqual([[servers[0], 'tcp']]);
    expect(asked[0]?.bytes.subarray(0, 2)).not.toEqual(query.subarray(0, 2));
    expect(asked[0]?.bytes.subarray(2)).toEqual(query.subarray(2));
    expect(counted()).toEqual(['answered 1']);
  });

  it('accepts only the reply to it', async () => {
    const { forwarder: one, asked } = forwarder(async ({ bytes }) => replyTo(bytes));
    await one.forward(query, 'udp', CLIENT);
    const sent = asked[0]?.bytes ?? Buffer.alloc(0);
    const changed = (at: number, value: number) => {
      const reply = replyTo(sent);
      reply[at] = value;
      return reply;
    };
    const accepts = asked[0]?.accepts ?? (() => false);
    expect(accepts(replyTo(sent))).toBe(true);
    expect(accepts(replyTo(query))).toBe(false);
    expect(accepts(sent)).toBe(false);
    expect(accepts(changed(5, 0))).toBe(false);
    expect(accepts(changed(13, 0x45))).toBe(false);
    expect(accepts(replyTo(sent).subarray(0, -1))).toBe(false);
    expect(accepts(Buffer.alloc(0))).toBe(false);
  });

  it('goes to the next server when one fails or is silent', async () => {
    const silent = forwarder(({ server, bytes }) =>
      server === servers[0] ? new Promise(() => {}) : Promise.resolve(replyTo(bytes)),
    );
    expect(await result(silent.clock, silent.forwarder.forward(query, 'udp', CLIENT))).toEqual(replyTo(query));
    expect(silent.clock.monotonic()).toBe(2_000);
    const failing = forwarder(() => Promise.reject(new Error('refused')));
    expect(await failing.forwarder.forward(query, 'udp', CLIENT)).toBeUndefined();
    expect(failing.asked).toHaveLength(2);
    expect(failing.counted()).toEqual(['failed 1']);
  });

  it('is asked however many were before it, when these were answered or failed', async () => {
    let count = 0;
    const { forwarder: one, counted } = forwarder(async ({ bytes }) => {
      count += 1;
      if (count <= 600) throw new Error('refused');
      return replyTo(bytes);
    });
    for (let turn = 0; turn < 900; turn += 1) await one.forward(query, 'udp', CLIENT);
    expect(counted()).toEqual(['failed 300', 'answered 600']);
  });

  it('leaves nothing behind of a client once it is answered', async () => {
    let isSilent = false;
    const { forwarder: one, asked } = forwarder(({ bytes }) =>
      isSilent ? new Promise(() => {}) : Promise.resolve(replyTo(bytes)),
    );
    await Promise.all([one.forward(query, 'udp', CLIENT), one.forward(query, 'udp', CLIENT)]);
    isSilent = true;
    for (let count = 0; count < 250; count += 1) void one.forward(query, 'udp', CLIENT);
    expect(asked).toHaveLength(252);
  });

  it('is refused while too many wait, of one client or of all', async () => {
    const { forwarder: one, asked, counted } = forwarder(() => new Promise(() => {}));
    for (let count = 0; count < 250; count += 1) void one.forward(query, 'udp', CLIENT);
    expect(await one.forward(query, 'udp', CLIENT)).toBeUndefined();
    expect(asked).toHaveLength(250);
    for (let count = 0; count < 250; count += 1) void one.forward(query, 'udp', '192.0.2.10');
    expect(await one.forward(query, 'udp', '192.0.2.11')).toBeUndefined();
    expect(asked).toHaveLength(500);
    expect(counted()).toEqual(['refused 2']);
  });
});
