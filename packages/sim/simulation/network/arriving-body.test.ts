import { describe, expect, it } from 'vitest';
import { ArrivingBody } from './arriving-body.ts';

const piece = (text: string) => new TextEncoder().encode(text);

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of body) text += new TextDecoder().decode(part);
  return text;
}

describe('an arriving body', () => {
  it('hands out what arrived before and after it was asked, in order', async () => {
    const body = new ArrivingBody(() => {});
    body.arrive(piece('a'));
    const reading = readAll(body);
    await Promise.resolve();
    body.arrive(piece('b'));
    body.arrive(piece('c'));
    body.end();
    body.arrive(piece('too late'));
    expect(await reading).toBe('abc');
  });

  it('tells an error once, after what had arrived, and is over then', async () => {
    const body = new ArrivingBody(() => {});
    body.arrive(piece('a'));
    body.fail(new Error('reset'));
    expect((await body.next()).value).toEqual(piece('a'));
    await expect(body.next()).rejects.toThrow('reset');
    expect(await body.next()).toEqual({ done: true, value: undefined });
  });

  it('drops what had arrived when the reader gives up', async () => {
    const body = new ArrivingBody(() => {});
    body.arrive(piece('a'));
    body.abort(new Error('time is up'));
    await expect(body.next()).rejects.toThrow('time is up');
  });

  it('wakes a waiting reader when the reader gives up', async () => {
    const body = new ArrivingBody(() => {});
    const waiting = body.next();
    body.abort(new Error('time is up'));
    await expect(waiting).rejects.toThrow('time is up');
  });

  it('closes the connection when the reader leaves the loop, but not after the end', async () => {
    let closed = 0;
    const left = new ArrivingBody(() => {
      closed += 1;
    });
    left.arrive(piece('a'));
    for await (const part of left) {
      expect(part).toEqual(piece('a'));
      break;
    }
    expect(closed).toBe(1);
    const ended = new ArrivingBody(() => {
      closed += 1;
    });
    ended.end();
    await readAll(ended);
    await ended.return();
    expect(closed).toBe(1);
  });

  it('tells every waiting reader that it is over', async () => {
    const body = new ArrivingBody(() => {});
    const waiting = [body.next(), body.next()];
    body.end();
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });
});
