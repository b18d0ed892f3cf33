import { describe, expect, it } from 'vitest';
import { completeLock } from './lock-file.ts';

const formatter = {
  version: '2.0.0',
  dev: true,
  optionalDependencies: {
    '@formatter/cli-darwin-arm64': '2.0.0',
    '@formatter/cli-linux-x64': '2.0.0',
    '@formatter/cli-linux-x64-musl': '2.0.0',
    'ranged-linux-x64': '^1.0.0',
  },
};
const installed = { version: '2.0.0', dev: true, optional: true, os: ['linux'], cpu: ['x64'], integrity: 'sha512-x' };

describe('completeLock', () => {
  const before = {
    lockfileVersion: 3,
    packages: { '': {}, 'node_modules/@formatter/cli-linux-x64': installed, 'node_modules/formatter': formatter },
  };

  it('adds the packages of other platforms, each with its platform, and keeps the rest', () => {
    const { lock, added } = completeLock(before);
    expect(added).toEqual(['@formatter/cli-darwin-arm64', '@formatter/cli-linux-x64-musl']);
    expect(lock).toEqual({
      lockfileVersion: 3,
      packages: {
        ...before.packages,
        'node_modules/@formatter/cli-darwin-arm64': {
          version: '2.0.0',
          dev: true,
          optional: true,
          os: ['darwin'],
          cpu: ['arm64'],
        },
        'node_modules/@formatter/cli-linux-x64-musl': {
          version: '2.0.0',
          dev: true,
          optional: true,
          os: ['linux'],
          cpu: ['x64'],
          libc: ['musl'],
        },
      },
    });
  });

  it('adds nothing the second time', () => {
    expect(completeLock(completeLock(before).lock).added).toEqual([]);
  });

  it('refuses what is not a lock file', () => {
    expect(() => completeLock({ dependencies: {} })).toThrow(TypeError);
  });
});
