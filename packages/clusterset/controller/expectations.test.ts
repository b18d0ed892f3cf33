import { VirtualClock } from '@fairlead/control';
import { endpointSlices, type KubeObject } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { Write } from '../decision/write.ts';
import { Expectations } from './expectations.ts';

const object = (resourceVersion: string, uid = 'one'): KubeObject => ({
  metadata: { namespace: 'shop', name: 'web', resourceVersion, uid },
});

function setUp() {
  const clock = new VirtualClock();
  const cached: { object?: KubeObject | undefined } = {};
  const expectations = new Expectations(clock, (at, plural, key) =>
    at === 'broker' && plural === 'endpointslices' && key === 'shop/web' ? cached.object : undefined,
  );
  const write = (verb: Write['verb'], before: KubeObject): Write => ({
    verb,
    at: 'broker',
    resource: endpointSlices,
    object: before,
    preconditions: [],
    ifItDiesHere: '',
  });
  return { clock, cached, expectations, write };
}

describe('what was written', () => {
  it('is waited for until the cache has it, or what came after it', () => {
    const { cached, expectations, write } = setUp();
    cached.object = object('5');
    expectations.note('shop/web', write('update', object('5')), object('7'));
    expect(expectations.waitsFor('shop/web')).toBeGreaterThan(0);
    expect(expectations.waitsFor('shop/other')).toBe(0);
    cached.object = object('8');
    expect(expectations.waitsFor('shop/web')).toBe(0);
  });

  it('is waited for no longer than ten seconds: a cache may never have it', async () => {
    const { clock, expectations, write } = setUp();
    expectations.note('shop/web', write('create', object('5')), object('7'));
    expect(expectations.waitsFor('shop/web')).toBe(10_000);
    await clock.advance(10_000);
    expect(expectations.waitsFor('shop/web')).toBe(0);
  });

  it('and deleted is waited for until the cache has it no more, or another of its name', () => {
    const { cached, expectations, write } = setUp();
    cached.object = object('5');
    expectations.note('shop/web', write('delete', object('5')), undefined);
    expect(expectations.waitsFor('shop/web')).toBeGreaterThan(0);
    cached.object = object('9', 'two');
    expect(expectations.waitsFor('shop/web')).toBe(0);
  });
});
