import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../scripts/run-command.ts';
import { parts } from './parts.ts';
import { runProgram } from './program.ts';
import { recordedTerminal } from './testing/recorded-terminal.ts';

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

function run(...words: readonly string[]) {
  return runAs('fairlead', words);
}

async function runAs(name: string, words: readonly string[]) {
  const { terminal, told } = recordedTerminal(name);
  const exitCode = await runProgram(words, parts, terminal, new AbortController().signal, name);
  return { exitCode, ...told() };
}

describe('the command line', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([['nonsense'], ['nonsense', '--help'], ['--help', 'nonsense'], ['help', 'nonsense'], ['nonsense', 'why']])(
    'refuses an unknown command: %s %s',
    async (...words) => {
      expect(await run(...words)).toEqual({
        exitCode: 2,
        printed: '',
        complained: 'fairlead: there is no command nonsense: fairlead --help shows the commands',
      });
    },
  );

  it('sends nothing to the terminal that would change more than a line of text', async () => {
    expect((await run('\u001b[2J')).complained).toContain('there is no command \\u001b[2J');
  });

  it('suggests the command that was meant', async () => {
    expect((await run('statsu', '--help')).complained).toBe(
      'fairlead: there is no command statsu: did you mean status?',
    );
  });

  it('refuses an unknown command below another, too', async () => {
    expect(await run('clusterset', 'nonsense', '--help')).toMatchObject({
      exitCode: 2,
      complained: 'fairlead: there is no command nonsense: fairlead clusterset --help shows the commands',
    });
  });

  it('wants a configuration file to tell of what is no Service', async () => {
    expect(await run('why', 'pod', 'shop/web')).toMatchObject({
      exitCode: 1,
      complained: expect.stringContaining('cannot read the configuration file fairlead.yaml: there is no such file'),
    });
  });

  it('wants none to tell of a Service, as an application team has none', async () => {
    vi.stubEnv('KUBECONFIG', '/nowhere/kubeconfig');
    expect(await run('why', 'service', 'shop/web')).toMatchObject({
      exitCode: 1,
      complained: expect.stringContaining('/nowhere/kubeconfig (from KUBECONFIG) does not exist'),
    });
  });

  it('calls a mistake in the file one of the configuration', async () => {
    expect(await run('check', '--config', '/nowhere/fairlead.yaml')).toMatchObject({
      exitCode: 1,
      printed: expect.stringMatching(/^✗ configuration: cannot read the configuration file \/nowhere\/fairlead\.yaml/),
    });
  });

  it('goes by the name under which kubectl runs it', async () => {
    const { printed } = await runAs('kubectl fairlead', ['why', '--help']);
    expect(printed).toContain('Usage: kubectl fairlead why [options] <object...>');
    expect((await runAs('kubectl fairlead', ['nonsense'])).complained).toContain('kubectl fairlead --help shows');
  });

  it.each([['--help'], ['help'], ['plan', '--help'], ['--version']])('takes %s %s', async (...words) => {
    expect((await run(...words)).exitCode).toBe(0);
  });
});

describe('completion', () => {
  /** What bash offers after these words. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const { printed } = await run('completion', 'bash');
    const typed = ['fairlead', ...words].map((word) => `'${word}'`).join(' ');
    const line = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await runCommand('bash', ['--norc'], `${printed}\n${line}\n`);
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  }

  it.each([
    ['bash', /-c\|--config\) COMPREPLY=\(\$\(compgen -f /],
    ['zsh', /-c\|--config\) _files; return ;;/],
    ['fish', /^complete .* -l config -r -F -d /m],
  ])('in %s offers files where one is wanted', async (shell, offer) => {
    expect((await run('completion', shell)).printed).toMatch(offer);
  });

  it.each([
    ['bash', /-o\|--output\) COMPREPLY=\(\$\(compgen -W 'table json yaml' /],
    ['zsh', /-o\|--output\) compadd -- table json yaml; return ;;/],
    ['fish', /^complete .* -l output -x -a 'table json yaml' -d /m],
  ])('in %s offers what a value may be', async (shell, offer) => {
    expect((await run('completion', shell)).printed).toMatch(offer);
  });

  it('in bash knows commands, those below them, their options, and what these take', async () => {
    expect(await offered('s')).toEqual(['status']);
    expect(await offered('clusterset', '')).toEqual(['status', '--help']);
    expect(await offered('plan', '--det')).toEqual(['--detailed-exitcode']);
    expect(await offered('status', '-o', '')).toEqual(['table', 'json', 'yaml']);
    expect(await offered('status', '--json', '--wat')).toEqual(['--watch']);
    expect(await offered('why', 'serv')).toEqual(['service', 'serviceexport', 'serviceimport']);
    expect(await offered('run', '--config', 'packag')).toContain('package.json');
  });

  it.skipIf(!isInstalled('fish'))('in fish knows them likewise, and complains of nothing', async () => {
    const { printed } = await run('completion', 'fish');
    const inFish = async (line: string) => {
      const { stdout, stderr } = await runCommand('fish', ['--no-config', '-c', `${printed}\ncomplete -C '${line}'`]);
      expect(stderr).toBe('');
      return stdout.split('\n').flatMap((found) => found.split('\t')[0] || []);
    };
    expect(await inFish('fairlead s')).toEqual(['status']);
    expect(await inFish('fairlead ')).toContain('why');
    expect(await inFish('fairlead clusterset ')).toEqual(['status']);
    expect(await inFish('fairlead plan --det')).toEqual(['--detailed-exitcode']);
    for (const flag of ['-o', '--output'])
      expect(await inFish(`fairlead status ${flag} `)).toEqual(['json', 'table', 'yaml']);
    for (const flag of ['-c', '--config'])
      expect(await inFish(`fairlead run ${flag} packag`)).toContain('package.json');
  });

  it.skipIf(!isInstalled('zsh'))('in zsh knows them likewise, sourced or as a function of the path', async () => {
    const { printed } = await run('completion', 'zsh');
    // What of the completion system is called, as far as it matters which words it is given.
    const system = 'compdef() { }; compadd() { print -l -- "${@:2}" }; _describe() { print -l -- "${(@P)2%%:*}" }';
    const inZsh = async (script: string, ...words: readonly string[]) => {
      const typed = words.map((word) => `'${word}'`).join(' ');
      const asked = `${system}\nwords=(${typed}) CURRENT=${words.length}\n${script}\n_fairlead\n`;
      const { stdout, stderr } = await runCommand('zsh', ['-f'], asked);
      expect(stderr).toBe('');
      return stdout.trim().split('\n');
    };
    expect(await inZsh(printed, 'fairlead', '')).toContain('why');
    expect(await inZsh(printed, 'fairlead', 'clusterset', '')).toEqual(['status', '--help']);
    expect(await inZsh(printed, 'fairlead', 'status', '-o', '')).toEqual(['table', 'json', 'yaml']);
    expect(await inZsh(`_fairlead() {\n${printed}\n}`, 'fairlead', 'clusterset', '')).toEqual(['status', '--help']);
  });

  it.each(['bash', 'zsh', 'fish'])('in %s has every command', async (shell) => {
    const { printed } = await run('completion', shell);
    for (const word of ['why', 'release', 'completion', 'addresses', 'detailed-exitcode'])
      expect(printed).toContain(word);
  });

  it.each(['tcsh', 'constructor'])('names the shells there are instead of %s', async (shell) => {
    expect(await run('completion', shell)).toMatchObject({
      exitCode: 2,
      complained: `fairlead: there is a completion for bash, zsh, fish, not for ${shell}`,
    });
  });
});
