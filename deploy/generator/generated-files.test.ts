import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bringUpToDate, outdatedFiles } from './generated-files.ts';
import { fairlead, type Program } from './program.ts';

const checkout = join(import.meta.dirname, '..', '..');

describe('the generated files', () => {
  it('follow from the code', async () => {
    const outdated = (await outdatedFiles(checkout, fairlead)).map(({ path }) => path);
    expect(outdated, 'out of date: run `npm run generate`').toEqual([]);
  });

  describe('in an empty checkout', () => {
    let root: string;

    beforeEach(async () => {
      root = await mkdtemp(join(tmpdir(), 'fairlead-generate-'));
    });

    afterEach(() => rm(root, { recursive: true }));

    const generate = async (program: Program): Promise<string[]> => {
      const outdated = await outdatedFiles(root, program);
      for (const file of outdated) await bringUpToDate(root, file);
      return outdated.map(({ path }) => path).sort();
    };

    it('are written once', async () => {
      expect(await generate(fairlead)).toContain('deploy/chart/fairlead/values.schema.json');
      expect(await generate(fairlead)).toEqual([]);
    });

    it('are written anew where they depend on what changed', async () => {
      await generate(fairlead);
      expect(await generate({ ...fairlead, version: '9.9.9' })).toEqual(['deploy/chart/fairlead/Chart.yaml']);
      expect(await generate({ ...fairlead, version: '9.9.9', sharedMetrics: [] })).toEqual(['docs/metrics.md']);
    });

    it('go when the custom resource they define goes', async () => {
      const [gateway] = fairlead.parts;
      if (gateway === undefined) throw new Error('there is no part');
      const lamps = {
        metadata: { name: 'lamps.fairlead.dev' },
        spec: { group: 'fairlead.dev', scope: 'Cluster', names: { plural: 'lamps', kind: 'Lamp' }, versions: [] },
      } as const;
      await generate({ ...fairlead, parts: [{ ...gateway, customResources: [lamps] }] });
      const folder = join(root, 'deploy/chart/fairlead/custom-resources/gateway');
      expect(await readdir(folder)).toEqual(['lamps.fairlead.dev.yaml']);
      expect(await generate({ ...fairlead, parts: [{ ...gateway, customResources: [] }] })).toEqual([
        'deploy/chart/fairlead/custom-resources/gateway/lamps.fairlead.dev.yaml',
      ]);
      expect(await readdir(folder)).toEqual([]);
    });
  });
});
