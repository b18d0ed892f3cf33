import { FairleadError, silentLogger, VirtualClock } from '@fairlead/control';
import type { EventMessage } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { inbound } from '../testing/keys.ts';
import { LeftoverFailures } from './leftover-failures.ts';

const locked = new FairleadError('the group is locked', { verdict: 'terminal', code: 'ScopeLocked' });

function setUp() {
  const clock = new VirtualClock();
  const told: EventMessage[] = [];
  const logged: string[] = [];
  const failures = new LeftoverFailures({
    clock,
    cluster: { record: (message) => told.push(message) },
    logger: { ...silentLogger, warn: (_, text) => logged.push(text) },
    names: new Map([[inbound('web-uid'), 'shop/web']]),
  });
  return { clock, told, logged, failures };
}

describe('LeftoverFailures', () => {
  it('tells at once, in an Event and in the log, what is left of which Service and why', () => {
    const { told, logged, failures } = setUp();
    failures.failed(inbound('web-uid'), locked);
    const note = 'Leftovers in Azure cannot be deleted: Service shop/web (web-uid). ScopeLocked: the group is locked';
    expect(told).toEqual([{ type: 'Warning', reason: 'DeleteLoadBalancerFailed', note }]);
    expect(logged).toEqual([note]);
  });

  it('repeats itself every ten minutes at most, however many there are, and then counts them', async () => {
    const { clock, told, logged, failures } = setUp();
    for (let second = 0; second < 1_200; second += 1) {
      for (const name of ['web-uid', 'a', 'b', 'c', 'd']) failures.failed(inbound(name), locked);
      await clock.advance(1_000);
    }
    expect(told.map(({ note }) => note)).toEqual([
      'Leftovers in Azure cannot be deleted: Service shop/web (web-uid). ScopeLocked: the group is locked',
      'Leftovers in Azure cannot be deleted: Service shop/web (web-uid), Service a, Service b and 2 more. ' +
        'ScopeLocked: the group is locked',
    ]);
    expect(logged).toHaveLength(2);
  });

  it('forgets those that could be deleted after all', async () => {
    const { clock, told, failures } = setUp();
    failures.failed(inbound('a'), locked);
    await clock.advance(600_000);
    failures.settled(inbound('a'));
    failures.failed(inbound('b'), locked);
    expect(told.at(-1)?.note).toContain('deleted: Service b. ');
  });
});
