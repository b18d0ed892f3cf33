import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryFor } from '../testing/queries.ts';
import { nameText } from './name.ts';
import { Query, nameHash } from './query.ts';

const label = fc.stringMatching(/^[A-Za-z0-9_-]{1,63}$/);
const name = fc
  .array(label, { minLength: 1, maxLength: 8 })
  .map((labels) => labels.join('.'))
  .filter((text) => text.length <= 253);

const withEdns = (edns: number, version = 0) => queryFor('web.shop', 'A', { edns, version });

describe('a query', () => {
  it('is read as dns-packet writes it, in the case of its letters', () => {
    const query = new Query();
    fc.assert(
      fc.property(name, (text) => {
        const bytes = queryFor(text);
        expect(query.read(bytes)).toBe('question');
        expect(nameText(bytes, 12)).toBe(text);
        expect(query).toMatchObject({ id: 4711, type: 1, class: 1, nameEnd: bytes.length - 4, hasEdns: false });
      }),
    );
  });

  it('has the hash of its name whatever the case', () => {
    const query = new Query(7);
    fc.assert(
      fc.property(name, (text) => {
        const lower = queryFor(text.toLowerCase());
        query.read(queryFor(text));
        expect(query.hash).toBe(nameHash(lower.subarray(12, -4), 7));
      }),
    );
  });

  it('says how large a reply may be, 512 bytes at least', () => {
    const query = new Query();
    expect([query.read(withEdns(4096)), query.hasEdns, query.payloadBytes]).toEqual(['question', true, 4096]);
    expect([query.read(withEdns(100)), query.payloadBytes]).toEqual(['question', 512]);
    expect([query.read(queryFor('web')), query.hasEdns, query.payloadBytes]).toEqual(['question', false, 512]);
  });

  it('of a version of EDNS that there is not is told apart', () => {
    expect(new Query().read(withEdns(1232, 1))).toBe('unknown-version');
  });

  const good = queryFor('web.shop');
  const opt = withEdns(1232).subarray(good.length);
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(good);
    bytes[at] = value;
    return bytes;
  };
  const counted = (additional: number, ...more: readonly Buffer[]) => Buffer.concat([changed(11, additional), ...more]);

  const address = Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 5, 0, 0]);

  it.each([
    ['is shorter than a header', good.subarray(0, 11), 'drop'],
    ['is a response', changed(2, 0x80), 'drop'],
    ['is a notification', changed(2, 0x20), 'not-implemented'],
    ['has no question', changed(5, 0), 'malformed'],
    ['has two questions', changed(5, 2), 'malformed'],
    ['has an answer', changed(7, 1), 'malformed'],
    ['has an authority', changed(9, 1), 'malformed'],
    ['has a pointer for a name', changed(12, 0xc0), 'malformed'],
    ['has a label of a kind that there is not', changed(12, 0x41), 'malformed'],
    [
      'has a label of 64 bytes',
      Buffer.concat([good.subarray(0, 12), Buffer.alloc(65, 64), good.subarray(-5)]),
      'malformed',
    ],
    ['ends within its name', good.subarray(0, 15), 'malformed'],
    ['ends within its type', good.subarray(0, -3), 'malformed'],
    ['has a name that does not end', changed(good.length - 5, 60), 'malformed'],
    ['counts a record that is not there', counted(1), 'malformed'],
    ['has a record that is cut off', counted(1, opt.subarray(0, -1)), 'malformed'],
    ['has two records of EDNS', counted(2, opt, opt), 'malformed'],
    ['has an OPT that is not of the root', counted(1, Buffer.from([1, 0x61]), opt), 'malformed'],
    ['has data that is longer than the packet', counted(1, opt.subarray(0, -1), Buffer.of(9)), 'malformed'],
    ['has four records more', counted(4, address, address, address, address), 'question'],
    ['has more than any client sends', counted(5, address, address, address, address, address), 'malformed'],
    ['has bytes behind its end', Buffer.concat([good, Buffer.of(1, 2, 3)]), 'question'],
  ] as const)('that %s', (_, bytes, kind) => {
    expect(new Query().read(Buffer.from(bytes))).toBe(kind);
  });

  it('may have a name of 255 bytes, and not of 256', () => {
    const labels = (last: number) => [63, 63, 63, last].map((length) => 'x'.repeat(length)).join('.');
    expect(new Query().read(queryFor(labels(61)))).toBe('question');
    expect(new Query().read(queryFor(labels(62)))).toBe('malformed');
  });

  it('never makes it throw, nor read beyond the packet, whatever the bytes', () => {
    const query = new Query();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.nat(), (noise, at) => {
        const mixed = Buffer.concat([withEdns(1232), noise]);
        mixed[at % mixed.length] = noise[0] ?? 0;
        for (const bytes of [Buffer.from(noise), mixed, mixed.subarray(0, at % mixed.length)]) {
          const kind = query.read(bytes);
          expect(query.nameEnd).toBeLessThanOrEqual(Math.max(bytes.length, 12));
          expect(kind === 'question' && !query.hasQuestion).toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
