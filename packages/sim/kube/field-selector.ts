import { badRequest } from './failure.ts';

/** One requirement on a field: `status.phase=Running` or `metadata.name!=a`. */
export interface FieldRequirement {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

const TERM = /^((?:[^\\=!]|\\.)*?)(!=|==|=)((?:[^\\]|\\.)*)$/;

/** Reads a field selector from a query. */
export function parseFieldSelector(selector: string): readonly FieldRequirement[] {
  return splitTerms(selector).map((term) => {
    const match = TERM.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
    const [, field = '', operator = '', value = ''] = match;
    return { field, value: unescape(value), equal: operator !== '!=' };
  });
}

export function matchesFields(
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>>,
): boolean {
  return requirements.every(({ field, value, equal }) => ((fields[field] ?? '') === value) === equal);
}

function splitTerms(selector: string): readonly string[] {
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

function unescape(value: string): string {
  return value.replaceAll(/\\([\\,=])/g, '$1');
}
