import { withinLease } from '@fairlead/cloud';
import { messageOf } from '@fairlead/control';
import { failure, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { bodies, emulated, group, ids } from '../testing/emulated.ts';
import { clientOptionsOf, longestMillisecondsOf } from './azure-section.ts';

const UPDATE = { action: 'PartialUpdate', serviceRequests: [] } as const;

describe('the deadlines of a part', () => {
  it('are those of each kind of call; by default an update of the gateway has twice as long as the others', async () => {
    const deadlines = { readSeconds: 5, writeSeconds: 8, actionSeconds: 20 };
    for (const [section, expected] of [
      [{ deadlines }, { LIST: 5_000, PUT: 8_000, DELETE: 8_000, POST: 20_000 }],
      [{}, { LIST: 10_000, PUT: 10_000, DELETE: 10_000, POST: 20_000 }],
    ] as const) {
      const asked: Record<string, number> = {};
      const { client, clock } = emulated({
        ...clientOptionsOf(section),
        beforeCall: ({ verb, deadlineMilliseconds }) => void (asked[verb] = deadlineMilliseconds),
      });
      await result(clock, client.put(ids.gateway, bodies.gateway));
      await result(clock, client.list('publicIPAddresses', group));
      await result(clock, client.delete(ids.publicIp('a')));
      await result(clock, client.updateServices(ids.gateway, UPDATE));
      expect(asked).toEqual(expected);
    }
  });

  it('are named when Azure does not answer in time', async () => {
    const { client, clock, emulator } = emulated({
      ...clientOptionsOf({}),
      repeats: { attempts: 1, backoff: { initialMilliseconds: 1, maximumMilliseconds: 1, factor: 1, jitter: 0 } },
    });
    await result(clock, client.put(ids.gateway, bodies.gateway));
    emulator.faults.next({}, { kind: 'delay', milliseconds: 22_000 }, 1_000);
    const messages: string[] = [];
    for (const call of [
      () => client.list('publicIPAddresses', group),
      () => client.put(ids.publicIp('a'), bodies.publicIp),
      () => client.updateServices(ids.gateway, UPDATE),
    ]) {
      messages.push(messageOf(await failure(clock, call())));
    }
    expect(messages).toEqual([
      expect.stringMatching(/not done within 10 s; if this stays, raise deadlines\.readSeconds$/),
      expect.stringMatching(/not done within 10 s; if this stays, raise deadlines\.writeSeconds$/),
      expect.stringMatching(/not done within 20 s; if this stays, raise deadlines\.actionSeconds$/),
    ]);
  });

  it('say how long the longest write of a part may take, of the calls it makes', () => {
    const deadlines = { readSeconds: 60, writeSeconds: 12, actionSeconds: 7 };
    expect(longestMillisecondsOf(['PUT', 'DELETE'], {})).toBe(10_000);
    expect(longestMillisecondsOf(['PUT', 'DELETE', 'POST'], {})).toBe(20_000);
    expect(longestMillisecondsOf(['PUT', 'DELETE', 'POST'], { deadlines })).toBe(12_000);
  });

  it('are what the Lease has to outlive: an update that it does not is not sent, and the error says how long it has to be', async () => {
    const { client, clock, emulator } = emulated({
      ...clientOptionsOf({ deadlines: { readSeconds: 10, writeSeconds: 10, actionSeconds: 20 } }),
      beforeCall: withinLease({ covers: (milliseconds) => milliseconds <= 10_000 }),
    });
    await result(clock, client.put(ids.gateway, bodies.gateway));
    emulator.log.clear();
    const error = await failure(clock, client.updateServices(ids.gateway, UPDATE));
    expect(error).toMatchObject({ code: 'lease-too-short', verdict: 'retriable' });
    expect(error).toMatchObject({ message: expect.stringContaining('leaseDurationSeconds to 30') });
    expect(emulator.log.calls).toEqual([]);
  });
});
