/** What the view shows, and where in it a person is. */
export type ViewState =
  | { readonly page: 'services'; readonly selected: number }
  /** `subject` is the Service that was selected. */
  | { readonly page: 'why'; readonly selected: number; readonly subject: string; readonly scroll: number }
  | { readonly page: 'commands'; readonly selected: number; readonly scroll: number };

/** A key that means something here. */
export type Key = 'up' | 'down' | 'enter' | 'back' | 'commands' | 'quit';

const KEYS: Readonly<Record<string, Key>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  k: 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  j: 'down',
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'back',
  '\u001b[D': 'back',
  '\u007f': 'back',
  c: 'commands',
  q: 'quit',
  // In raw mode, the terminal makes no signal of Ctrl+C and Ctrl+D.
  '\u0003': 'quit',
  '\u0004': 'quit',
};

// oxlint-disable-next-line no-control-regex -- it is what a terminal sends
const ONE_KEY = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])|[\s\S]/gu;

/** The keys in what a terminal sent, which may be several at once. */
export function keysIn(text: string): readonly Key[] {
  return (text.match(ONE_KEY) ?? []).flatMap((one) => KEYS[one] ?? []);
}

/** Where a key leads; `services` are the keys of the Services that are shown. */
export function afterKey(state: ViewState, key: Exclude<Key, 'quit'>, services: readonly string[]): ViewState {
  const selected = Math.min(state.selected, Math.max(0, services.length - 1));
  if (key === 'commands') return { page: 'commands', selected, scroll: 0 };
  if (key === 'back') return { page: 'services', selected };
  const step = key === 'up' ? -1 : key === 'down' ? 1 : 0;
  if (state.page !== 'services') {
    return key === 'enter' ? { page: 'services', selected } : { ...state, scroll: Math.max(0, state.scroll + step) };
  }
  if (key !== 'enter') {
    return { page: 'services', selected: Math.min(Math.max(0, selected + step), Math.max(0, services.length - 1)) };
  }
  const subject = services[selected];
  return subject === undefined ? state : { page: 'why', selected, subject, scroll: 0 };
}
