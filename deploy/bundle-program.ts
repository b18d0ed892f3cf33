import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { thirdPartyNotices } from './third-party-notices.ts';

const root = join(import.meta.dirname, '..');
const program = join(root, 'packages', 'cli');

/** Some of the packages that we bundle were written for CommonJS, and still call `require` for Node's own modules. */
const REQUIRE = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

/**
 * Begins the program. An older Node would fail on the first thing that it does not know, with a trace, so this has
 * nothing new in it: no `await` at the top either.
 */
const LAUNCHER = `#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error('fairlead: Node 24 or newer is needed; this is ' + process.versions.node);
  process.exit(1);
}
import('./program.mjs');
`;

const NO_DEMO = `
import { FairleadError } from '@fairlead/control';
throw new FairleadError('the demo is not in this build: run npm start in a checkout of Fairlead', {
  verdict: 'terminal',
  code: 'demo-not-included',
});`;

/** The world that the demo starts is for people who try Fairlead out; what runs in a cluster does not carry it. */
const withoutDemoWorld: Plugin = {
  name: 'without-demo-world',
  setup(bundling) {
    bundling.onResolve({ filter: /^@fairlead\/sim/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, namespace: 'demo-world' } : undefined,
    );
    bundling.onLoad({ filter: /cli\/demo\/is-included\.ts$/ }, () => ({
      contents: 'export const isDemoIncluded = false;',
    }));
    bundling.onLoad({ filter: /.*/, namespace: 'demo-world' }, () => ({ contents: NO_DEMO, resolveDir: program }));
  },
};

/** Another source for a file. */
export type Change = (path: string, source: string) => string;

function changing(change: Change): Plugin {
  return {
    name: 'changing',
    setup(bundling) {
      bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        return { contents: change(path, await readFile(path, 'utf8')), loader: 'ts' };
      });
    },
  };
}

/**
 * Writes the whole program to a folder, as JavaScript that needs nothing but Node: start `fairlead.mjs`. Tests may change
 * its sources on the way.
 */
export async function bundleProgram(folder: string, change?: Change): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { program: join(program, 'main.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported lazily stays in files of its own, which are not read before they are needed.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: REQUIRE },
    legalComments: 'none',
    metafile: true,
    plugins: [withoutDemoWorld, ...(change === undefined ? [] : [changing(change)])],
  });
  const launcher = join(folder, 'fairlead.mjs');
  await writeFile(launcher, LAUNCHER, { mode: 0o755 });
  const notices = join(folder, 'THIRD-PARTY-NOTICES');
  await writeFile(notices, await thirdPartyNotices(root, Object.keys(metafile.inputs)));
  return [launcher, ...outputs(metafile, folder), notices];
}

function outputs(metafile: Metafile, folder: string): string[] {
  return Object.keys(metafile.outputs).map((path) => join(folder, relative(folder, join(root, path))));
}
