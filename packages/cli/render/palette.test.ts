import { describe, expect, it } from 'vitest';
import { paletteFor } from './palette.ts';

describe('colours', () => {
  it('are for a terminal', () => {
    expect(paletteFor(true, {}).bad('gone')).toBe('\u001b[31mgone\u001b[39m');
    for (const environment of [{}, { TERM: 'xterm-256color' }, { TERM: 'xterm' }]) {
      expect(paletteFor(false, environment).bad('gone')).toBe('gone');
    }
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('are left out where a person wants none: %o', (environment) => {
    expect(paletteFor(true, environment).strong('gone')).toBe('gone');
  });
});
