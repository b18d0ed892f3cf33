import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program of its own, so that its processor time and memory are its own too. */
export interface Program {
  readonly command: string;
  readonly parameters: readonly string[];
}

/** A TypeScript file of this repository under the same Node. */
export function nodeProgram(file: string, parameters: readonly string[], flags: readonly string[] = []): Program {
  return {
    command: process.execPath,
    parameters: [...flags, '--disable-warning=ExperimentalWarning', file, ...parameters],
  };
}

/** Runs the program to its end; gives the numbers in the JSON object that it prints. */
export async function measure(program: Program): Promise<Readonly<Record<string, number>>> {
  const child = spawn(program.command, program.parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text, [exitCode]] = await Promise.all([firstLine(child), once(child, 'exit')]);
  if (exitCode !== 0) throw new Error(`${program.command} ended with code ${String(exitCode)}`);
  return numbersIn(text);
}

/** Starts a server that prints its URL and ends when its standard input closes; runs the work; ends the server. */
export async function withServer<Result>(program: Program, work: (url: string) => Promise<Result>): Promise<Result> {
  const child = spawn(program.command, program.parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    return await work(await firstLine(child));
  } finally {
    child.stdin.end();
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the program has no output');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the program ended without a result');
}

function numbersIn(text: string): Readonly<Record<string, number>> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error(`expected figures, not ${text}`);
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
