import { type Palette, plain } from './palette.ts';

/** All that moves a terminal's cursor, changes what it shows or turns the direction of text, but for ends of lines. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;
/** The same, but for the colours of the palette: who writes those into an annotation can colour it, and no more. */
const CONTROLS_BUT_COLOURS = /(?![\n\t])(?!\u001b\[(?:1|2|22|31|32|33|39)m)[\p{Cc}\p{Bidi_Control}]/gu;

/** A text that tenants may have put words into, for the terminal of an operator; in JSON it stands for the same. */
export function printable(text: string, palette: Palette = plain): string {
  const controls = palette === plain ? CONTROLS : CONTROLS_BUT_COLOURS;
  return text.replace(controls, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
