import type { ServiceKey } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { type RuleClaim, RulesPerNode } from './rules-per-node.ts';

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
    const rules = withClaims(claim('shop/web', 200));
    expect(rules.hasRoom('a', claim('shop/new', 50))).toBe(true);
    expect(rules.hasRoom('a', claim('shop/new', 201))).toBe(false);
    expect(rules.hasRoom('b', claim('shop/new', 201))).toBe(true);
  });

  it('are those of Services with few of them first, and then of the oldest', () => {
    const [small, old, young] = [
      claim('shop/small', 1, '2026-03-01T00:00:00Z'),
      claim('shop/z-old', 125, '2026-01-01T00:00:00Z'),
      claim('shop/a-young', 125, '2026-02-01T00:00:00Z'),
    ];
    const rules = withClaims(young, old, small);
    expect([small, old, young].map((each) => rules.hasRoom('a', each))).toEqual([true, true, false]);
    expect(rules.isCrowded('a')).toBe(true);
    rules.delete('a', small.service);
    expect([old, young].map((each) => rules.hasRoom('a', each))).toEqual([true, true]);
    expect(rules.isCrowded('a')).toBe(false);
  });

  it('are shared by namespaces: no number of Services in one takes a node away from those in others', () => {
    const many = Array.from({ length: 300 }, (_, index) => claim(`crowd/s${index}`, 1, '2025-01-01T00:00:00Z'));
    const [web, api] = [claim('shop/web', 2), claim('shop/api', 100)];
    const rules = withClaims(...many, api, web);
    const admitted = () => many.filter((each) => rules.hasRoom('a', each)).length;
    expect([rules.hasRoom('a', web), rules.hasRoom('a', api), admitted()]).toEqual([true, true, 148]);
    // What the one cannot have, the other gets.
    rules.set('a', claim('shop/api', 249));
    expect([rules.hasRoom('a', web), rules.hasRoom('a', claim('shop/api', 249)), admitted()]).toEqual([
      true,
      false,
      248,
    ]);
  });

  it('are those of a Service that is new only where there is room beside all others', () => {
    const [large, small] = [claim('shop/large', 200), claim('shop/small', 60)];
    const rules = withClaims(large, { ...small, isNew: true });
    expect([rules.hasRoom('a', large), rules.hasRoom('a', { ...small, isNew: true })]).toEqual([true, false]);
    rules.set('a', small);
    expect([rules.hasRoom('a', large), rules.hasRoom('a', small)]).toEqual([false, true]);
  });

  it('are also those of who comes after one that there is no room for', () => {
    const [first, tooLarge, last] = [claim('shop/web', 100), claim('bank/large', 200), claim('shop/api', 150)];
    const rules = withClaims(first, tooLarge, last);
    expect([first, tooLarge, last].map((each) => rules.hasRoom('a', each))).toEqual([true, false, true]);
  });

  it('are not taken from a Service by a new one of its own namespace', () => {
    const [old, other] = [claim('shop/old', 126, '2026-01-01T00:00:00Z'), claim('bank/web', 126)];
    const younger = { ...other, createdAt: '2026-02-01T00:00:00Z' };
    const rules = withClaims(old, younger, { ...claim('shop/new', 1), isNew: true });
    expect([old, younger].map((each) => rules.hasRoom('a', each))).toEqual([true, false]);
  });

  it('are in the same order every time where two are of the same age', () => {
    const [first, second] = [claim('shop/a', 130), claim('shop/b', 130)];
    for (const rules of [withClaims(first, second), withClaims(second, first)]) {
      expect([first, second].map((each) => rules.hasRoom('a', each))).toEqual([true, false]);
    }
  });

  it('are counted once for each Service, as it is now', () => {
    const rules = withClaims(claim('shop/web', 240), claim('shop/web', 10));
    expect(rules.hasRoom('a', claim('shop/new', 240))).toBe(true);
    expect(rules.hasRoom('a', claim('shop/web', 250))).toBe(true);
    expect(rules.claimants('a')).toEqual(['shop/web']);
    rules.delete('a', 'shop/web');
    rules.delete('a', 'shop/web');
    expect([rules.claimants('a'), rules.hasRoom('a', claim('shop/new', 250))]).toEqual([[], true]);
  });
});
