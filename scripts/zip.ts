import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const END_LENGTH = 22;
const ENTRY_LENGTH = 46;
const LOCAL_HEADER_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;

/** One file out of a ZIP archive; enough for archives below 4 GB without encryption. */
export function readZipEntry(archive: Buffer, name: string): Buffer {
  const end = findEnd(archive);
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = archive.readUInt16LE(at + 28);
    const found = archive.toString('utf8', at + ENTRY_LENGTH, at + ENTRY_LENGTH + nameLength);
    if (found === name) return contentOf(archive, at);
    at += ENTRY_LENGTH + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`there is no ${name} in the archive`);
}

/** The directory's end is at the end of the file, before a comment of unknown length. */
function findEnd(archive: Buffer): number {
  for (let at = archive.length - END_LENGTH; at >= 0; at -= 1) {
    if (archive.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  }
  throw new Error('not a ZIP archive');
}

function contentOf(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const size = archive.readUInt32LE(entry + 20);
  const header = archive.readUInt32LE(entry + 42);
  // The header before the content repeats name and extra field, which need not be as long as in the directory.
  const start = header + LOCAL_HEADER_LENGTH + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const content = archive.subarray(start, start + size);
  if (method === STORED) return content;
  if (method === DEFLATED) return inflateRawSync(content);
  throw new Error(`compression method ${method} is not known`);
}
