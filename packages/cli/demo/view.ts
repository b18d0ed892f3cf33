import { renderTable } from '@fairlead/control';
import type { Palette } from '../render/palette.ts';
import { oneLine, printable } from '../render/printable.ts';
import { isDone, type Scene, type SceneService, type ServiceState } from './scene.ts';

/** The terminal that is drawn on. */
export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  readonly palette: Palette;
}

const STATE_PAINTS: Readonly<Record<ServiceState, keyof Palette>> = {
  programmed: 'good',
  waiting: 'careful',
  'being deleted': 'careful',
  refused: 'bad',
  'not ours': 'faint',
};

const KEYS_OF_SERVICES = '↑ ↓ choose   Enter why   c commands   q quit';
const KEYS_OF_PAGES = '↑ ↓ scroll   Esc back   q quit';
/** Lines of recent activity that are kept, however many Services there are. */
const LEAST_ACTIVITY = 3;

/** Everything at one moment, line by line, for a pipe or a summary. */
export function renderScene(scene: Scene): string[] {
  const rows = scene.services.map((one) => [
    one.key,
    one.class,
    one.ports,
    one.addresses,
    oneLine(one.message) || one.state,
  ]);
  return [
    titleOf(scene),
    '',
    ...renderTable([['SERVICE', 'CLASS', 'PORTS', 'ADDRESS', 'STATE'], ...rows]),
    '',
    ...scene.parts.map((part) => oneLine(partText(part))),
  ];
}

/** The screen: Services, one of them selected, then the parts, and what happened last. */
export function renderServices(scene: Scene, selected: number, { columns, rows, palette }: Canvas): string[] {
  const parts = scene.parts.map((part) => {
    const text = fitted(partText(part), columns);
    return part.unready === undefined ? text : palette.careful(text);
  });
  const room = Math.max(1, rows - parts.length - LEAST_ACTIVITY - 7);
  const table = [
    ['SERVICE', 'PORTS', 'ADDRESS', 'STATE'],
    ...scene.services.map(({ key, ports, addresses, state }) => [key, ports, addresses, state]),
  ];
  const [header = '', ...lines] = renderTable(narrowed(table, columns - 2));
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), lines.length - room));
  const services = lines.slice(first, first + room).map((line, index) => {
    const service = scene.services[first + index];
    return service === undefined ? line : serviceLine(line, service, first + index === selected, columns, palette);
  });
  const top = [
    palette[isDone(scene) ? 'good' : 'strong'](fitted(`Fairlead demo: ${titleOf(scene)}`, columns)),
    '',
    palette.faint(fitted(`  ${header}`, columns)),
    ...services,
    lines.length > room ? palette.faint(`  … ${lines.length - room} more`) : '',
    ...parts,
    '',
    palette.strong('Recent activity'),
  ];
  const activity = scene.activity.slice(0, Math.max(0, rows - top.length - 1));
  return withFooter([...top, ...activity.map((line) => fitted(line, columns))], KEYS_OF_SERVICES, rows, palette);
}

/** A page of text, from a line on, or from the last one that leaves none of the page empty; tells which. */
export function renderPage(
  text: readonly string[],
  scroll: number,
  { columns, rows, palette }: Canvas,
): { readonly lines: readonly string[]; readonly scroll: number } {
  const all = text.flatMap((line) => wrapped(line, columns));
  const first = Math.min(scroll, Math.max(0, all.length - (rows - 1)));
  return { lines: withFooter(all.slice(first, first + rows - 1), KEYS_OF_PAGES, rows, palette), scroll: first };
}

function serviceLine(
  line: string,
  { state }: SceneService,
  isSelected: boolean,
  columns: number,
  palette: Palette,
): string {
  const text = fitted(`${isSelected ? '>' : ' '} ${line}`, columns);
  const at = text.lastIndexOf(state);
  const painted = at < 0 ? text : `${text.slice(0, at)}${palette[STATE_PAINTS[state]](state)}`;
  return isSelected ? palette.strong(painted) : painted;
}

/** Cut where they are widest, so that the last column is seen whatever the others hold. */
function narrowed(rows: readonly (readonly string[])[], columns: number): string[][] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  const last = widths.length - 1;
  for (let over = widths.reduce((sum, width) => sum + width, 2 * last) - columns; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths.slice(0, last)));
    widths[widest] = Math.max(1, (widths[widest] ?? 0) - 1);
  }
  return rows.map((row) => row.map((cell, at) => fitted(cell, widths[at] ?? 0)));
}

/** It counts what is shown; what else the scenes are made of is counted with their parts. */
function titleOf(scene: Scene): string {
  const ours = scene.services.filter(({ state }) => state !== 'not ours');
  const programmed = ours.filter(({ state }) => state === 'programmed').length;
  const time = `${isDone(scene) ? 'after' : 'for'} ${scene.seconds.toFixed(1)} s`;
  return `${programmed} of ${ours.length} Services programmed, ${time}`;
}

function partText({ name, done, total, unready }: Scene['parts'][number]): string {
  return `${name}: ${done} of ${total} done, ${unready === undefined ? 'ready' : `not ready: ${unready}`}`;
}

function withFooter(lines: readonly string[], keys: string, rows: number, { faint }: Palette): string[] {
  const shown = lines.slice(0, rows - 1);
  const blank = Array.from({ length: rows - 1 - shown.length }, () => '');
  return [...shown, ...blank, faint(keys)];
}

function fitted(given: string, columns: number): string {
  const text = printable(given).replace(/[\n\t]/g, ' ');
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}

/** Broken between words where there is a space, and indented as it began. */
function wrapped(given: string, columns: number): readonly string[] {
  const text = printable(given);
  const indent = Math.min(/^[\s-]*/.exec(text)?.[0].length ?? 0, Math.floor(columns / 2));
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > indent ? space : columns;
    lines.push(rest.slice(0, end));
    rest = ' '.repeat(indent) + rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
