import { describe, expect, it } from 'vitest';
import { matchesLabels, parseFieldSelector, parseLabelSelector } from './selectors.ts';

describe('a label selector', () => {
  const labels = { app: 'web', tier: 'front', count: '7', empty: '' };

  it.each([
    ['', true],
    ['app=web', true],
    ['app==web,tier=front', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app in (web, api)', true],
    ['app notin (web)', false],
    ['missing notin (web)', true],
    ['app', true],
    ['!app', false],
    ['!missing', true],
    ['empty=', true],
    ['count>6,count<8', true],
    ['app>1', false],
    ['example.test/x=1', false],
  ])('%j selects: %s', (selector, expected) => {
    expect(parseLabelSelector(selector)(labels)).toBe(expected);
  });

  it.each([
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['-a', 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of'],
    ['a=-b', 'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be'],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ])('refuses %j', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(message);
  });

  it('given as a map selects what has all of it', () => {
    expect(matchesLabels({ app: 'web' }, labels)).toBe(true);
    expect(matchesLabels({ app: 'web', tier: 'back' }, labels)).toBe(false);
    expect(matchesLabels({}, labels)).toBe(true);
  });
});

describe('a field selector', () => {
  it('is a list of requirements, with escapes', () => {
    expect(parseFieldSelector('metadata.name=a\\,b,status.phase!=Running')).toEqual([
      { field: 'metadata.name', value: 'a,b', equal: true },
      { field: 'status.phase', value: 'Running', equal: false },
    ]);
  });

  it('refuses what it cannot read', () => {
    expect(() => parseFieldSelector('foo')).toThrow("invalid selector: 'foo'; can't understand 'foo'");
  });
});
