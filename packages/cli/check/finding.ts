import type { Palette } from '../render/palette.ts';
import { oneLine } from '../render/printable.ts';

/** One thing that was looked at. */
export interface Finding {
  /** What it is about: `cluster`, `permission`, `gateway`. */
  readonly about: string;
  readonly isWell: boolean;
  /** What was found, in a sentence; where it is not well, with what mends it. */
  readonly text: string;
}

export const well = (about: string, text: string): Finding => ({ about, isWell: true, text });

export const wrong = (about: string, text: string): Finding => ({ about, isWell: false, text });

export function renderFinding({ about, isWell, text }: Finding, { good, bad }: Palette): string {
  return `${isWell ? good('✓') : bad('✗')} ${about}: ${oneLine(text)}`;
}
