import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Runs a command to its end; `input` is what it reads on its standard input. Rejects only when it cannot be started. */
export async function runCommand(
  command: string,
  parameters: readonly string[],
  input = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const env = { ...process.env, ...environment };
  const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'pipe'], env });
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
  // A command that ends without reading its input is none of our business: its code tells.
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
