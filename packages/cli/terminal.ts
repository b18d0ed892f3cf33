import type { Palette } from './render/palette.ts';

/** Where a command prints what it was asked for. */
export interface Output {
  readonly print: (line: string) => void;
  readonly palette: Palette;
}

export interface Terminal extends Output {
  /** A line about the command itself. */
  readonly complain: (line: string) => void;
  readonly isInteractive: boolean;
  /** What a person types to run this program again: `fairlead`, `npm start --`. */
  readonly typed: string;
}
