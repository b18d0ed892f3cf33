import { messageOf, sleep } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import type { Part } from '@fairlead/part';
import { whyCommand } from '../commands/why.ts';
import { plain } from '../render/palette.ts';
import { parseSubject } from '../subject.ts';
import type { Terminal } from '../terminal.ts';
import { continued, demoCommands } from './commands.ts';
import type { Scene } from './scene.ts';
import { Screen } from './screen.ts';
import { renderPage, renderServices } from './view.ts';
import { afterKey, keysIn, type ViewState } from './view-state.ts';
import type { EmbeddedWorld } from './world.ts';

const REFRESH_MILLISECONDS = 250;

/** Shows the world on the whole screen, and goes by the keys, until a person quits or the signal aborts. */
export async function showLive(
  parts: readonly Part[],
  world: EmbeddedWorld,
  look: () => Promise<Scene>,
  { palette, typed }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const quit = new AbortController();
  const stop = AbortSignal.any([signal, quit.signal]);
  let scene = await look();
  let state: ViewState = { page: 'services', selected: 0 };
  let report: readonly string[] = [];
  const keysOf = () => scene.services.map(({ key }) => key);
  using screen = new Screen(process.stdout, process.stdin, (text) => {
    for (const key of keysIn(text)) {
      if (key === 'quit') return quit.abort();
      const next = afterKey(state, key, keysOf());
      if (next.page === 'why' && state.page !== 'why') void tell(next.subject);
      state = next;
    }
    draw();
  });
  const tell = async (subject: string) => {
    report = [`Asking why ${subject} is as it is ...`];
    const told = await reportOf(world.configurationPath, parts, subject, stop);
    // Meanwhile a person may have asked about another one.
    if (state.page === 'why' && state.subject === subject) report = told;
    draw();
  };
  const draw = () => {
    const canvas = { columns: screen.columns, rows: screen.rows, palette };
    screen.draw(linesOf(canvas));
  };
  const linesOf = (canvas: Parameters<typeof renderServices>[2]) => {
    if (state.page === 'services') return renderServices(scene, state.selected, canvas);
    const commands = demoCommands(typed, world, keysOf()[state.selected]);
    const lines = commands.flatMap((command) => ['', ...continued(command, canvas.columns)]);
    const text = state.page === 'why' ? report : ['In another terminal:', ...lines];
    const page = renderPage(text, state.scroll, canvas);
    // Who scrolls beyond the end is there when they turn back.
    state = { ...state, scroll: page.scroll };
    return page.lines;
  };
  while (!stop.aborted) {
    draw();
    await sleep(systemClock, REFRESH_MILLISECONDS, stop).catch(() => {});
    if (!stop.aborted) scene = await look();
  }
}

/** The same words as the command has. */
async function reportOf(
  file: string,
  parts: readonly Part[],
  service: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const subject = parseSubject(['service', service], undefined, ['service']);
  const output = { print: (line: string) => void lines.push(...line.split('\n')), palette: plain };
  try {
    await whyCommand(file, parts, { subject, server: undefined, format: 'table' }, signal, output);
  } catch (error) {
    lines.push(...messageOf(error).split('\n'));
  }
  return lines;
}
