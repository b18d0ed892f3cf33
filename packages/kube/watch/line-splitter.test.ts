import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';
import { cut } from './testing/cut.ts';

/** The lines that come out when the bytes go in as these pieces. */
function linesOf(pieces: readonly Uint8Array[]): string[] {
  const splitter = new LineSplitter();
  const lines: string[] = [];
  for (const piece of pieces) {
    splitter.push(piece);
    for (let line = splitter.next(); line !== undefined; line = splitter.next()) lines.push(line);
  }
  return lines;
}

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '' && !/[\n\r]/.test(text)),
        ),
        fc.array(fc.nat({ max: 10_000 })),
        (lines, positions) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          expect(linesOf(cut(bytes, positions))).toEqual(lines);
        },
      ),
    );
  });

  it('keeps back a line that has no end yet', () => {
    expect(linesOf([Buffer.from('one\ntw')])).toEqual(['one']);
  });

  it('gives up on a line that is too long to be an object', () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    const end = Buffer.from('\n');
    const long = (megabytes: number) => Array.from({ length: megabytes }, () => megabyte);
    expect(linesOf([...long(16), end, ...long(16), end])).toHaveLength(2);
    expect(() => linesOf(long(17))).toThrowError(expect.objectContaining({ code: 'answer-too-large' }));
  });

  it('leaves out empty lines', () => {
    expect(linesOf([Buffer.from('\n\r\none\n'), Buffer.from('\n')])).toEqual(['one']);
  });

  it('reads a piece that is a view of a larger buffer', () => {
    const large = new Uint8Array(Buffer.from('xxone\nxx'));
    expect(linesOf([large.subarray(2, 6)])).toEqual(['one']);
  });
});
