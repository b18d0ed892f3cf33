import { type Palette, plain } from './palette.ts';

/** All that moves a terminal's cursor, changes what it shows or turns the direction of text, but for ends of lines. */
const CONTROLS = /(?![\n\t])(?:\p{Cc}(?:\[\d+m)?|\p{Bidi_Control})/gu;
/** What the palette paints with. */
const COLOURS = new Set([1, 2, 22, 31, 32, 33, 39].map((code) => `\u001b[${code}m`));

/** Words of tenants where one line is meant, before it is painted: they forge no line, and no colour, of ours. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\s\u0085]+/gu, ' ').trim());
}

/** A text that tenants may have put words into, for the terminal of an operator; in JSON it stands for the same. */
export function printable(text: string, palette: Palette = plain): string {
  return text.replace(CONTROLS, (control) => {
    if (palette !== plain && COLOURS.has(control)) return control;
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}${control.slice(1)}`;
  });
}
