import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

describe('docs/a-new-part.md', () => {
  it('has the whole part, word for word, in fewer than 200 lines', async () => {
    const source = await readFile(new URL('part.ts', import.meta.url), 'utf8');
    const page = await readFile(new URL('../../docs/a-new-part.md', import.meta.url), 'utf8');
    const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
    expect(blocks.join('\n')).toBe(source);
    expect(source.split('\n').length).toBeLessThan(200);
  });
});
