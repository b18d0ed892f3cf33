import type { Json } from '../../json.ts';
import { quote } from '../schema/formats.ts';

export type ProblemReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotSupported'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid';

/** What is wrong with one field of an object. */
export interface FieldProblem {
  readonly reason: ProblemReason;
  readonly field: string;
  /** Undefined where the message does not show it. */
  readonly value?: Json;
  readonly detail: string;
}

const TITLES: Readonly<Record<ProblemReason, string>> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
};

/** The problem in the real server's words, without the field. */
export function problemText({ reason, value, detail }: FieldProblem): string {
  const shown = value === undefined ? TITLES[reason] : `${TITLES[reason]}: ${showValue(value)}`;
  return detail === '' ? shown : `${shown}: ${detail}`;
}

function showValue(value: Json): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

export function required(field: string, detail = ''): FieldProblem {
  return { reason: 'FieldValueRequired', field, detail };
}

export function invalidValue(field: string, value: Json, detail: string): FieldProblem {
  return { reason: 'FieldValueInvalid', field, value, detail };
}

export function duplicate(field: string, value: Json): FieldProblem {
  return { reason: 'FieldValueDuplicate', field, value, detail: '' };
}

export function forbiddenField(field: string, detail: string): FieldProblem {
  return { reason: 'FieldValueForbidden', field, detail };
}

export function notSupported(field: string, value: Json, supported: readonly string[]): FieldProblem {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`;
  return { reason: 'FieldValueNotSupported', field, value, detail };
}

export function tooLong(field: string, limit: number): FieldProblem {
  return { reason: 'FieldValueTooLong', field, detail: `may not be more than ${limit} bytes` };
}

export function tooMany(field: string, actual: number, limit: number): FieldProblem {
  return { reason: 'FieldValueTooMany', field, value: actual, detail: `must have at most ${limit} items` };
}

export const IMMUTABLE = 'field is immutable';
