import { describe, expect, it } from 'vitest';
import { parseSubject } from './subject.ts';

describe('parseSubject', () => {
  const web = { kind: 'service', namespace: 'shop', name: 'web' };

  it.each([
    { words: ['service', 'shop/web'], namespace: undefined },
    { words: ['svc', 'web'], namespace: 'shop' },
    { words: ['Service/web'], namespace: 'shop' },
    { words: ['service/shop/web'], namespace: undefined },
  ])('reads $words', ({ words, namespace }) => {
    expect(parseSubject(words, namespace, ['service'])).toEqual(web);
  });

  it('looks in the namespace default when none is named', () => {
    expect(parseSubject(['service', 'web'], undefined, ['service'])).toEqual({ ...web, namespace: 'default' });
  });

  it.each([
    [[]],
    [['service']],
    [['service', 'shop/']],
    [['service', 'a', 'b']],
    [['service', 'a/b/c']],
    [['service', '/web']],
  ])('refuses %j with an example', (words) => {
    expect(() => parseSubject(words, undefined, ['service'])).toThrow('fairlead why service default/web');
  });

  it.each(['deployment', 'constructor'])('says what it can be asked about instead of a %s', (kind) => {
    expect(() => parseSubject([kind, 'web'], undefined, ['service'])).toThrow(
      `nothing is known about a ${kind}; ask about: service`,
    );
  });

  it('refuses two namespaces', () => {
    expect(() => parseSubject(['service', 'shop/web'], 'other', ['service'])).toThrow('--namespace says other');
  });
});
