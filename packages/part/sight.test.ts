import { seededRandom, VirtualClock } from '@fairlead/control';
import { connectionOver } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { untilReadable } from './sight.ts';

async function* emptyList() {
  yield new TextEncoder().encode('{"metadata":{},"items":[]}');
}

describe('waiting until it can read', () => {
  it('comes back when the server asked it to, and not before', async () => {
    const clock = new VirtualClock();
    const sentAt: number[] = [];
    const send = async () => {
      sentAt.push(clock.monotonic());
      const [status, headers] = sentAt.length === 1 ? [503, { 'retry-after': '20' }] : [200, {}];
      return { status, headers, body: emptyList() };
    };
    const readiness = { set: () => {} };
    const options = { connection: connectionOver({ send }, clock), clock, random: seededRandom(1), readiness };
    const seen = untilReadable(options, ['/api/v1/services'], new AbortController().signal);
    await clock.advance(30_000);
    await seen;
    expect(sentAt).toHaveLength(2);
    expect(sentAt[1]).toBeGreaterThanOrEqual(20_000);
  });
});
