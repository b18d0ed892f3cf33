import { Journal, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { Story } from './story.ts';
import { retriable } from './testing/engine-bench.ts';
import { inboundSpec } from './testing/specs.ts';
import { inbound, outbound } from './testing/spots.ts';

describe('Story', () => {
  it('tells of each state, why it came to it, what it waits for and when it tries again', () => {
    const clock = new VirtualClock();
    const journal = new Journal(clock);
    const story = new Story(journal, clock, () => 'shop/web');
    const wait = { failures: 1, notBefore: clock.monotonic() + 900 };
    const after = { kind: 'NotStarted', spec: inboundSpec('web'), wait } as const;
    story.stateChanged({ key: inbound('web'), before: undefined, after, outcome: { ok: false, error: retriable } });
    expect(journal.entries('service shop/web')).toMatchObject([
      { kind: 'state', state: 'NotStarted', because: 'busy' },
      { kind: 'waiting', for: 'its turn to be worked on', retryAt: clock.now() + 900 },
    ]);
  });

  it('names services as people do', () => {
    const clock = new VirtualClock();
    const story = new Story(new Journal(clock), clock, () => undefined);
    expect(story.keyOf(outbound('blue'))).toBe('egress blue');
    expect(story.keyOf(inbound('web-uid'))).toBe('service web-uid');
  });
});
