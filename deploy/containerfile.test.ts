import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageFile from '../package.json' with { type: 'json' };

const read = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8');

describe('the container file', () => {
  it('lets in the package file of every workspace: npm asks for all of them', async () => {
    const letIn = (await read('Containerfile.dockerignore')).split('\n');
    for (const workspace of packageFile.workspaces) {
      const wanted = workspace === 'packages/*' ? '!packages' : `!${workspace}/package.json`;
      expect(letIn).toContain(wanted);
    }
  });

  it('ends in an image without a shell, as a user who is not root, where the chart mounts the configuration', async () => {
    const [, image = ''] = (await read('Containerfile')).split(/^FROM scratch$/m);
    expect(image).toMatch(/^USER 65532:65532$/m);
    expect(image).toMatch(/^WORKDIR \/etc\/fairlead$/m);
    expect(image).toMatch(/^ENTRYPOINT \["node", .*"\/app\/fairlead\.mjs"\]$/m);
  });
});
