import { styleText } from 'node:util';

type Paint = (text: string) => string;

/** What colours mean, wherever there are any. */
export interface Palette {
  readonly good: Paint;
  readonly careful: Paint;
  readonly bad: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

const asItIs: Paint = (text) => text;

export const plain: Palette = { good: asItIs, careful: asItIs, bad: asItIs, strong: asItIs, faint: asItIs };

const painted = (format: Parameters<typeof styleText>[0]): Paint => {
  return (text) => (text === '' ? '' : styleText(format, text, { validateStream: false }));
};

const colours: Palette = {
  good: painted('green'),
  careful: painted('yellow'),
  bad: painted('red'),
  strong: painted('bold'),
  faint: painted('dim'),
};

/** Colours only where a person looks at a terminal that has them, and does not ask for none (no-color.org). */
export function paletteFor(
  isTerminal: boolean,
  { NO_COLOR = '', TERM = '' }: Readonly<Record<string, string | undefined>>,
): Palette {
  return isTerminal && NO_COLOR === '' && TERM !== 'dumb' ? colours : plain;
}
