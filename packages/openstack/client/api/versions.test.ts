import { describe, expect, it } from 'vitest';
import { offersVersion, parseVersions } from './versions.ts';

const body = {
  versions: [
    { id: 'v2.10', status: 'SUPPORTED' },
    { id: 'v2.2', status: 'CURRENT' },
    { id: 'v1', status: 'UNSUPPORTED' },
    { id: 'experimental' },
  ],
};

describe('versions of an API', () => {
  it('are compared by number, and leave out what is gone', () => {
    expect(parseVersions('GET versions', body)).toEqual([
      { major: 2, minor: 2 },
      { major: 2, minor: 10 },
    ]);
  });

  it('offer what came with them or before', () => {
    const versions = parseVersions('GET versions', body);
    expect(offersVersion(versions, { major: 2, minor: 5 })).toBe(true);
    expect(offersVersion(versions, { major: 2, minor: 11 })).toBe(false);
    expect(offersVersion(versions, { major: 1, minor: 0 })).toBe(false);
  });

  it('are not read out of another answer', () => {
    expect(() => parseVersions('GET versions', { error: 'x' })).toThrowError(
      expect.objectContaining({ code: 'unexpected-answer' }),
    );
  });
});
