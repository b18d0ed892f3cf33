import { type ServiceKey, toServiceKey } from '@fairlead/service';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { NodeClaims, type RuleClaim } from './node-claims.ts';
import { RulesPerNode } from './rules-per-node.ts';

const claim = (service: ServiceKey, rules: number, createdAt = '2026-01-01T00:00:00Z'): RuleClaim => ({
  service,
  rules,
  createdAt,
});
const withClaims = (...claims: readonly RuleClaim[]) => {
  const rules = new RulesPerNode();
  for (const each of claims) rules.set('a', each);
  return rules;
};

describe('the rules that lead to a node', () => {
  it('are 250 at most, those of others than us leaving room for fifty more', () => {
    const rules = withClaims(claim('shop/web', 200), claim('shop/new', 50));
    expect(rules.hasRoom('a', 'shop/new')).toBe(true);
    rules.set('a', claim('shop/new', 51));
    expect(['shop/web', 'shop/new'].map((each) => rules.hasRoom('a', toServiceKey(each)))).toEqual([false, true]);
    rules.set('b', claim('shop/new', 251));
    expect(rules.hasRoom('b', 'shop/new')).toBe(false);
    expect(rules.hasRoom('b', 'shop/web')).toBe(true);
  });

  it('are those of Services with few of them first, and then of the oldest', () => {
    const [small, old, young] = [
      claim('shop/small', 1, '2026-03-01T00:00:00Z'),
      claim('shop/z-old', 125, '2026-01-01T00:00:00Z'),
      claim('shop/a-young', 125, '2026-02-01T00:00:00Z'),
    ];
    const rules = withClaims(young, old, small);
    expect([small, old, young].map((each) => rules.hasRoom('a', each.service))).toEqual([true, true, false]);
    rules.delete('a', small.service);
    expect([old, young].map((each) => rules.hasRoom('a', each.service))).toEqual([true, true]);
  });

  it('are shared by namespaces: no number of Services in one takes a node away from those in others', () => {
    const many = Array.from({ length: 300 }, (_, index) => claim(`crowd/s${index}`, 1, '2025-01-01T00:00:00Z'));
    const [web, api] = [claim('shop/web', 2), claim('shop/api', 100)];
    const rules = withClaims(...many, api, web);
    const admitted = () => many.filter((each) => rules.hasRoom('a', each.service)).length;
    expect([rules.hasRoom('a', web.service), rules.hasRoom('a', api.service), admitted()]).toEqual([true, true, 148]);
    // What the one cannot have, the other gets.
    rules.set('a', claim('shop/api', 249));
    expect([rules.hasRoom('a', web.service), rules.hasRoom('a', api.service), admitted()]).toEqual([true, false, 248]);
  });

  it('are those of a Service that is new only where there is room beside all others', () => {
    const [large, small] = [claim('shop/large', 200), claim('shop/small', 60)];
    const rules = withClaims(large, { ...small, isNew: true });
    expect([large, small].map((each) => rules.hasRoom('a', each.service))).toEqual([true, false]);
    rules.set('a', small);
    expect([large, small].map((each) => rules.hasRoom('a', each.service))).toEqual([false, true]);
  });

  it('are also those of who comes after one that there is no room for', () => {
    const [first, tooLarge, last] = [claim('shop/web', 100), claim('bank/large', 200), claim('shop/api', 150)];
    const rules = withClaims(first, tooLarge, last);
    expect([first, tooLarge, last].map((each) => rules.hasRoom('a', each.service))).toEqual([true, false, true]);
  });

  it('are not taken from a Service by a new one of its own namespace', () => {
    const [old, other] = [claim('shop/old', 126, '2026-01-01T00:00:00Z'), claim('bank/web', 126)];
    const younger = { ...other, createdAt: '2026-02-01T00:00:00Z' };
    const rules = withClaims(old, younger, { ...claim('shop/new', 1), isNew: true });
    expect([old, younger].map((each) => rules.hasRoom('a', each.service))).toEqual([true, false]);
  });

  it('are shared by namespaces as they are now: those of Services that left count no more', () => {
    const [shops, banks] = [claim('shop/new', 130), claim('bank/new', 140)];
    const rules = withClaims(claim('shop/web', 1), claim('shop/gone', 100));
    rules.delete('a', 'shop/gone');
    for (const each of [shops, banks]) rules.set('a', { ...each, isNew: true });
    expect([shops, banks].map((each) => rules.hasRoom('a', each.service))).toEqual([true, false]);
  });

  it('are not looked at one by one any more once those have left that crowded the node', () => {
    const claims = new NodeClaims();
    for (const each of [claim('shop/web', 200), claim('shop/api', 51)]) claims.set(each);
    expect(claims.admitted()).toEqual(new Set(['shop/api']));
    claims.delete('shop/api');
    expect(claims.admitted()).toBe('all');
  });

  it('are in the same order every time where two are of the same age', () => {
    const [first, second] = [claim('shop/a', 130), claim('shop/b', 130)];
    for (const rules of [withClaims(first, second), withClaims(second, first)]) {
      expect([first, second].map((each) => rules.hasRoom('a', each.service))).toEqual([true, false]);
    }
  });

  it('are counted once for each Service, as it is now', () => {
    const rules = withClaims(claim('shop/web', 240), claim('shop/web', 10), claim('shop/new', 240));
    expect(rules.claimants('a')).toEqual(['shop/web', 'shop/new']);
    expect([rules.hasRoom('a', 'shop/web'), rules.hasRoom('a', 'shop/new')]).toEqual([true, true]);
    rules.delete('a', 'shop/new');
    rules.delete('a', 'shop/web');
    rules.delete('a', 'shop/web');
    rules.set('a', claim('shop/new', 250));
    expect([rules.claimants('a'), rules.hasRoom('a', 'shop/new')]).toEqual([['shop/new'], true]);
  });
});

