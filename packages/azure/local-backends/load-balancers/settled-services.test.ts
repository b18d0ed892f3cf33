import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { SettledServices } from './settled-services.ts';

const web = (resourceVersion: string): Service => ({
  metadata: { namespace: 'shop', name: 'web', resourceVersion },
  spec: {},
});

describe('SettledServices', () => {
  it('has a Service in the version in which it was found to be as it should be', () => {
    const settled = new SettledServices();
    expect(settled.has(web('1'))).toBe(false);
    settled.add(web('1'));
    expect([settled.has(web('1')), settled.has(web('2'))]).toEqual([true, false]);
    settled.delete('shop/web');
    expect(settled.has(web('1'))).toBe(false);
  });

  it('has one that is doubted looked at again, and knows then that it was settled before', () => {
    const settled = new SettledServices();
    expect(settled.add(web('1'))).toBe(false);
    settled.doubt('shop/web');
    expect(settled.has(web('1'))).toBe(false);
    expect(settled.add(web('1'))).toBe(true);
    settled.doubtAll();
    expect(settled.has(web('1'))).toBe(false);
    expect(settled.add(web('2'))).toBe(false);
  });

  it('does not begin to know a Service by a doubt', () => {
    const settled = new SettledServices();
    settled.doubt('shop/web');
    expect(settled.add(web('1'))).toBe(false);
  });
});
