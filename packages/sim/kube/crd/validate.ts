import { equalJson, isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from '../../json.ts';
import {
  duplicate,
  type FieldProblem,
  invalidValue,
  notSupported,
  type ProblemReason,
  required,
  tooLong,
  tooMany,
} from '../validation/field-problem.ts';
import { fitsFormat } from './formats.ts';
import type { Structural } from './structural.ts';

/** What is wrong with a custom resource by its schema, in the real server's words. */
export function structuralProblems(schema: Structural, object: JsonObject): readonly FieldProblem[] {
  return [...valueProblems(schema, object, ''), ...listProblems(schema, object, '')];
}

function valueProblems(schema: Structural, value: Json, path: string): readonly FieldProblem[] {
  if (value === null) return schema.nullable || path === '' ? [] : [typeProblem(schema, value, path)];
  const wrongType = !hasType(schema, value);
  if (wrongType) return [typeProblem(schema, value, path)];
  return [
    ...enumProblems(schema, value, path),
    ...(typeof value === 'string' ? textProblems(schema, value, path) : []),
    ...(typeof value === 'number' ? numberProblems(schema, value, path) : []),
    ...(isJsonList(value) ? itemsProblems(schema, value, path) : []),
    ...(isJsonObject(value) ? objectProblems(schema, value, path) : []),
    ...combinationProblems(schema, value, path),
  ];
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (isJsonList(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function hasType(schema: Structural, value: Json): boolean {
  const actual = typeOf(value);
  if (schema.intOrString) return actual === 'integer' || actual === 'string';
  if (schema.type === '' || schema.type === actual) return true;
  return schema.type === 'number' && actual === 'integer';
}

function typeProblem(schema: Structural, value: Json, path: string): FieldProblem {
  const expected = schema.intOrString ? 'integer,string' : schema.type;
  const actual = typeOf(value);
  const detail = `${path} in body must be of type ${expected}: "${actual}"`;
  return { reason: 'FieldValueTypeInvalid', field: path, value: actual, detail };
}

function inBody(path: string, value: Json, rule: string, reason: ProblemReason = 'FieldValueInvalid'): FieldProblem {
  return { reason, field: path, value, detail: `${path} in body ${rule}` };
}

function enumProblems({ enumeration }: Structural, value: Json, path: string): readonly FieldProblem[] {
  if (enumeration.length === 0 || enumeration.some((allowed) => equalJson(allowed, value))) return [];
  const shown = enumeration.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed)));
  return [notSupported(path, value, shown)];
}

/** Only the first broken rule about a text is reported. */
function textProblems(schema: Structural, value: string, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { length } = Array.from(value);
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  if (length > maxLength) problems.push(tooLong(path, maxLength));
  else if (length < minLength) {
    problems.push(inBody(path, value, `should be at least ${minLength} chars long`));
  } else if (pattern !== undefined && !pattern.test(value)) {
    problems.push(inBody(path, value, `should match '${pattern.source}'`));
  }
  if (!fitsFormat(format, value)) {
    problems.push(inBody(path, value, `must be of type ${format}: "${value}"`, 'FieldValueTypeInvalid'));
  }
  return problems;
}

function numberProblems(schema: Structural, value: number, path: string): readonly FieldProblem[] {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const problems: FieldProblem[] = [];
  if (multipleOf !== undefined && Number.isInteger(value) && Math.trunc(multipleOf) <= 0) {
    // The server takes the factor of a whole number for a whole number.
    problems.push(invalidValue(path, 0, `factor MultipleOf declared for ${path} must be positive: 0`));
  } else if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    problems.push(inBody(path, value, `should be a multiple of ${multipleOf}`));
  }
  if (value > maximum || (exclusiveMaximum && value === maximum)) {
    problems.push(inBody(path, value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`));
  }
  if (value < minimum || (exclusiveMinimum && value === minimum)) {
    problems.push(inBody(path, value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`));
  }
  return problems;
}

