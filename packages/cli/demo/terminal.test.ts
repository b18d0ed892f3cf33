import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient, leases, namespaces } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { SimulatedKube } from '@fairlead/sim/kube';
import { serveKube } from '@fairlead/sim/kube/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../scripts/run-command.ts';
import { PseudoTerminal } from '../testing/pseudo-terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const MAIN = join(ROOT, 'packages', 'cli', 'main.ts');
/** As npm has it: a process in between, which passes on the signal that the terminal sends to both. */
const PROGRAM = [process.execPath, join(ROOT, 'scripts', 'node24.mjs'), MAIN];
const CTRL_C = '\u0003';
const LIMIT_MS = 90_000;

// Each waits for processes of its own, most of the time.
describe.concurrent('on a terminal', () => {
  let compiled: Readonly<Record<string, string>> = {};
  let folderOfCompiled = '';

  beforeAll(async () => {
    folderOfCompiled = await mkdtemp(join(tmpdir(), 'fairlead-compiled-'));
    compiled = { NODE_COMPILE_CACHE: folderOfCompiled };
    // So that the others find there what they have to read.
    await runCommand(process.execPath, [MAIN, 'version'], '', compiled);
  }, LIMIT_MS);

  afterAll(() => rm(folderOfCompiled, { recursive: true }));

  it(
    'the demo fits 80 columns, answers keys, prints commands that work, and leaves nothing',
    async () => {
      await using terminal = new PseudoTerminal([...PROGRAM, 'demo'], compiled);
      await terminal.until('everything programmed', ({ screen }) => /12 of 12 .*, after/.test(screen[0] ?? ''));
      expect(terminal.text).toContain('\u001b[?1049h');
      expect(terminal.text).toContain('\u001b[32mprogrammed\u001b[39m');
      expect(terminal.screen).toHaveLength(24);
      for (const line of terminal.screen) expect(line.length).toBeLessThanOrEqual(80);
      expect(terminal.screen.join('\n')).toMatch(/Recent activity\n\d\d:\d\d:\d\d \S+ \w+: /);
      const [title] = terminal.screen;

      terminal.type('\u001b[B\r');
      await terminal.until('why', ({ screen }) => screen.includes('  Wanted:'));
      expect(terminal.screen[0]).toMatch(/^Service azure-demo\/shop /);
      terminal.type('\u001b');
      await terminal.until('the list', ({ screen }) => screen.some((line) => line.startsWith('> azure-demo/shop')));
      expect(terminal.screen[0]).toBe(title);

      terminal.type('c');
      await terminal.until('commands', ({ screen }) => screen.includes('In another terminal:'));
      const page = terminal.screen.join('\n').replaceAll(' \\\n   ', ' ');
      const typed = page.split('\n').filter((line) => line.includes(' --config '));
      expect(typed.map((line) => /main\.ts (\w+)/.exec(line)?.[1])).toEqual(['why', 'plan', 'status']);
      const answers = await Promise.all(typed.map((line) => runCommand('bash', ['-c', line], '', compiled)));
      expect(answers.map(({ code, stderr }) => ({ code, stderr }))).toEqual(typed.map(() => ({ code: 0, stderr: '' })));
      expect(answers[0]?.stdout).toMatch(/^Service azure-demo\/shop [\s\S]*Tried:\n {4}- 20/);
      expect(answers[1]?.stdout).toContain('gateway: nothing to do');

      const folder = /--config (\S+)\/fairlead\.yaml/.exec(page)?.[1] ?? '';
      expect(existsSync(folder)).toBe(true);
      terminal.type(CTRL_C + CTRL_C);
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text.endsWith('\u001b[?7h\u001b[?25h\u001b[?1049l')).toBe(true);
      expect(existsSync(folder)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'Ctrl+C ends a demo that is printed, and leaves no folder',
    async () => {
      await using terminal = new PseudoTerminal([...PROGRAM, 'demo', '--until-converged'], {
        NO_COLOR: '1',
        ...compiled,
      });
      await terminal.until('the heading', ({ text }) => text.includes('Health, metrics'));
      terminal.type(CTRL_C + CTRL_C);
      expect(await terminal.ended()).toBe(130);
      const folder = /--kubeconfig (\S+)\/kubeconfig/.exec(terminal.text)?.[1] ?? '';
      expect(folder).toContain('fairlead-demo-');
      expect(existsSync(folder)).toBe(false);
      expect(terminal.text).not.toContain('\u001b[3');
    },
    LIMIT_MS,
  );

  it(
    'a command has colours, unless a person wants none',
    async () => {
      const check = [...PROGRAM, 'check', '--config', '/nowhere/fairlead.yaml'];
      const shown = async (environment: Readonly<Record<string, string>>) => {
        await using terminal = new PseudoTerminal(check, { ...compiled, ...environment });
        expect(await terminal.ended()).toBe(1);
        return terminal.text;
      };
      const [painted, plain] = await Promise.all([shown({}), shown({ NO_COLOR: '1' })]);
      expect(painted).toContain('\u001b[31m✗\u001b[39m configuration: ');
      expect(plain).toContain('✗ configuration: ');
      expect(plain).not.toContain('\u001b[');
    },
    LIMIT_MS,
  );

  it(
    'a demo whose terminal is closed ends, and leaves no folder',
    async () => {
      await using terminal = new PseudoTerminal([...PROGRAM, 'demo'], compiled);
      await terminal.until('the view', ({ text }) => text.includes('q quit'));
      terminal.type('c');
      await terminal.until('commands', ({ screen }) => screen.includes('In another terminal:'));
      const folder = /(\S+)\/kubeconfig/.exec(terminal.screen.join('\n'))?.[1] ?? '';
      expect(existsSync(folder)).toBe(true);
      await terminal.close();
      const end = performance.now() + 20_000;
      while (existsSync(folder) && performance.now() < end) await sleep(50);
      expect(existsSync(folder)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'a demo ends when its output is no longer read, and leaves no folder',
    async () => {
      const [program = '', ...words] = PROGRAM;
      const env = { ...process.env, ...compiled };
      const child = spawn(program, [...words, 'demo'], { stdio: ['ignore', 'pipe', 'ignore'], env });
      let text = '';
      for await (const chunk of child.stdout.setEncoding('utf8')) {
        text += String(chunk);
        if (text.includes('/kubeconfig')) break;
      }
      const folder = /--kubeconfig (\S+)\/kubeconfig/.exec(text)?.[1] ?? '';
      expect(existsSync(folder)).toBe(true);
      child.stdout.destroy();
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
      expect(existsSync(folder)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'Ctrl+C ends run, which gives its Leases back',
    async () => {
      await using started = new AsyncDisposableStack();
      const kube = new SimulatedKube({ clock: systemClock, random: seededRandom(1) });
      const server = started.use(await serveKube(kube));
      const folder = await mkdtemp(join(tmpdir(), 'fairlead-terminal-'));
      started.defer(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'kubeconfig'), server.kubeconfig);
      const client = new KubeClient(connectionOver(kube.transport(), systemClock), systemClock);
      await client.create(namespaces, { metadata: { name: 'fairlead-system' } });
      const file = join(folder, 'fairlead.yaml');
      const kubernetes = { kubeconfig: join(folder, 'kubeconfig') };
      const parts = { gateway: { addresses: ['192.0.2.10'] } };
      await writeFile(file, JSON.stringify({ kubernetes, http: { listen: '127.0.0.1:0' }, parts }));
      const holder = async () =>
        (await client.find(leases, { namespace: 'fairlead-system', name: 'fairlead-gateway' }))?.spec?.holderIdentity ??
        '';
      await using terminal = new PseudoTerminal([...PROGRAM, 'run', '--config', file], compiled);
      await terminal.until('a leader', ({ text }) => / leading /.test(text));
      expect(await holder()).not.toBe('');
      terminal.type(CTRL_C + CTRL_C);
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text).toMatch(/info {2}stopped/);
      expect(await holder()).toBe('');
    },
    LIMIT_MS,
  );
});
