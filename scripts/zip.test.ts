import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readZipEntry } from './zip.ts';

interface Entry {
  readonly name: string;
  readonly content: string;
  readonly method: 0 | 8 | 12;
}

/** An archive as other programs write them: extra fields of two lengths, and a comment at the end. */
function zip(entries: readonly Entry[], comment = ''): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const { name, content, method } of entries) {
    const packed = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(5, 28);
    const entry = Buffer.alloc(46);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(3, 30);
    entry.writeUInt32LE(Buffer.concat(files).length, 42);
    files.push(local, Buffer.from(name), Buffer.alloc(5), packed);
    directory.push(entry, Buffer.from(name), Buffer.alloc(3));
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(files).length, 16);
  return Buffer.concat([...files, ...directory, end, Buffer.from(comment)]);
}

const long = 'text that repeats, '.repeat(100);
const archive = zip([
  { name: 'tool/', content: '', method: 0 },
  { name: 'tool/README', content: 'as it is', method: 0 },
  { name: 'tool/tool', content: long, method: 8 },
]);

describe('readZipEntry', () => {
  it('reads what was stored and what was deflated', () => {
    expect(readZipEntry(archive, 'tool/README').toString()).toBe('as it is');
    expect(readZipEntry(archive, 'tool/tool').toString()).toBe(long);
  });

  it('finds the directory before a comment', () => {
    const commented = zip([{ name: 'a', content: 'b', method: 0 }], 'made by hand');
    expect(readZipEntry(commented, 'a').toString()).toBe('b');
  });

  it('says what is not there, not known, or no archive', () => {
    expect(() => readZipEntry(archive, 'tool/none')).toThrow('there is no tool/none in the archive');
    const other = zip([{ name: 'a', content: 'b', method: 12 }]);
    expect(() => readZipEntry(other, 'a')).toThrow('compression method 12 is not known');
    expect(() => readZipEntry(Buffer.alloc(100), 'a')).toThrow('not a ZIP archive');
  });
});
