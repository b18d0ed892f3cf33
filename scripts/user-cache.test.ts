import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { userCacheDirectory } from './user-cache.ts';

describe('userCacheDirectory', () => {
  it('is where the environment says', () => {
    expect(userCacheDirectory({ XDG_CACHE_HOME: '/var/cache/me' })).toBe('/var/cache/me/fairlead');
  });

  it('is in the home folder when the environment says nothing, or nothing usable', () => {
    const usual = `${homedir()}/.cache/fairlead`;
    expect(['', 'relative/path', undefined].map((path) => userCacheDirectory({ XDG_CACHE_HOME: path }))).toEqual([
      usual,
      usual,
      usual,
    ]);
  });
});
