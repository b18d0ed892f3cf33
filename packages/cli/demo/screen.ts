import type { ReadStream, WriteStream } from 'node:tty';

/** No line is broken: characters of double width, which anybody may write into an Event, move none of the others. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
/** Before a line is written: behind one that is as long as the screen is wide, its last character would go, too. */
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

/** Of a terminal that does not tell its size. */
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

/** The alternate screen of a terminal, which leaves no trace in the scrollback, and the keys of its keyboard. */
export class Screen implements Disposable {
  readonly #output: WriteStream;
  readonly #input: ReadStream;
  readonly #onData: (data: Buffer) => void;
  readonly #onExit = () => this.#leave();
  #shown = '';
  #isOpen = true;

  constructor(output: WriteStream, input: ReadStream, onText: (text: string) => void) {
    this.#output = output;
    this.#input = input;
    this.#onData = (data) => onText(data.toString('utf8'));
    output.write(ENTER);
    if (input.isTTY) input.setRawMode(true);
    input.on('data', this.#onData).resume();
    // However the process ends, the terminal is as it was.
    process.once('exit', this.#onExit);
  }

  get columns(): number {
    return this.#output.columns || USUAL_COLUMNS;
  }

  get rows(): number {
    return this.#output.rows || USUAL_ROWS;
  }

  /** Draws what differs from what is there; a line that is too long is the caller's to cut. */
  draw(lines: readonly string[]): void {
    const frame = lines.map((line) => `${REST_OF_LINE}${line}`).join('\r\n');
    if (!this.#isOpen || frame === this.#shown) return;
    this.#shown = frame;
    this.#output.write(`${HOME}${frame}${REST_OF_SCREEN}`);
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#onExit);
    this.#leave();
  }

  #leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input.off('data', this.#onData).pause();
    if (this.#input.isTTY) this.#input.setRawMode(false);
    this.#output.write(LEAVE);
  }
}
