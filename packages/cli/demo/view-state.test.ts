import { describe, expect, it } from 'vitest';
import { afterKey, keysIn, type ViewState } from './view-state.ts';

const SERVICES = ['a/one', 'a/two', 'a/three'];

/** Where these keys lead from the start. */
function after(text: string): ViewState {
  let state: ViewState = { page: 'services', selected: 0 };
  for (const key of keysIn(text)) if (key !== 'quit') state = afterKey(state, key, SERVICES);
  return state;
}

describe('the keys of the demo', () => {
  it('are read one by one, also when a terminal sends several at once', () => {
    expect(keysIn('\u001b[A\u001b[Bjx\r\u001b')).toEqual(['up', 'down', 'down', 'enter', 'back']);
  });

  it('end it with q, as with Ctrl+C and Ctrl+D', () => {
    for (const text of ['q', '\u0003', '\u0004']) expect(keysIn(text)).toEqual(['quit']);
  });

  it('choose a Service, and stay within the list', () => {
    expect(after('\u001b[B')).toEqual({ page: 'services', selected: 1 });
    expect(after('\u001b[A\u001b[A')).toEqual({ page: 'services', selected: 0 });
    expect(after('jjjjjj')).toEqual({ page: 'services', selected: 2 });
  });

  it('ask why with Enter, scroll there, and go back', () => {
    expect(after('j\r')).toEqual({ page: 'why', selected: 1, subject: 'a/two', scroll: 0 });
    expect(after('j\rjjk')).toMatchObject({ page: 'why', scroll: 1 });
    expect(after('j\r\u001b')).toEqual({ page: 'services', selected: 1 });
    expect(after('c')).toEqual({ page: 'commands', selected: 0, scroll: 0 });
  });
});
