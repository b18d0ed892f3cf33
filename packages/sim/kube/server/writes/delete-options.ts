import type { HttpRequest } from '@fairlead/control';
import { isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../../../json.ts';
import { badRequest, invalid, type RequestFailure } from '../../failure.ts';
import { DecodeError, decodeObject, goKind } from '../../schema/decode.ts';
import { quote } from '../../schema/formats.ts';
import { bool, type FieldSchema, int64, type Schema, type StructSchema, text } from '../../schema/schema.ts';
import { type FieldProblem, invalidValue, notSupported } from '../../validation/field-problem.ts';
import { parseBody } from '../body.ts';
import { isTrue } from '../route.ts';
import { untypedHeader } from './decode-object.ts';

export type Propagation = 'Foreground' | 'Background' | 'Orphan';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

const optional = (schema: Schema): FieldSchema => ({ schema, presence: 'optional' });
const texts: Schema = { shape: 'list', items: text, identity: 'atomic', patchMerge: false, retainKeys: false };
const PRECONDITIONS: StructSchema = {
  shape: 'struct',
  name: 'Preconditions',
  fields: new Map([
    ['uid', optional(text)],
    ['resourceVersion', optional(text)],
  ]),
  atomic: false,
};
const DELETE_OPTIONS: StructSchema = {
  shape: 'struct',
  name: 'DeleteOptions',
  fields: new Map([
    ['gracePeriodSeconds', optional(int64)],
    ['preconditions', optional(PRECONDITIONS)],
    ['orphanDependents', optional(bool)],
    ['propagationPolicy', optional(text)],
    ['dryRun', optional(texts)],
  ]),
  atomic: false,
};
const POLICIES = ['Foreground', 'Background', 'Orphan', 'nil'];

/** How a deletion is meant, from the body or, without one, from the query. */
export function deleteOptions(request: HttpRequest, query: URLSearchParams): DeleteOptions {
  const options = (request.body ?? '') === '' ? queryOptions(query) : bodyOptions(request);
  const { propagationPolicy, orphanDependents } = options;
  const preconditions = objectOf(options.preconditions);
  const dryRun = listOf(options.dryRun);
  const problems: FieldProblem[] = [];
  if (propagationPolicy !== undefined && !POLICIES.includes(textOf(propagationPolicy))) {
    problems.push(notSupported('propagationPolicy', propagationPolicy, POLICIES));
  } else if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    problems.push(invalidValue('propagationPolicy', propagationPolicy, detail));
  }
  if (dryRun.some((value) => value !== 'All')) problems.push(notSupported('dryRun', dryRun, ['All']));
  if (problems.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', problems);
  const { gracePeriodSeconds } = options;
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    propagation: propagationOf(propagationPolicy, orphanDependents),
    uid: typeof preconditions.uid === 'string' ? preconditions.uid : undefined,
    resourceVersion: typeof preconditions.resourceVersion === 'string' ? preconditions.resourceVersion : undefined,
  };
}

function bodyOptions(request: HttpRequest): JsonObject {
  const parsed = parseBody(request);
  if ('problem' in parsed) throw unreadable(parsed.problem);
  const value = parsed.value ?? {};
  if (!isJsonObject(value)) throw unreadable(`json: cannot unmarshal ${goKind(value)} into Go value`);
  const field = untypedHeader(value);
  if (field !== undefined) {
    const place = `Go struct field .${field} of type string`;
    throw unreadable(`json: cannot unmarshal ${goKind(value[field] ?? null)} into ${place}`);
  }
  const { kind, apiVersion } = value;
  if (textOf(kind) !== '' && kind !== 'DeleteOptions') {
    const version = textOf(apiVersion) === '' ? 'meta.k8s.io/v1' : textOf(apiVersion);
    const what = `no kind ${quote(textOf(kind))} is registered for version ${quote(version)}`;
    throw badRequest(`${what} in scheme "pkg/runtime/scheme.go:111"`);
  }
  try {
    return decodeObject(DELETE_OPTIONS, value).object;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

function unreadable(problem: string): RequestFailure {
  return badRequest(`couldn't get version/kind; json parse error: ${problem}`);
}

function queryOptions(query: URLSearchParams): JsonObject {
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  const grace = query.get('gracePeriodSeconds');
  return {
    dryRun: query.getAll('dryRun'),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
  };
}

function propagationOf(policy: Json | undefined, orphan: Json | undefined): Propagation | undefined {
  if (policy === 'Foreground' || policy === 'Background' || policy === 'Orphan') return policy;
  if (typeof orphan !== 'boolean') return undefined;
  return orphan ? 'Orphan' : 'Background';
}
