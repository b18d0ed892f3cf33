import type { HttpRequest } from '@fairlead/control';
import { invalid } from '../../failure.ts';
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../validation/field-problem.ts';
import { isTrue } from '../route.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** How a write is meant, from the query and the headers. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Who becomes the owner of what is written. */
  readonly manager: string;
  readonly force: boolean;
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];
const LONGEST_MANAGER = 128;

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

export function writeOptions(
  request: HttpRequest,
  query: URLSearchParams,
  kind: OptionsKind,
  isApply = false,
): WriteOptions {
  const manager = query.get('fieldManager') ?? '';
  const force = query.get('force');
  const validation = query.get('fieldValidation') ?? '';
  const problems: FieldProblem[] = [...dryRunProblems(query)];
  if (isApply && manager === '') problems.push(required('fieldManager', 'is required for apply patch'));
  if (kind === 'PatchOptions' && !isApply && force !== null)
    problems.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  if (Buffer.byteLength(manager) > LONGEST_MANAGER) problems.push(tooLong('fieldManager', LONGEST_MANAGER));
  const odd = UNPRINTABLE.exec(manager);
  if (odd !== null) problems.push(invalidValue('fieldManager', manager, unprintable(manager, odd)));
  if (!VALIDATIONS.includes(validation)) problems.push(notSupported('fieldValidation', validation, VALIDATIONS));
  if (problems.length > 0) throw invalid('meta.k8s.io', kind, '', problems);
  return {
    dryRun: query.getAll('dryRun').length > 0,
    fieldValidation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    manager: manager === '' ? managerFrom(request) : manager,
    force: isTrue(force),
  };
}

/** As Go sees it: letters, marks, numbers, punctuation, symbols and the space. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function unprintable(manager: string, { index }: RegExpExecArray): string {
  const code = manager.codePointAt(index) ?? 0;
  const position = Buffer.byteLength(manager.slice(0, index));
  return `invalid character U+${code.toString(16).toUpperCase().padStart(4, '0')} (at position ${position})`;
}

function dryRunProblems(query: URLSearchParams): readonly FieldProblem[] {
  const values = query.getAll('dryRun');
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];
}

/** A client that does not say who it is, is known by its name in the User-Agent header. */
function managerFrom({ headers }: HttpRequest): string {
  const [product = ''] = (headers['user-agent'] ?? '').split('/');
  const name = product.slice(0, LONGEST_MANAGER);
  return name === '' ? 'unknown' : name;
}
