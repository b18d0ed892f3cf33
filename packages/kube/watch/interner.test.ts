import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Interner } from './interner.ts';

const parse = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('Interner', () => {
  it('changes nothing that can be seen, whatever it has interned before', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b', 'uid', 'toString', '__proto__'), fc.string());
    const text = fc.oneof(fc.constantFrom('short', 'westeurope-1', 'a-longer-string-1', 'x'.repeat(300)), fc.string());
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('tree')),
        fc.dictionary(key, tie('tree')),
      ),
    }));
    const interner = new Interner();
    fc.assert(
      fc.property(tree, (value) => {
        const interned = parse(value);
        interner.intern(interned);
        expect(JSON.stringify(interned)).toBe(JSON.stringify(parse(value)));
      }),
    );
  });

  it('makes equal small records one', () => {
    const interner = new Interner();
    const endpoints = [1, 2, 3].map((number) => ({
      addresses: [`10.0.0.${number}`],
      conditions: { ready: true, serving: true, terminating: number === 3 },
    }));
    interner.intern(endpoints);
    const [first, second, third] = endpoints.map(({ conditions }) => conditions);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(third).toEqual({ ready: true, serving: true, terminating: true });
  });

  it('makes whole trees one when all of their parts are', () => {
    const interner = new Interner();
    const slices = [1, 2, 3].map((number) => ({
      name: `web-${number}`,
      ports: [{ name: 'http', port: 8080, appProtocol: 'kubernetes.io/h2c' }],
    }));
    interner.intern(slices);
    interner.intern(slices);
    const [first, second, third] = slices.map(({ ports }) => ports);
    expect(second).toBe(first);
    expect(third).toBe(first);
  });

  it('does not take records with the same values under other names for the same', () => {
    const records: Record<string, unknown>[] = [{ a: 'x' }, { b: 'x' }, {}, { toString: 'x' }, { a: 'x', b: 'x' }];
    const interned = structuredClone(records);
    new Interner().intern(interned);
    expect(interned).toEqual(records);
  });
});
