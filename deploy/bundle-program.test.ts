import { mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, runCommand } from '../scripts/run-command.ts';
import { withDefect } from '../scenarios/mutations/defect.ts';
import packageFile from '../package.json' with { type: 'json' };
import { bundleProgram } from './bundle-program.ts';

const SOURCE = join(import.meta.dirname, '..', 'packages', 'cli', 'main.ts');
/** A machine that does much else takes its time, and what outlasts its hook stays in the temporary folder. */
const LIMIT_MS = 90_000;
const TELL_CPU_TIME = `data:text/javascript,process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(String(user + system));
});`;

describe('the bundled program', () => {
  let folder: string;

  beforeAll(async () => {
    // Outside the checkout, where no package can be found but those in the bundle.
    folder = await mkdtemp(join(tmpdir(), 'fairlead-bundle-'));
    await bundleProgram(folder, withDefect);
  }, LIMIT_MS);

  afterAll(() => rm(folder, { recursive: true }));

  const fairlead = (...words: string[]): Promise<Outcome> =>
    runCommand(process.execPath, [join(folder, 'fairlead.mjs'), ...words]);

  it('knows its version', async () => {
    expect(await fairlead('version')).toEqual({ code: 0, stdout: `${packageFile.version}\n`, stderr: '' });
  });

  it('refuses a Node that is too old in one line', async () => {
    const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.1.0'}})`;
    expect(await runCommand(process.execPath, ['--import', older, join(folder, 'fairlead.mjs'), 'version'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'fairlead: Node 24 or newer is needed; this is 20.1.0\n',
    });
  });

  it('begins with nothing that Nodes of long ago cannot read', async () => {
    const launcher = await readFile(join(folder, 'fairlead.mjs'), 'utf8');
    await expect(transform(launcher, { format: 'esm', target: 'node13.2' })).resolves.toMatchObject({ warnings: [] });
  });

  it('is a plugin of kubectl under another name, and may be run', async () => {
    expect((await stat(join(folder, 'fairlead.mjs'))).mode & 0o111).toBe(0o111);
    const plugin = join(folder, 'kubectl-fairlead');
    await symlink('fairlead.mjs', plugin);
    const { stdout } = await runCommand(process.execPath, [plugin, 'why', '--help']);
    expect(stdout).toMatch(/^Usage: kubectl fairlead why /);
  });

  it('helps as the sources do, with the commands that it has', async () => {
    const fromSource = await runCommand(process.execPath, [SOURCE, '--help']);
    const withoutDemo = fromSource.stdout
      .replace(/^ {2}demo \[options\].*\n( {10,}.*\n)*/m, '')
      .replace(/.* demo .*\n/, '');
    expect(await fairlead('--help')).toEqual({ ...fromSource, stdout: withoutDemo });
    expect(withoutDemo).not.toContain('demo');
    expect(fromSource.stdout).toContain('Usage: fairlead');
  });

  it.each(['bash', 'zsh', 'fish'])('completes in %s the commands that it has, and no demo', async (shell) => {
    const { stdout } = await fairlead('completion', shell);
    expect(stdout).toContain('release');
    expect(stdout).not.toContain('demo');
  });

  it('reads a configuration file, and says what is wrong with it', async () => {
    expect(await fairlead('run', '--config', join(folder, 'absent.yaml'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^fairlead: cannot read the configuration file .*absent\.yaml: .*\n$/),
    });
  });

  it('has no demo, and says where there is one', async () => {
    expect(await fairlead('demo', '--until-converged', '--time-limit', '1')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'fairlead: the demo is not in this build: run npm start in a checkout of Fairlead\n',
    });
  });

  it(
    'starts with less work than the sources take',
    async () => {
      const cpuTime = async (program: string): Promise<number> =>
        Number((await runCommand(process.execPath, ['--import', TELL_CPU_TIME, program, 'version'])).stderr);
      const [bundled, fromSource] = [await cpuTime(join(folder, 'fairlead.mjs')), await cpuTime(SOURCE)];
      expect(bundled).toBeGreaterThan(0);
      expect(bundled).toBeLessThan(fromSource);
    },
    LIMIT_MS,
  );

  it('brings the licences of what it carries', async () => {
    const notices = await readFile(join(folder, 'THIRD-PARTY-NOTICES'), 'utf8');
    expect(notices).toMatch(/^undici [\d.]+ \(MIT\)\n\nMIT License\n/m);
    expect(notices).toMatch(/^@azure\/identity [\d.]+ \(MIT\)$/m);
    expect(notices).not.toMatch(/^esbuild /m);
  });
});
