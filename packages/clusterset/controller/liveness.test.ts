import { VirtualClock } from '@fairlead/control';
import type { Lease } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { LEAVING } from '../records/marks.ts';
import { Liveness, parsePolicy } from './liveness.ts';

const lease = (name: string, renewTime: string, annotations = {}): Lease => ({
  metadata: { name, annotations },
  spec: { renewTime },
});

function setUp() {
  const clock = new VirtualClock();
  return { clock, liveness: new Liveness(clock) };
}

describe('a policy', () => {
  it.each([
    ['keep', { kind: 'keep' }],
    ['probe', { kind: 'probe' }],
    ['dropAfter=300', { kind: 'dropAfter', seconds: 300 }],
    ['dropAfter', undefined],
    ['dropAfter=-1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is read from %j', (text, policy) => {
    expect(parsePolicy(text)).toEqual(policy);
  });
});

describe('a cluster', () => {
  it('is silent when its Lease does not change for two minutes by our clock, whatever time stands in it', async () => {
    const { clock, liveness } = setUp();
    liveness.see([lease('a', '2001-01-01T00:00:00Z'), lease('b', '2099-01-01T00:00:00Z')]);
    await clock.advance(119_000);
    liveness.see([lease('a', '2001-01-01T00:00:01Z'), lease('b', '2099-01-01T00:00:00Z')]);
    await clock.advance(1_000);
    expect([liveness.isSilent('a'), liveness.isSilent('b'), liveness.isSilent('unknown')]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is not silent for a time in which the broker could not be read', async () => {
    const { clock, liveness } = setUp();
    liveness.see([lease('a', 'x')]);
    await clock.advance(600_000);
    liveness.startOver();
    expect(liveness.isSilent('a')).toBe(false);
    await clock.advance(120_000);
    expect(liveness.isSilent('a')).toBe(true);
  });

  it('has not left by a time in which the broker could not be read', async () => {
    const { clock, liveness } = setUp();
    liveness.see([]);
    expect(liveness.membership('a')).toBe('missing');
    await clock.advance(599_000);
    liveness.startOver();
    expect(liveness.membership('a')).toBe('missing');
    await clock.advance(599_000);
    expect(liveness.membership('a')).toBe('missing');
    await clock.advance(1_000);
    expect(liveness.membership('a')).toBe('left');
  });

  it('has its endpoints dropped by the policy, and only while it is silent', async () => {
    const { clock, liveness } = setUp();
    liveness.see([lease('a', 'x')]);
    const dropped = (text: string, answers?: boolean) =>
      liveness.isDropped('a', parsePolicy(text) ?? { kind: 'keep' }, answers);
    expect(dropped('probe', false)).toBe(false);
    await clock.advance(200_000);
    expect([dropped('keep', false), dropped('probe'), dropped('probe', true), dropped('probe', false)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect([dropped('dropAfter=200'), dropped('dropAfter=201')]).toEqual([true, false]);
  });

  it('without a Lease is missing, and has left after ten minutes, or when it says so', async () => {
    const { clock, liveness } = setUp();
    liveness.see([lease('a', 'x'), lease('c', 'x', { [LEAVING]: 'true' })]);
    expect(['a', 'b', 'c'].map((one) => liveness.membership(one))).toEqual(['member', 'missing', 'left']);
    await clock.advance(599_999);
    expect(liveness.membership('b')).toBe('missing');
    await clock.advance(1);
    expect(liveness.membership('b')).toBe('left');
    liveness.see([lease('a', 'x'), lease('b', 'x')]);
    expect(liveness.membership('b')).toBe('member');
    liveness.see([lease('a', 'x')]);
    expect(liveness.membership('b')).toBe('missing');
  });

  it('that is never asked for again is forgotten, whatever names there are', async () => {
    const { clock, liveness } = setUp();
    for (let index = 0; index < 100; index += 1) liveness.membership(`forged-${index}`);
    expect(liveness.missed).toBe(100);
    for (let minute = 0; minute < 12; minute += 1) {
      await clock.advance(60_000);
      liveness.see([]);
      liveness.membership('forged-7');
    }
    expect(liveness.missed).toBe(1);
    expect(liveness.membership('forged-7')).toBe('left');
  });
});
