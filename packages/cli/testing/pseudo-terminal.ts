import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const COLUMNS = 80;
const ROWS = 24;
const LIMIT_MS = 40_000;

/** What a terminal leaves of text: no colours, nothing that moves the cursor. */
// oxlint-disable-next-line no-control-regex -- it is what a program sends to a terminal
const CONTROL = /\u001b\[[?0-9;]*[A-Za-z]/g;

/** A program on a terminal of 80 columns and 24 rows, which `script` of util-linux makes. */
export class PseudoTerminal implements AsyncDisposable {
  readonly #child: ChildProcess;
  #text = '';

  constructor(command: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const line = command.map((word) => `'${word}'`).join(' ');
    const inside = `stty cols ${COLUMNS} rows ${ROWS}; exec ${line}`;
    this.#child = spawn('script', ['--quiet', '--flush', '--return', '--command', inside, '/dev/null'], {
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#text += text));
  }

  /** All that the program sent. */
  get text(): string {
    return this.#text;
  }

  /** The lines of the screen as it was drawn last, from its first corner on. */
  get screen(): readonly string[] {
    const drawn = this.#text.slice(this.#text.lastIndexOf('\u001b[H'));
    return drawn.replace(CONTROL, '').split(/\r*\n/);
  }

  /** Types keys. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Waits until what was sent, or is on the screen, is as expected. */
  async until(what: string, isSo: (terminal: PseudoTerminal) => boolean): Promise<void> {
    const end = performance.now() + LIMIT_MS;
    while (!isSo(this)) {
      if (performance.now() > end || this.#child.exitCode !== null)
        throw new Error(`${what} was not seen; the terminal has:\n${this.#text}`);
      await sleep(20);
    }
  }

  /** The exit code of the program. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  /** As when its window is closed: what runs on it is told, and nothing can be read or written there any more. */
  async close(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }
}
