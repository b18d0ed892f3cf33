import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parts } from './parts.ts';
import { runProgram } from './program.ts';
import { recordedTerminal } from './testing/recorded-terminal.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

/** The words behind `fairlead` in code of a page, one command each. */
function commandsIn(page: string): readonly (readonly string[])[] {
  const code = [...page.matchAll(/```sh\n(.*?)```|`([^`]+)`/gs)].map(([, block, inline]) => block ?? inline ?? '');
  const typed = code
    .join('\n')
    .split('\n')
    .filter((line) => !/^\s*helm /.test(line))
    .flatMap((line) => [...line.matchAll(/(?:^|[ (/])fairlead ([a-z][^|#]*)/g)]);
  return typed.map(([, words = '']) => words.split(/[.,:;)]*(?:\s|$)/).filter((word) => word !== ''));
}

/** What the help of a command says; of one below another, where there is one. */
async function helpFor([first = '', second = '']: readonly string[]): Promise<{ exitCode: number; help: string }> {
  const below = parts.some(({ name }) => name === first) && /^[a-z]/.test(second) ? [second] : [];
  const { terminal, told } = recordedTerminal();
  const exitCode = await runProgram([first, ...below, '--help'], parts, terminal, new AbortController().signal);
  const { printed, complained } = told();
  return { exitCode, help: printed + complained };
}

describe('the commands that the pages name', async () => {
  const pages = (await readdir(DOCS)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(
    pages.map(async (name) => ({ name, text: await readFile(join(DOCS, name), 'utf8') })),
  );

  const named = texts.filter(({ text }) => commandsIn(text).length > 0);

  it.each(named)('are there, with their options: $name', async ({ text }) => {
    for (const words of commandsIn(text)) {
      const { exitCode, help } = await helpFor(words);
      expect(exitCode, `fairlead ${words.join(' ')}: ${help}`).toBe(0);
      for (const option of words.filter((word) => /^--[a-z]/.test(word)))
        expect(help, `fairlead ${words.join(' ')}`).toContain(option.replace(/=.*/, ''));
    }
  });
});
