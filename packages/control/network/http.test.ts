import { describe, expect, it } from 'vitest';
import { readText } from './http.ts';

describe('readText', () => {
  it('puts together a character that was split between two pieces', async () => {
    const bytes = new TextEncoder().encode('größe €');
    async function* pieces() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    expect(await readText({ status: 200, headers: {}, body: pieces() })).toBe('größe €');
  });
});
