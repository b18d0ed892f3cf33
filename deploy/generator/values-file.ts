import { stringify } from 'yaml';
import type { z } from 'zod';

type ValueSchema = z.core.JSONSchema.BaseSchema;

const LINE_WIDTH = 118;

/** The values file with every value there is, its default and what it is for. What has no default is commented out. */
export function valuesFile(schema: ValueSchema): string {
  const blocks = children(schema).map(([name, child]) =>
    block(name, child, isOptional(schema, name, child)).join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

function block(name: string, schema: ValueSchema, optional: boolean): string[] {
  const lines = assignment(name, schema);
  return [...description(schema), ...(optional ? lines.map((line) => `# ${line}`) : lines)];
}

function assignment(name: string, schema: ValueSchema): string[] {
  const inner = children(schema);
  if (inner.length === 0)
    return withoutEnd(stringify({ [name]: schema.default ?? emptyValue(schema) }, { lineWidth: 0 }));
  const allOptional = inner.every(([key, child]) => isOptional(schema, key, child));
  const indented = inner.flatMap(([key, child]) => block(key, child, isOptional(schema, key, child)));
  return [allOptional ? `${name}: {}` : `${name}:`, ...indented.map((line) => `  ${line}`)];
}

function children(schema: ValueSchema): [string, ValueSchema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    typeof child === 'boolean' ? [] : [[name, child]],
  );
}

function isOptional(parent: ValueSchema, name: string, schema: ValueSchema): boolean {
  return schema.default === undefined && parent.required?.includes(name) !== true;
}

function description(schema: ValueSchema): string[] {
  const choice = schema.enum === undefined ? '' : `One of ${schema.enum.join(', ')}.`;
  const text = [schema.description ?? '', choice].filter((sentence) => sentence !== '').join(' ');
  return text === '' ? [] : wrapped(text).map((line) => `# ${line}`);
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= LINE_WIDTH - 10) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function emptyValue({ type }: ValueSchema): unknown {
  if (type === 'array') return [];
  if (type === 'object') return {};
  return type === 'string' ? '' : null;
}

function withoutEnd(text: string): string[] {
  return text.trimEnd().split('\n');
}
