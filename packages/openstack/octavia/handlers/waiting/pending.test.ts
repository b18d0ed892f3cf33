import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { PendingWaits } from './pending.ts';

describe('the pauses between looks at a load balancer that is PENDING', () => {
  it('grow while Octavia is at one change, and begin anew with the next', () => {
    const waits = new PendingWaits(new VirtualClock());
    const pauses = () => [1, 2, 3].map(() => Math.round(waits.again('a').afterMilliseconds));
    expect(pauses()).toEqual([1_000, 1_600, 2_560]);
    waits.changed('a');
    expect(pauses()).toEqual([1_000, 1_600, 2_560]);
  });

  it('grow over all changes of one that is never as it should be, until it is', () => {
    const waits = new PendingWaits(new VirtualClock());
    const pause = () => {
      waits.changed('a');
      return waits.again('a').afterMilliseconds;
    };
    const pauses = Array.from({ length: 120 }, pause);
    expect([pauses[99], pauses.at(-1)]).toEqual([1_000, 15_000]);
    waits.over('a');
    expect(pause()).toBe(1_000);
  });
});
