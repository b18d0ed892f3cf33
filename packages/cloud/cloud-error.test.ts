import { expect, it } from 'vitest';
import { oneLine, pageText } from './cloud-error.ts';

it('what a cloud says is told on one line, also where it breaks lines as a page does', () => {
  expect(oneLine(' no quota<br />\n\tleft<br>here ')).toBe('no quota left here');
});

it('of what a cloud says at length the beginning is told', () => {
  expect(oneLine('x'.repeat(400))).toBe('x'.repeat(400));
  expect(oneLine('x'.repeat(401))).toBe(`${'x'.repeat(400)}…`);
});

it('of a page the words are told, and looked for in its beginning only', () => {
  expect(pageText('<html><h1>502</h1><p>Bad gateway</p></html>')).toBe('502 Bad gateway');
  expect(pageText(`${'<hr>'.repeat(20_000)}far below`)).toBe('');
});
