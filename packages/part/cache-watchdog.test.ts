import { seededRandom, VirtualClock } from '@fairlead/control';
import { connectionOver } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { untilReadable } from './cache-watchdog.ts';

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

  it('tries each of them, and waits for no answer for ever', async () => {
    const clock = new VirtualClock();
    const asked: string[] = [];
    const send = async ({ url }: { readonly url: string }) => {
      asked.push(new URL(url).pathname);
      if (url.includes('/pods') && asked.length < 5) return new Promise<never>(() => {});
      return { status: 200, headers: {}, body: emptyList() };
    };
    const readiness = { set: () => {} };
    const options = { connection: connectionOver({ send }, clock), clock, random: seededRandom(1), readiness };
    let isSeen = false;
    const seen = untilReadable(options, ['/api/v1/services', '/api/v1/pods'], new AbortController().signal);
    void seen.then(() => (isSeen = true));
    await clock.advance(9_000);
    expect(isSeen).toBe(false);
    await clock.advance(60_000);
    expect(isSeen).toBe(true);
    expect(asked).toHaveLength(6);
  });
});
