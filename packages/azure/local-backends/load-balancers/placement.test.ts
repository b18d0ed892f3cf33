import type { ServiceKey } from '@fairlead/service';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfiguredLoadBalancer } from '../configuration.ts';
import { noLoadBalancerFor, type PlacementRequest, placeServices } from './placement.ts';

const loadBalancers: readonly ConfiguredLoadBalancer[] = [
  { name: 'one', frontends: 'public' },
  { name: 'two', frontends: 'public' },
  { name: 'inside', frontends: 'internal' },
];
const request = (service: ServiceKey, more: Partial<PlacementRequest> = {}): PlacementRequest => ({
  service,
  scope: 'public',
  rules: 1,
  allowed: undefined,
  recorded: undefined,
  rulesThere: 0,
  ...more,
});
const place = (requests: readonly PlacementRequest[], occupied: Readonly<Record<string, number>> = {}) => {
  const placed = placeServices(requests, loadBalancers, new Map(Object.entries(occupied)));
  return requests.map(({ service }) => placed.get(service));
};

describe('placeServices', () => {
  it('takes the load balancer with the fewest rules, and the first on a tie', () => {
    expect(place([request('a/1', { rules: 3 }), request('a/2'), request('a/3'), request('a/4')])).toEqual([
      'one',
      'two',
      'two',
      'two',
    ]);
    expect(place([request('a/1')], { one: 1 })).toEqual(['two']);
  });

  it('leaves a Service where it was placed, however crowded it is there, and however it is spelled', () => {
    expect(place([request('a/1', { recorded: 'ONE' })], { one: 100 })).toEqual(['one']);
  });

  it('takes the word of a record for a place that is full only where the Service has rules', () => {
    const forged = request('a/1', { recorded: 'one' });
    expect(place([forged], { one: 250 })).toEqual(['two']);
    expect(place([forged], { one: 249 })).toEqual(['one']);
    expect(place([{ ...forged, rulesThere: 1 }], { one: 250 })).toEqual(['one']);
    const there = request('a/2', { recorded: 'one', rulesThere: 250, rules: 250 });
    expect(place([forged, there])).toEqual(['two', 'one']);
    expect(place([forged, request('a/3', { recorded: 'one' })], { one: 249 })).toEqual(['one', 'two']);
  });

  it('lets a Service have more rules where it is only while there is room for them', () => {
    const growing = request('a/1', { recorded: 'one', rulesThere: 2, rules: 5 });
    expect(place([growing], { one: 245 })).toEqual(['one']);
    expect(place([growing], { one: 246 })).toEqual(['two']);
    expect(place([growing], { one: 246, two: 246 })).toEqual([undefined]);
    expect(place([{ ...growing, rules: 1 }], { one: 300, two: 300 })).toEqual(['one']);
  });

  it('leaves room for the rules that all of them have when one gets more', () => {
    const [first, second] = [
      request('a/1', { recorded: 'one', rulesThere: 120, rules: 131 }),
      request('a/2', { recorded: 'one', rulesThere: 120, rules: 120 }),
    ];
    expect(place([first, second], { two: 250 })).toEqual([undefined, 'one']);
    expect(
      place(
        [
          { ...first, rules: 130 },
          { ...second, rules: 121 },
        ],
        { two: 250 },
      ),
    ).toEqual(['one', undefined]);
  });

  it('moves a Service that may no longer be where it was', () => {
    expect(place([request('a/1', { recorded: 'one', scope: 'internal' })])).toEqual(['inside']);
    expect(place([request('a/1', { recorded: 'one', allowed: ['Two', 'unknown'] })])).toEqual(['two']);
    expect(place([request('a/1', { recorded: 'gone' })])).toEqual(['one']);
  });

  it('places no Service where its rules would be more than Azure takes', () => {
    expect(place([request('a/1', { rules: 2 })], { one: 249, two: 248 })).toEqual(['two']);
    expect(place([request('a/1', { rules: 2 })], { one: 249, two: 249 })).toEqual([undefined]);
    expect(noLoadBalancerFor(request('a/1'), loadBalancers)).toMatchObject({
      code: 'load-balancers-full',
      message: expect.stringContaining('on one, two,'),
    });
  });

  it('refuses a Service for which there is none, and says what to do', () => {
    const inside = request('a/1', { allowed: ['inside'] });
    expect(place([inside])).toEqual([undefined]);
    expect(noLoadBalancerFor(inside, loadBalancers)).toMatchObject({
      code: 'no-load-balancer',
      message: expect.stringContaining('among inside: add one under'),
    });
  });

  it('spreads new Services so that no load balancer has more than one Service over another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), (count) => {
        const placed = place(Array.from({ length: count }, (_, index) => request(`a/${index}`)));
        const [one, two] = ['one', 'two'].map((name) => placed.filter((chosen) => chosen === name).length);
        expect(Math.abs((one ?? 0) - (two ?? 0))).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('changes nothing when asked again with what it decided', () => {
    const arbitrary = fc.array(
      fc.record({
        scope: fc.constantFrom('public' as const, 'internal' as const),
        rules: fc.integer({ min: 1, max: 5 }),
        recorded: fc.constantFrom(undefined, 'one', 'two', 'inside', 'gone'),
        allowed: fc.constantFrom(undefined, ['one'], ['two', 'inside'], ['gone']),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(arbitrary, (shapes) => {
        const requests = shapes.map((shape, index) => request(`a/${index}`, shape));
        const first = place(requests);
        const recorded = requests.map((entry, index) => ({ ...entry, recorded: first[index] }));
        expect(place(recorded)).toEqual(first);
      }),
    );
  });
});
