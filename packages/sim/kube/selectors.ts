import { fieldOf } from '../json.ts';
import { badRequest } from './failure.ts';
import { quote } from './schema/formats.ts';
import { labelKeyProblems, labelValueProblems } from './validation/names.ts';

type Labels = Readonly<Record<string, string>>;

/** True for the labels of an object that is selected. */
export type LabelMatch = (labels: Labels) => boolean;

const KEYWORDS = new Set(['in', 'notin']);
const TOKEN = /\s*(?:(!=|==|[=!,()<>])|([^\s=!,()<>]+))/y;

/** Reads a label selector from a query, as `app=web,tier in (a, b),!draft`. */
export function parseLabelSelector(selector: string): LabelMatch {
  const tokens = tokenize(selector);
  if (tokens.length === 0) return () => true;
  const parser = new Parser(tokens);
  const requirements = parser.requirements();
  return (labels) => requirements.every((matches) => matches(labels));
}

/** Selects by a map of labels, as a Service does. */
export function matchesLabels(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => fieldOf(labels, key) === value);
}

function tokenize(selector: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(selector); match !== null; match = TOKEN.exec(selector)) {
    tokens.push(match[1] ?? match[2] ?? '');
  }
  return tokens;
}

function unparsable(what: string): Error {
  return badRequest(`unable to parse requirement: ${what}`);
}

class Parser {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  requirements(): readonly LabelMatch[] {
    const requirements = [this.#requirement()];
    while (this.#position < this.#tokens.length) {
      const separator = this.#next();
      if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
      requirements.push(this.#requirement());
    }
    return requirements;
  }

  #peek(): string {
    return this.#tokens[this.#position] ?? '';
  }

  #next(): string {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }

  #requirement(): LabelMatch {
    if (this.#peek() === '!') {
      this.#next();
      const key = this.#key();
      return (labels) => !Object.hasOwn(labels, key);
    }
    const key = this.#key();
    const operator = this.#peek();
    if (operator === '' || operator === ',') return (labels) => Object.hasOwn(labels, key);
    this.#next();
    switch (operator) {
      case '=':
      case '==':
        return isIn(key, [this.#value(key)]);
      case '!=':
        return isNotIn(key, [this.#value(key)]);
      case 'in':
        return isIn(key, this.#values(key));
      case 'notin':
        return isNotIn(key, this.#values(key));
      case '<':
      case '>':
        return isBeyond(key, operator, this.#value(key));
      default:
        throw unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #key(): string {
    const key = this.#next();
    if (key === '' || /^[=!,()<>]/.test(key) || KEYWORDS.has(key)) {
      throw badRequest(`found '${key}', expected: !, identifier, or 'end of string'`);
    }
    const [problem] = labelKeyProblems(key);
    if (problem !== undefined) throw unparsable(`<nil>: Invalid value: ${quote(key)}: ${problem}`);
    return key;
  }

  #value(key: string): string {
    const value = this.#peek() === ',' ? '' : this.#next();
    return checkedValue(key, 0, value);
  }

  #values(key: string): readonly string[] {
    const opening = this.#next();
    if (opening !== '(') throw unparsable(`found '${opening}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const token = this.#next();
      if (token === '') throw unparsable("found '', expected: ',', ')' or identifier");
      if (token === ')') return values.length === 0 ? [''] : values;
      if (token !== ',') values.push(checkedValue(key, values.length, token));
    }
  }
}

function checkedValue(key: string, index: number, value: string): string {
  const [problem] = labelValueProblems(value);
  if (problem !== undefined) throw unparsable(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${problem}`);
  return value;
}

function isIn(key: string, values: readonly string[]): LabelMatch {
  return (labels) => {
    const value = fieldOf(labels, key);
    return value !== undefined && values.includes(value);
  };
}

function isNotIn(key: string, values: readonly string[]): LabelMatch {
  const among = isIn(key, values);
  return (labels) => !among(labels);
}

function isBeyond(key: string, operator: '<' | '>', bound: string): LabelMatch {
  const limit = Number(bound);
  return (labels) => {
    const value = fieldOf(labels, key);
    if (value === undefined || !/^-?\d+$/.test(value)) return false;
    return operator === '<' ? Number(value) < limit : Number(value) > limit;
  };
}

/** One requirement on a field: `status.phase=Running` or `metadata.name!=a`. */
export interface FieldRequirement {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

const FIELD_TERM = /^((?:[^\\=!]|\\.)*?)(!=|==|=)((?:[^\\]|\\.)*)$/;

/** Reads a field selector from a query. */
export function parseFieldSelector(selector: string): readonly FieldRequirement[] {
  return splitFieldTerms(selector).map((term) => {
    const match = FIELD_TERM.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
    const [, field = '', operator = '', value = ''] = match;
    const stray = value.replaceAll(/\\[\\,=]/g, '').match(/[\\,=]/)?.[0];
    if (stray !== undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${stray.charCodeAt(0)}`);
    }
    return { field, value: unescaped(value), equal: operator !== '!=' };
  });
}

export function matchesFields(
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>>,
): boolean {
  return requirements.every(({ field, value, equal }) => ((fieldOf(fields, field) ?? '') === value) === equal);
}

function splitFieldTerms(selector: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < selector.length; index += 1) {
    if (selector[index] === '\\') index += 1;
    else if (selector[index] === ',') {
      terms.push(selector.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms.filter((term) => term !== '');
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([\\,=])/g, '$1');
}
