import type { Json, JsonObject } from '../../../json.ts';
import type { KubeObject } from '../../object.ts';
import { ageOf } from './age.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name` marks the column that `kubectl` shows first. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only in wide tables. */
  readonly priority: number;
}

/** How a kind is written as rows of a table. */
export interface Printer {
  readonly columns: readonly Column[];
  /** One cell for each column, of an object as it is stored. */
  cells(object: KubeObject, now: number): readonly Json[];
  /** What marks a row as finished. */
  conditions?(object: KubeObject): readonly JsonObject[];
}

export const NAME_COLUMN: Column = { ...column('Name'), format: 'name' };

export function column(name: string, priority = 0): Column {
  return { name, type: 'string', format: '', description: '', priority };
}

/** Columns that only wide tables show. */
export function wide(...names: readonly string[]): readonly Column[] {
  return names.map((name) => column(name, 1));
}

/** A printer of a name, columns of its own, an age, and columns for wide tables. */
export function printer(
  names: readonly string[],
  cells: (object: KubeObject, now: number) => readonly Json[],
  wideNames: readonly string[] = [],
  wideCells: (object: KubeObject) => readonly Json[] = () => [],
): Printer {
  return {
    columns: [NAME_COLUMN, ...names.map((name) => column(name)), column('Age'), ...wide(...wideNames)],
    cells: (object, now) => [
      object.metadata.name,
      ...cells(object, now),
      ageOf(object.metadata.creationTimestamp, now),
      ...wideCells(object),
    ],
  };
}

/** A printer of what every object has: a name and the time of its creation. */
export const PLAIN_PRINTER: Printer = {
  columns: [NAME_COLUMN, { ...column('Created At'), type: 'date' }],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? '0001-01-01T00:00:00Z'],
};

export function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

export function orNone(text: string): string {
  return text === '' ? '<none>' : text;
}

/** The first three, and how many more there are. */
export function firstThree(all: readonly string[]): string {
  const shown = all.slice(0, 3).join(',');
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}
