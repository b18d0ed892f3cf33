import { describe, expect, it } from 'vitest';
import { History } from './history.ts';

function historyOf(...lines: readonly string[]): History {
  const history = new History();
  for (const line of lines) history.record(line);
  return history;
}

describe('history', () => {
  it('has the same hash for the same lines in the same order, and no other', () => {
    expect(historyOf('a', 'b').hash()).toBe(historyOf('a', 'b').hash());
    expect(historyOf('a', 'b').hash()).not.toBe(historyOf('b', 'a').hash());
    expect(historyOf('a', 'b').hash()).not.toBe(historyOf('ab').hash());
  });

  it('counts content in the hash without keeping it', () => {
    const history = historyOf('a');
    const before = history.hash();
    history.absorb(new Uint8Array([1, 2, 3]));
    expect(history.hash()).not.toBe(before);
    expect(history.tail()).toEqual(['a']);
  });

  it('can be asked for its hash and go on', () => {
    const history = historyOf('a');
    history.hash();
    history.record('b');
    expect(history.hash()).toBe(historyOf('a', 'b').hash());
  });

  it('keeps only the last lines, however many there were', () => {
    const history = new History();
    for (let line = 1; line <= 1000; line += 1) history.record(`line ${line}`);
    expect(history.tail()).toHaveLength(60);
    expect(history.tail().at(-1)).toBe('line 1000');
    expect(history.tail()[0]).toBe('line 941');
  });

  it('keeps every line when told to', () => {
    const history = new History({ keepsAll: true });
    for (let line = 1; line <= 1000; line += 1) history.record(`line ${line}`);
    expect(history.tail()).toHaveLength(1000);
  });
});
