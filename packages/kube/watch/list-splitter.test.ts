import { cpuTime } from '@fairlead/control/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListSplitter } from './list-splitter.ts';
import { cut } from './testing/cut.ts';

/** The items and what is around them, when the bytes go in as these pieces. */
function read(pieces: readonly Uint8Array[]): { items: unknown[]; envelope: unknown } {
  const splitter = new ListSplitter();
  const items: unknown[] = [];
  for (const piece of pieces) {
    splitter.push(piece);
    for (let item = splitter.next(); item !== undefined; item = splitter.next()) items.push(JSON.parse(item));
  }
  return { items, envelope: JSON.parse(splitter.envelope) };
}

const megabyte = Buffer.alloc(1024 * 1024, 'x');
const megabytes = (count: number) => Array.from({ length: count }, () => megabyte);
const tooLarge = expect.objectContaining({ code: 'answer-too-large' });

const metadata = { resourceVersion: '7', continue: 'token' };

describe('ListSplitter', () => {
  it('gives up on an item that is too long to be an object, and on endless surroundings', () => {
    const begin = Buffer.from('{"metadata":{},"items":[');
    const item = [Buffer.from('{"a":"'), ...megabytes(15), Buffer.from('"},')];
    const end = Buffer.from('{}]}');
    expect(read([begin, ...item, ...item, end]).items).toHaveLength(3);
    expect(() => read([begin, Buffer.from('{"a":"'), ...megabytes(17)])).toThrowError(tooLarge);
    expect(() => read([Buffer.from('{"a":"'), ...megabytes(2)])).toThrowError(tooLarge);
    expect(() => read([begin, Buffer.from('],"a":"'), ...megabytes(2)])).toThrowError(tooLarge);
  });

  it('takes no time over surroundings full of other arrays', async () => {
    const bytes = Buffer.from(`{${'"a":[],'.repeat(100_000)}"metadata":{},"items":[{}]}`);
    expect(await cpuTime(() => expect(read([bytes]).items).toHaveLength(1))).toBeLessThan(500);
  });

  it('gives the same items however the bytes are cut and whatever is in them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue())),
        fc.array(fc.nat({ max: 10_000 })),
        fc.boolean(),
        fc.constantFrom(undefined, 1),
        (items, positions, metadataFirst, indent) => {
          const list = metadataFirst
            ? { kind: 'ServiceList', metadata, items }
            : { items, metadata, kind: 'ServiceList' };
          const text = JSON.stringify(list, undefined, indent);
          const whole: unknown = JSON.parse(JSON.stringify(items));
          expect(read(cut(Buffer.from(text), positions))).toEqual({
            items: whole,
            envelope: { kind: 'ServiceList', metadata, items: [] },
          });
        },
      ),
    );
  });

  it('hands over an item before the next has arrived', () => {
    const splitter = new ListSplitter();
    splitter.push(Buffer.from('{"metadata":{},"items":[{"a":1},{"b":'));
    expect(splitter.next()).toBe('{"a":1}');
    expect(splitter.next()).toBeUndefined();
    splitter.push(Buffer.from('2}]}'));
    expect(splitter.next()).toBe('{"b":2}');
  });

  it('takes no other array for the items', () => {
    const list = { metadata: { items: [{ no: 1 }] }, columns: [{ no: 2 }], items: [{ yes: [{ items: [] }] }] };
    expect(read([Buffer.from(JSON.stringify(list))])).toEqual({
      items: [{ yes: [{ items: [] }] }],
      envelope: { ...list, items: [] },
    });
  });

  it('leaves a list without items as it is', () => {
    expect(read([Buffer.from('{"metadata":{},"items":null}')])).toEqual({
      items: [],
      envelope: { metadata: {}, items: null },
    });
  });
});
