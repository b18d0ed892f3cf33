import { FairleadError, messageOf } from '@fairlead/control';
import type { Part } from '@fairlead/part';
import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { issueText } from './issue-text.ts';
import { nearest } from './nearest.ts';
import { type Configuration, configurationSchema } from './schema.ts';

/** One mistake in the file, where it is and how to mend it. */
interface Problem {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Raised with every mistake of the file in its message, one a line. */
class ConfigurationError extends FairleadError {
  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map((problem) => `${file}:${problem.line}:${problem.column}: ${problem.text}`);
    super(lines.join('\n'), { verdict: 'terminal', code: 'configuration-invalid' });
  }
}

/** Reads a configuration file's text. `file` is only for messages. */
export function readConfiguration(text: string, file: string, parts: readonly Part[]): Configuration {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  // The first alone: those after it are what the parser makes of the rest.
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const text = `not valid YAML: ${mistake.message}`;
    throw new ConfigurationError(file, [{ ...place(mistake.pos[0]), text }]);
  }
  const schema = configurationSchema(parts);
  const result = schema.safeParse(toValue(document, file) ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  const misspelt = issues.flatMap((issue) => meantKeys(issue, schema));
  const mistakes = issues.filter((issue) => !misspelt.some((key) => followsFrom(key, issue)));
  const problems = mistakes.flatMap((issue) => describe(issue, document, place, schema));
  const inFileOrder = problems.toSorted((left, right) => left.line - right.line || left.column - right.column);
  throw new ConfigurationError(file, inFileOrder);
}

/** Aliases are resolved only here. */
function toValue(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ConfigurationError(file, [{ line: 1, column: 1, text: `not valid YAML: ${messageOf(error)}` }]);
  }
}

type Place = (offset: number) => { readonly line: number; readonly column: number };

function describe(issue: z.core.$ZodIssue, document: Document, place: Place, schema: z.ZodType): Problem[] {
  const path = pathOf(issue);
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, path);
    return issue.keys.map((key) => {
      const meant = nearest(key, known);
      const advice = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean ${meant}?`;
      return {
        ...place(keyOffset(document, [...path, key])),
        text: `unknown key ${dotted([...path, key])}: ${advice}`,
      };
    });
  }
  return [{ ...place(keyOffset(document, path)), text: `${dotted(path)}: ${issueText(issue)}` }];
}

/** The paths of what keys that are misspelt were meant to be. */
function meantKeys(issue: z.core.$ZodIssue, schema: z.ZodType): readonly (readonly string[])[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const path = pathOf(issue);
  const known = keysAt(schema, path);
  return issue.keys.flatMap((key) => {
    const meant = nearest(key, known);
    return meant === undefined ? [] : [[...path, meant].map(String)];
  });
}

/** Whether it is only that a key is missing which is there, misspelt: by itself, or for its section to be whole. */
function followsFrom(key: readonly string[], issue: z.core.$ZodIssue): boolean {
  const path = pathOf(issue).map(String);
  const isOf = (other: readonly string[]) => JSON.stringify(path) === JSON.stringify(other);
  return (issue.input === undefined && isOf(key)) || (issue.code === 'custom' && isOf(key.slice(0, -1)));
}

function pathOf({ path }: z.core.$ZodIssue): readonly (string | number)[] {
  return path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
}

function dotted(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((segment, index) => (typeof segment === 'number' ? `[${segment}]` : `${index > 0 ? '.' : ''}${segment}`))
    .join('');
}

/** Where the key of a path begins; for a key that is missing, where its nearest parent does. */
function keyOffset(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parentPath = path.slice(0, length - 1);
    const last = path[length - 1];
    const parent = parentPath.length === 0 ? document.contents : document.getIn(parentPath, true);
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === last);
      if (pair !== undefined && isScalar(pair.key) && pair.key.range) return pair.key.range[0];
    }
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (hasRange(node)) return node.range[0];
  }
  return 0;
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** The keys the schema knows at a path. */
function keysAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let current: unknown = schema;
  for (const segment of path) current = child(unwrap(current), segment);
  const shape = shapeOf(unwrap(current));
  return shape === undefined ? [] : Object.keys(shape);
}

function unwrap(schema: unknown): unknown {
  let current = schema;
  while (hasDefinition(current) && current.def.innerType !== undefined) current = current.def.innerType;
  return current;
}

function child(schema: unknown, segment: string | number): unknown {
  if (typeof segment === 'number') return hasDefinition(schema) ? schema.def.element : undefined;
  return shapeOf(schema)?.[segment];
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  return hasDefinition(schema) ? schema.def.shape : undefined;
}

interface SchemaWithDefinition {
  readonly def: {
    readonly innerType?: unknown;
    readonly element?: unknown;
    readonly shape?: Readonly<Record<string, unknown>>;
  };
}

function hasDefinition(schema: unknown): schema is SchemaWithDefinition {
  return typeof schema === 'object' && schema !== null && 'def' in schema && typeof schema.def === 'object';
}
