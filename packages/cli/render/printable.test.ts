import { describe, expect, it } from 'vitest';
import { paletteFor } from './palette.ts';
import { oneLine, printable } from './printable.ts';

describe('what is printed', () => {
  it('shows what would move the cursor or hide words, and does nothing of it', () => {
    const asked = 'the flavor \u001b[2J\u009b1A\rgold\u202e, and\n\tmore';
    expect(printable(asked)).toBe('the flavor \\u001b[2J\\u009b1A\\u000dgold\\u202e, and\n\tmore');
  });

  it('has the colours of the palette where there are any, and no other way to change what is shown', () => {
    const palette = paletteFor(true, {});
    const line = `${palette.good('fine')} ${palette.faint('and')} ${palette.strong('more')}`;
    expect(printable(line, palette)).toBe(line);
    expect(printable(line)).not.toContain('\u001b');
    expect(printable('\u001b[8mhidden\u001b[0m', palette)).toBe('\\u001b[8mhidden\\u001b[0m');
  });

  it('is one line where a line was meant, whatever a tenant wrote into it', () => {
    expect(oneLine('an Event\r\n  There:\n\tall is well\u2028 \u0085and more')).toBe(
      'an Event There: all is well and more',
    );
  });

  it('has no colour that a tenant wrote, which would go on in the lines after it', () => {
    const palette = paletteFor(true, {});
    const line = palette.bad(oneLine('refused\u001b[39m\u001b[32m: all is well'));
    expect(printable(line, palette)).toBe(palette.bad('refused\\u001b[39m\\u001b[32m: all is well'));
  });

  it('is the same value to a program', () => {
    const value = { answer: 'a\u001bb\u009bc\u202ed \u{1f6a2} é' };
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value);
  });
});
