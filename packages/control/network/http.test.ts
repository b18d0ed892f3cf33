import { describe, expect, it } from 'vitest';
import { readText } from './http.ts';

describe('readText', () => {
  it('stops reading what has no end', async () => {
    let sent = 0;
    async function* endless() {
      for (;;) {
        sent += 1000;
        yield new Uint8Array(1000);
      }
    }
    const reading = readText({ status: 200, headers: {}, body: endless() }, 10_000);
    await expect(reading).rejects.toMatchObject({ code: 'answer-too-large', verdict: 'terminal' });
    expect(sent).toBeLessThanOrEqual(11_000);
  });

  it('puts together a character that was split between two pieces', async () => {
    const bytes = new TextEncoder().encode('größe €');
    async function* pieces() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    expect(await readText({ status: 200, headers: {}, body: pieces() })).toBe('größe €');
  });
});
