import { isJsonList, isJsonObject, type Json, type JsonList } from '../../../json.ts';

/** What follows from a value at one step of a path. */
type Step = (value: Json) => JsonList;

/** The values at the places that a path leads to. */
export type JsonPath = (value: Json) => JsonList;

const FIELD = /^\.?((?:\\.|[^.[\]\\])+)/;
const BRACKET = /^\[(\?\(.*?\)|'[^']*'|"[^"]*"|[^\]]*)\]/;
const COMPARISON = /^@(.*?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/;

/** Reads a path as columns of custom resources have it: `.status.conditions[?(@.type=="Ready")].status`. */
export function parseJsonPath(text: string): JsonPath {
  const steps = stepsOf(text);
  return (value) => steps.reduce<JsonList>((values, step) => values.flatMap((each) => [...step(each)]), [value]);
}

function stepsOf(text: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = text;
  while (rest !== '') {
    const bracket = BRACKET.exec(rest);
    const found = bracket ?? FIELD.exec(rest);
    const [whole = '', inner = ''] = found ?? [];
    if (whole === '') return [() => []];
    steps.push(...(bracket === null ? [field(inner)] : bracketSteps(inner)));
    rest = rest.slice(whole.length);
  }
  return steps;
}

function field(name: string): Step {
  const plain = name.replaceAll(/\\(.)/g, '$1');
  if (plain === '*') return elements;
  return (value) => {
    const inner = isJsonObject(value) ? value[plain] : undefined;
    return inner === undefined ? [] : [inner];
  };
}

function elements(value: Json): JsonList {
  if (isJsonList(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function bracketSteps(inner: string): readonly Step[] {
  if (inner.startsWith('?(')) return [filter(inner.slice(2, -1))];
  const quoted = /^['"](.*)['"]$/.exec(inner)?.[1];
  if (quoted !== undefined) return stepsOf(`.${quoted}`);
  if (inner === '*') return [elements];
  const [start = '', end] = inner.split(':');
  if (end === undefined) return [(value) => (isJsonList(value) ? atIndex(value, Number(start)) : [])];
  return [(value) => (isJsonList(value) ? value.slice(Number(start), end === '' ? undefined : Number(end)) : [])];
}

function atIndex(list: JsonList, index: number): JsonList {
  const value = list.at(index);
  return value === undefined ? [] : [value];
}

function filter(condition: string): Step {
  const holds = conditionOf(condition.trim());
  return (value) => (isJsonList(value) ? value.filter(holds) : []);
}

function conditionOf(condition: string): (item: Json) => boolean {
  const [, path, operator, literal] = COMPARISON.exec(condition) ?? [];
  if (path === undefined || operator === undefined || literal === undefined) {
    const present = parseJsonPath(condition.replace(/^@/, ''));
    return (item) => present(item).length > 0;
  }
  const left = parseJsonPath(path.trim());
  const right = literalOf(literal.trim());
  return (item) => {
    const [found] = left(item);
    return found !== undefined && compares(found, operator, right);
  };
}

function literalOf(text: string): Json {
  const quoted = /^(['"])(.*)\1$/.exec(text)?.[2];
  if (quoted !== undefined) return quoted;
  if (text === 'true' || text === 'false') return text === 'true';
  return Number(text);
}

function compares(left: Json, operator: string, right: Json): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left !== typeof right || left === null || right === null) return false;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}