function itemsProblems(schema: Structural, items: JsonList, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { minItems = 0, maxItems = Infinity, items: itemSchema } = schema;
  if (items.length > maxItems) problems.push(tooMany(path, items.length, maxItems));
  if (items.length < minItems) {
    problems.push(inBody(path, items.length, `should have at least ${minItems} items`));
  }
  if (schema.uniqueItems && items.some((item, index) => items.findIndex((other) => equalJson(other, item)) < index)) {
    problems.push(inBody(path, items, "shouldn't contain duplicates"));
  }
  if (itemSchema === undefined) return problems;
  return [...problems, ...items.flatMap((item, index) => valueProblems(itemSchema, item, `${path}[${index}]`))];
}

function objectProblems(schema: Structural, object: JsonObject, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { minProperties = 0, maxProperties = Infinity, additional } = schema;
  const count = Object.keys(object).length;
  if (count > maxProperties) problems.push(tooMany(path, count, maxProperties));
  if (count < minProperties) problems.push(inBody(path, count, `should have at least ${minProperties} properties`));
  for (const name of schema.required) {
    if (!Object.hasOwn(object, name)) problems.push(required(join(path, name)));
  }
  for (const [name, value] of Object.entries(object)) {
    const inner = schema.properties.get(name) ?? additional;
    if (inner !== undefined && inner !== 'anything') problems.push(...valueProblems(inner, value, join(path, name)));
  }
  return problems;
}

function combinationProblems(schema: Structural, value: Json, path: string): readonly FieldProblem[] {
  const problems = schema.allOf.flatMap((inner) => valueProblems(inner, value, path));
  const valid = (inner: Structural): boolean => valueProblems(inner, value, path).length === 0;
  if (schema.anyOf.length > 0 && !schema.anyOf.some(valid)) {
    problems.push(
      general(`"${path}" must validate at least one schema (anyOf)`),
      ...closest(schema.anyOf, value, path),
    );
  }
  if (schema.oneOf.length > 0) {
    const count = schema.oneOf.filter(valid).length;
    const rule = `"${path}" must validate one and only one schema (oneOf).`;
    if (count === 0) problems.push(general(`${rule} Found none valid`), ...closest(schema.oneOf, value, path));
    if (count > 1) problems.push(general(`${rule} Found ${count} valid alternatives`));
  }
  if (schema.not !== undefined && valid(schema.not)) {
    problems.push(general(`"${path}" must not validate the schema (not)`));
  }
  return problems;
}

function general(detail: string): FieldProblem {
  return invalidValue('<nil>', '', detail);
}

/** The problems with the alternative that comes nearest. */
function closest(alternatives: readonly Structural[], value: Json, path: string): readonly FieldProblem[] {
  const [best = []] = alternatives
    .map((inner) => valueProblems(inner, value, path))
    .sort((left, right) => left.length - right.length);
  return best;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Items that a list of this type may hold only once. */
function listProblems(schema: Structural, value: Json, path: string): readonly FieldProblem[] {
  if (isJsonList(value)) {
    const { items } = schema;
    const repeated = schema.listType === 'atomic' ? [] : repeatedItems(schema, value, path);
    if (items === undefined) return repeated;
    return [...repeated, ...value.flatMap((item, index) => listProblems(items, item, `${path}[${index}]`))];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const innerSchema = schema.properties.get(name) ?? schema.additional;
    if (innerSchema === undefined || innerSchema === 'anything') return [];
    return listProblems(innerSchema, inner, join(path, name));
  });
}

function repeatedItems(schema: Structural, items: JsonList, path: string): readonly FieldProblem[] {
  const keyOf = (item: Json): Json => {
    if (schema.listType === 'set' || !isJsonObject(item)) return item;
    const present = schema.listKeys.filter((key) => Object.hasOwn(item, key)).sort();
    return Object.fromEntries(present.map((key): [string, Json] => [key, item[key] ?? null]));
  };
  const keys = items.map(keyOf);
  const reported = new Set<number>();
  return keys.flatMap((key, index) => {
    const first = keys.findIndex((other) => equalJson(other, key));
    if (first === index || reported.has(first)) return [];
    reported.add(first);
    return [duplicate(`${path}[${index}]`, key)];
  });
}
