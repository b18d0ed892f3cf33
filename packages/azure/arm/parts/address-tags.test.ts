import type { Service } from '@fairlead/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressTags, requireRoomForTags, withTags } from './address-tags.ts';
import { azureAnnotations } from './annotations.ts';

const service = (text?: string): Service => ({
  metadata: {
    namespace: 'shop',
    name: 'web',
    annotations: text === undefined ? {} : { [azureAnnotations.addressTags]: text },
  },
  spec: {},
});
const tags = (text?: string) => addressTags(service(text), 'bad-tags');
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `tag-${index}=${index}`).join();

describe('the tags that a Service asks for on its address', () => {
  it.each([
    [undefined, {}],
    [' ', {}],
    ['team=shop', { team: 'shop' }],
    [' Team = the shop , costs=42,', { Team: 'the shop', costs: '42' }],
    ['empty=', { empty: '' }],
    ['serviceable=yes,my-fairlead-cluster=x', { serviceable: 'yes', 'my-fairlead-cluster': 'x' }],
    ['odd= null', { odd: ' null' }],
    [`${'n'.repeat(512)}=${'v'.repeat(256)}`, { ['n'.repeat(512)]: 'v'.repeat(256) }],
  ])('are names and values without the spaces around them: %s', (text, expected) => {
    expect(tags(text)).toEqual(expected);
  });

  it('may have the names that every object has', () => {
    expect(Object.entries(tags('__proto__=a,constructor=b'))).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it.each<readonly [string, string]>([
    ['team', 'write name=value, with commas in between'],
    ['team:shop', 'write name=value, with commas in between'],
    ['a=b=c', 'write name=value, with commas in between'],
    ['a=b, =c', 'write name=value, with commas in between'],
    ['a=1,A=2', 'name each tag once'],
    ['a=1,a=1', 'name each tag once'],
    [`${'n'.repeat(513)}=v`, '512 characters at most'],
    [`n=${'v'.repeat(257)}`, '256 characters at most'],
    ['odd=null', 'null'],
    ['odd=NULL', 'null'],
    ...['<', '>', '%', '&', '\\', '?', '/', '\u0007'].map((character) => [`a${character}b=c`, 'cannot have'] as const),
    [numbered(48), '47 at most'],
  ])('are refused with what to do about it: %s', (text, advice) => {
    const message = expect.stringContaining(advice);
    expect(() => tags(text)).toThrow(expect.objectContaining({ verdict: 'terminal', code: 'bad-tags', message }));
    expect(() => tags(text)).toThrow(azureAnnotations.addressTags);
  });

  it.each([
    'fairlead-cluster',
    'FAIRLEAD-Part',
    'Fairlead-Service',
    'fairlead-egress',
    'fairlead-dns-label',
    'fairlead-of-the-future',
    'fairlead-\u2028cluster',
    'fa\u0131rlead-part',
    'fairlead-\u017fervice',
    'k8s-azure-service',
    'K8S-Azure-Cluster-Name',
    '\u212a8s-azure-service',
    'kubernetes-cluster-name',
    'kubernetes-dns-label-service',
    'Service',
  ])('are never %s, by which it is told whose an address is', (name) => {
    const message = expect.stringMatching(/tells whose an address is: choose another name/);
    expect(() => tags(`team=shop, ${name} = x`)).toThrow(expect.objectContaining({ verdict: 'terminal', message }));
  });

  it('leave room for our own', () => {
    expect(Object.keys(tags(numbered(47)))).toHaveLength(47);
  });

  it('are refused in few words, however long they are', () => {
    for (const text of [`${'n'.repeat(10_000)}=v`, `n=${'v'.repeat(10_000)}`, 'x'.repeat(10_000)]) {
      expect(() => tags(text)).toThrow(/^.{20,250}$/);
    }
  });
});

describe('tags that are put beside those that are there', () => {
  it('replace those of the same name, in the spelling that is there', () => {
    expect(withTags({ Team: 'shop', costs: '1' }, { team: 'bank', size: 'L' })).toEqual({
      Team: 'bank',
      costs: '1',
      size: 'L',
    });
  });

  const names = fc.oneof(fc.constantFrom('a', 'A', 'b', '__proto__', 'constructor'), fc.string());
  const some = fc
    .uniqueArray(fc.tuple(names, fc.string()), { selector: ([name]) => name.toLowerCase() })
    .map((pairs): Readonly<Record<string, string>> => Object.fromEntries(pairs));
  const folded = (of: Readonly<Record<string, string>>) =>
    new Map(Object.entries(of).map(([name, value]) => [name.toLowerCase(), value]));

  it('are all there afterwards with all others, each name once, and need not be put again', () => {
    fc.assert(
      fc.property(some, some, (there, added) => {
        const merged = withTags(there, added);
        expect(folded(merged)).toEqual(new Map([...folded(there), ...folded(added)]));
        expect(Object.keys(merged)).toHaveLength(folded(merged).size);
        expect(Object.keys(merged)).toEqual(expect.arrayContaining(Object.keys(there)));
        expect(withTags(merged, added)).toEqual(merged);
      }),
    );
  });

  it('are no more than Azure takes', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, '']));
    expect(() => requireRoomForTags('web-pip', many(50))).not.toThrow();
    expect(() => requireRoomForTags('web-pip', many(51))).toThrow(
      expect.objectContaining({
        verdict: 'terminal',
        code: 'too-many-tags',
        message: expect.stringMatching(/web-pip would have 51 tags.*50.*take some off it, or ask for fewer/),
      }),
    );
  });
});
