import { type Palette, plain } from '../render/palette.ts';
import { oneLine, printable } from '../render/printable.ts';

/** Fields that have a place of their own. */
const PLACED = new Set(['time', 'level', 'msg']);
const LONGEST_LEVEL = 5;

const PAINTS: Readonly<Record<string, keyof Palette>> = { debug: 'faint', warn: 'careful', error: 'bad' };

/** A line of the log as a person reads it: time of day, level, what happened, and then the fields. */
export function readableLine(json: string, palette: Palette = plain): string {
  const line: unknown = JSON.parse(json);
  if (typeof line !== 'object' || line === null) return json;
  const fields = Object.entries(line);
  const textOf = (name: string) => String(fields.find(([key]) => key === name)?.[1] ?? '');
  const time = textOf('time')
    .replace(/^.*T/, '')
    .replace(/\.\d+Z$/, 'Z');
  const rest = fields
    .filter(([name]) => !PLACED.has(name))
    .map(([name, value]) => palette.faint(printable(`${name}=${fieldText(value)}`)));
  const paint = PAINTS[textOf('level')];
  const level = textOf('level').padEnd(LONGEST_LEVEL);
  const told = [time, paint === undefined ? level : palette[paint](level), oneLine(textOf('msg'))];
  return `${[...told, ...rest].join(' ')}\n`;
}

/** Quoted only where it would be unclear where it ends. */
function fieldText(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value;
  return JSON.stringify(value);
}
