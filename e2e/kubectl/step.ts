/** A command that a user types. */
export interface Step {
  /** What follows `kubectl`; single quotes keep words together. */
  readonly command: string;
  /** For `-f -`. */
  readonly input?: string;
  /** How it ends; 0 unless told otherwise. */
  readonly code?: number;
  /** What `kubectl edit` opens the file with. */
  readonly editor?: string;
  /** It says nothing. */
  readonly silent?: true;
  /** Of both outputs only this is compared. */
  readonly only?: (output: string) => string;
}

export interface Chapter {
  readonly title: string;
  readonly steps: readonly Step[];
}

export function chapter(title: string, ...steps: readonly (string | Step)[]): Chapter {
  return { title, steps: steps.map((step) => (typeof step === 'string' ? { command: step } : step)) };
}

/** A command that is refused. */
export function refused(command: string, more: Partial<Step> = {}): Step {
  return { command, code: 1, ...more };
}

/** A command that says nothing when all is well. */
export function silent(command: string): Step {
  return { command, silent: true };
}

/** The rows of a table that start like this. */
export function rows(start: RegExp): (output: string) => string {
  return (output) => linesThat(output, (line) => start.test(line));
}

/** What `kubectl explain` tells without its sentences: ours are our own. */
export function structure(output: string): string {
  return linesThat(output, (line) => /^(?:GROUP|KIND|VERSION|FIELD|FIELDS):|\t</.test(line));
}

export function firstLine(output: string): string {
  return output.split('\n', 1).join('');
}

function linesThat(text: string, matches: (line: string) => boolean): string {
  return text.split('\n').filter(matches).join('\n');
}