/** Who has room, found by looking at all of them. */
function admittedOf(claims: readonly RuleClaim[]): ReadonlySet<ServiceKey> {
  const byNews = (left: RuleClaim, right: RuleClaim) => Number(left.isNew ?? false) - Number(right.isNew ?? false);
  const age = ({ createdAt, service }: RuleClaim) => `${createdAt} ${service}`;
  const byAge = (left: RuleClaim, right: RuleClaim) => (age(left) < age(right) ? -1 : 1);
  const total = new Map<string, number>();
  const sorted = claims.toSorted(
    (left, right) => byNews(left, right) || left.rules - right.rules || byAge(left, right),
  );
  const shares = sorted.map((each) => {
    const [namespace = ''] = each.service.split('/');
    const share = (total.get(namespace) ?? 0) + each.rules;
    total.set(namespace, share);
    return { each, share };
  });
  const admitted = new Set<ServiceKey>();
  let rules = 0;
  for (const { each } of shares.toSorted(
    (left, right) => byNews(left.each, right.each) || left.share - right.share || byAge(left.each, right.each),
  )) {
    if (rules + each.rules > 250) continue;
    rules += each.rules;
    admitted.add(each.service);
  }
  return admitted;
}

describe('who finds room on a node', () => {
  const services = fc
    .tuple(fc.constantFrom('shop', 'bank', 'crowd'), fc.integer({ min: 1, max: 6 }))
    .map(([namespace, number]): ServiceKey => `${namespace}/s${number}`);
  const claims = fc.record(
    {
      service: services,
      rules: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constantFrom(0, 1, 125, 249, 250, 251)),
      createdAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
      isNew: fc.constant(true as const),
    },
    { requiredKeys: ['service', 'rules', 'createdAt'] },
  );

  it('is the same whether all are looked at or only what changes; and all others for whom it changes are named', () => {
    const event = fc.oneof({ weight: 4, arbitrary: claims }, { weight: 1, arbitrary: fc.record({ gone: services }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const rules = new RulesPerNode();
        const known = new Map<ServiceKey, RuleClaim>();
        let before = admittedOf([]);
        for (const happened of events) {
          const changed = 'gone' in happened ? happened.gone : happened.service;
          const others = [...known.keys()].filter((service) => service !== changed);
          if ('gone' in happened) known.delete(changed);
          else known.set(changed, happened);
          const moved = 'gone' in happened ? rules.delete('a', changed) : rules.set('a', happened);
          const after = admittedOf([...known.values()]);
          expect([...known.keys()].filter((service) => rules.hasRoom('a', service)).toSorted()).toEqual(
            [...after].toSorted(),
          );
          expect(moved.toSorted()).toEqual(
            others.filter((service) => before.has(service) !== after.has(service)).toSorted(),
          );
          before = after;
        }
      }),
    );
  });

  it('is not worked out again for a claim that is as it was', () => {
    const rules = withClaims(claim('shop/web', 200), claim('shop/api', 100));
    const admitted = vi.spyOn(NodeClaims.prototype, 'admitted');
    try {
      rules.set('a', claim('shop/web', 200));
      rules.delete('a', 'shop/other');
      expect(admitted).not.toHaveBeenCalled();
      rules.set('a', { ...claim('shop/web', 200), isNew: true });
      rules.set('a', claim('shop/web', 201));
      rules.set('a', claim('shop/web', 201, '2026-02-01T00:00:00Z'));
      expect(admitted).toHaveBeenCalledTimes(3);
    } finally {
      admitted.mockRestore();
    }
  });
});
