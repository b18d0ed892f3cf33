import { isJsonList, isJsonObject, type Json, listOf, objectOf, textOf } from '../../../json.ts';
import type { Definition } from '../../crd/definition.ts';
import { ageOf } from './age.ts';
import { parseJsonPath } from './json-path.ts';
import { type Column, NAME_COLUMN, type Printer } from './printer.ts';

const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** How a version of a custom resource is printed: by the columns that its definition asks for. */
export function customPrinter({ spec }: Definition, version: string): Printer {
  const definition = objectOf(spec.versions?.find(({ name }) => name === version));
  const asked = listOf(definition.additionalPrinterColumns).map(objectOf);
  const columns = (asked.length === 0 ? [AGE] : asked).map((described) => ({
    column: columnOf(described),
    path: parseJsonPath(textOf(described.jsonPath)),
  }));
  return {
    columns: [NAME_COLUMN, ...columns.map(({ column }) => column)],
    cells: (object, now) => [
      object.metadata.name,
      ...columns.map(({ column, path }) => cellOf(column.type, path(object)[0] ?? null, now)),
    ],
  };
}

function columnOf({ name, type, format, description, priority, jsonPath }: { readonly [field: string]: Json }): Column {
  return {
    name: textOf(name),
    type: columnType(textOf(type)),
    format: textOf(format),
    description: textOf(description) || `Custom resource definition column (in JSONPath format): ${textOf(jsonPath)}`,
    priority: typeof priority === 'number' ? priority : 0,
  };
}

function columnType(text: string): Column['type'] {
  return text === 'integer' || text === 'number' || text === 'boolean' || text === 'date' ? text : 'string';
}

function cellOf(type: Column['type'], value: Json, now: number): Json {
  if (value === null) return null;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(sorted(value));
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now);
  }
}

/** The server writes the names in such a cell in order. */
function sorted(value: Json): Json {
  if (isJsonList(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}
