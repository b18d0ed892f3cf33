import { VirtualClock } from '@fairlead/control';
import { refusal } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import type { KuryrLoadBalancer } from '../../resource/types.ts';
import { ParkedResources } from './parked.ts';

const asking = (provider: string): KuryrLoadBalancer => ({ metadata: { name: 'web' }, spec: { provider } });

describe('a resource that was refused', () => {
  it('waits for five minutes while it asks for the same', async () => {
    const clock = new VirtualClock();
    const parked = new ParkedResources(clock);
    parked.failed('shop/web', asking('amphora'), refusal('flavor-unknown', 'none'));
    await clock.advance(60_000);
    expect(parked.again('shop/web', asking('amphora'))).toEqual({ afterMilliseconds: 240_000 });
    await clock.advance(240_000);
    expect(parked.again('shop/web', asking('amphora'))).toBeUndefined();
  });

  it('is tried when it asks for that again, after something else was tried', () => {
    const parked = new ParkedResources(new VirtualClock());
    parked.failed('shop/web', asking('amphora'), refusal('flavor-unknown', 'none'));
    expect(parked.again('shop/web', asking('ovn'))).toBeUndefined();
    expect(parked.again('shop/web', asking('amphora'))).toBeUndefined();
  });
});
