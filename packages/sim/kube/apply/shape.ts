import { fieldOf, isJsonList, isJsonObject, type Json } from '../../json.ts';
import type { ListSchema, ScalarType, Schema } from '../schema/schema.ts';
import { pathsOf } from './field-set.ts';
import { itemElement, ShapeError } from './typed.ts';

/** Where an applied configuration does not fit its kind, as `.spec.bogus: field not declared in schema`. */
export function shapeProblems(schema: Schema, value: Json): readonly string[] {
  const problems: string[] = [];
  check(schema, value, '', problems);
  return problems;
}

function check(schema: Schema, value: Json, path: string, problems: string[]): void {
  if (value === null) return;
  switch (schema.shape) {
    case 'untyped':
      return;
    case 'scalar':
      checkScalar(schema.type, value, path, problems);
      return;
    case 'list':
      if (isJsonList(value)) checkItems(schema, value, path, problems);
      else problems.push(`${path}: expected list, got ${shown(value)}`);
      return;
    case 'map':
    case 'struct':
      if (isJsonObject(value)) checkFields(schema, value, path, problems);
      else problems.push(`${path}: expected map, got ${shown(value)}`);
  }
}

function checkFields(
  schema: Extract<Schema, { shape: 'map' | 'struct' }>,
  value: { readonly [name: string]: Json },
  path: string,
  problems: string[],
): void {
  for (const name of Object.keys(value).sort()) {
    const inner = schema.shape === 'map' ? schema.values : (schema.fields.get(name)?.schema ?? schema.others);
    const innerPath = `${path}.${name}`;
    if (inner === undefined) problems.push(`${innerPath}: field not declared in schema`);
    else check(inner, fieldOf(value, name) ?? null, innerPath, problems);
  }
}

function checkItems(schema: ListSchema, items: readonly Json[], path: string, problems: string[]): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (schema.identity === 'atomic') {
      check(schema.items, item, `${path}[${index}]`, problems);
      continue;
    }
    let element: string;
    try {
      element = itemElement(schema, item, index);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      problems.push(`${path}: ${error.message}`);
      return;
    }
    const [name = ''] = pathsOf({ [element]: {} });
    if (seen.has(element)) problems.push(`${path}: duplicate entries for key ${name}`);
    seen.add(element);
    check(schema.items, item, `${path}${name}`, problems);
  }
}

const NUMERIC = new Set<ScalarType>(['int32', 'int64', 'double']);
const UNTYPED = new Set<ScalarType>(['intOrString', 'quantity']);

function checkScalar(type: ScalarType, value: Json, path: string, problems: string[]): void {
  if (NUMERIC.has(type)) {
    if (typeof value !== 'number') problems.push(`${path}: expected numeric (int or float), got ${goType(value)}`);
  } else if (UNTYPED.has(type)) {
    if (typeof value === 'object') problems.push(`${path}: expected any scalar, got ${shown(value)}`);
  } else if (type === 'boolean') {
    if (typeof value !== 'boolean') problems.push(`${path}: expected boolean, got ${shown(value)}`);
  } else if (typeof value !== 'string') {
    problems.push(`${path}: expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`);
  }
}

function goType(value: Json): string {
  if (isJsonList(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goLiteral(value: Json): string {
  if (isJsonList(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${goLiteral(inner)}`);
  return `map[string]interface {}{${pairs.join(', ')}}`;
}

function shown(value: Json): string {
  return `&{${plain(value)}}`;
}

function plain(value: Json): string {
  if (isJsonList(value)) return `[${value.map(plain).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const pairs = Object.entries(value).map(([name, inner]) => `${name}:${plain(inner)}`);
  return `map[${pairs.join(' ')}]`;
}
