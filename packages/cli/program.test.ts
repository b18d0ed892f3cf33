import { describe, expect, it } from 'vitest';
import { runProgram } from './program.ts';

async function run(...words: readonly string[]) {
  const printed: string[] = [];
  const complained: string[] = [];
  const terminal = {
    print: (line: string) => void printed.push(line),
    complain: (line: string) => void complained.push(line),
    isInteractive: false,
  };
  const exitCode = await runProgram(words, [], terminal, new AbortController().signal);
  return { exitCode, printed: printed.join('\n'), complained: complained.join('\n') };
}

describe('the command line', () => {
  it.each([['nonsense'], ['nonsense', '--help'], ['nonsense', 'why']])(
    'refuses an unknown command: %s %s',
    async (...words) => {
      expect(await run(...words)).toEqual({
        exitCode: 2,
        printed: '',
        complained: 'fairlead: there is no command nonsense: fairlead --help shows the commands',
      });
    },
  );

  it('suggests the command that was meant', async () => {
    expect((await run('statsu', '--help')).complained).toBe(
      'fairlead: there is no command statsu: did you mean status?',
    );
  });

  it.each([['--help'], ['help'], ['plan', '--help'], ['--version']])('takes %s %s', async (...words) => {
    expect((await run(...words)).exitCode).toBe(0);
  });
});
