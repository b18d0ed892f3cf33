import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptSeeds, parseSeeds } from './kept-seeds.ts';
import { scenarios } from './registry.ts';

describe('the seeds that are kept', () => {
  it('are one on each line, with a comment', () => {
    expect(parseSeeds('17  # lost an event\n\n# a comment alone\n4\n', 'x')).toEqual([17, 4]);
  });

  it('name the line that is no seed', () => {
    expect(() => parseSeeds('1\nseventeen # why\n', 'kube.seeds')).toThrow('kube.seeds:2: «seventeen» is not a seed');
  });

  it('are read from the file of the scenario, where there is one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-seeds-'));
    try {
      writeFileSync(join(folder, 'kube.seeds'), '3 # why\n');
      expect(keptSeeds('kube', folder)).toEqual([3]);
      expect(keptSeeds('election', folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('can be read for every scenario', () => {
    for (const { name } of scenarios) expect(Array.isArray(keptSeeds(name))).toBe(true);
  });
});
