import { badRequest, invalid } from '../../failure.ts';
import type { ServedKind } from '../../kinds/kind.ts';
import type { KubeObject } from '../../object.ts';
import { quote } from '../../schema/formats.ts';
import {
  type FieldRequirement,
  type LabelMatch,
  matchesFields,
  parseFieldSelector,
  parseLabelSelector,
} from '../../selectors.ts';
import { type FieldProblem, forbiddenField, notSupported } from '../../validation/field-problem.ts';
import { isTrue, type Route } from '../route.ts';

export type VersionMatch = '' | 'Exact' | 'NotOlderThan';

export interface ListOptions {
  /** True for what the selectors choose. Objects are given as they are stored. */
  readonly matches: (object: KubeObject) => boolean;
  readonly selective: boolean;
  /** Selects one object by its name: the server reads that one and no others. */
  readonly single: boolean;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly versionMatch: VersionMatch;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

/** Reads and checks the query of a list, a watch or the deletion of a collection. */
export function listOptions({ kind, name, verb, query }: Route): ListOptions {
  const watch = verb === 'watch';
  const resourceVersion = query.get('resourceVersion') ?? '';
  const given = query.get('resourceVersionMatch') ?? '';
  const initial = query.get('sendInitialEvents');
  const legacyInitial =
    watch && initial === null && given === '' && (resourceVersion === '' || resourceVersion === '0');
  const sendInitialEvents = initial === null ? undefined : isTrue(initial);
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const problems = optionProblems(watch, resourceVersion, given, sendInitialEvents, query.get('continue') ?? '');
  if (problems.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', problems);
  const fields = fieldRequirements(kind, query.get('fieldSelector') ?? '', name);
  return {
    matches: matcher(kind, labels, fields),
    selective: (query.get('labelSelector') ?? '') !== '' || fields.length > 0,
    single: fields.some(({ field, equal }) => field === 'metadata.name' && equal),
    limit: Math.max(0, numberIn(query, 'limit') ?? 0),
    continueToken: query.get('continue') ?? '',
    resourceVersion,
    versionMatch: given === 'Exact' || given === 'NotOlderThan' ? given : '',
    sendInitialEvents: legacyInitial ? true : sendInitialEvents,
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds: numberIn(query, 'timeoutSeconds'),
  };
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^[-+]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
  if (BigInt.asIntN(64, BigInt(value)) === BigInt(value)) return Number(value);
  throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: value out of range`);
}

function optionProblems(
  watch: boolean,
  resourceVersion: string,
  match: string,
  sendInitialEvents: boolean | undefined,
  continueToken: string,
): readonly FieldProblem[] {
  const field = 'resourceVersionMatch';
  const supported = ['Exact', 'NotOlderThan', ''];
  if (sendInitialEvents !== undefined) {
    if (!watch) return [forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
    if (match === 'NotOlderThan') return [];
    return [forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')];
  }
  if (match === '') return [];
  if (watch) {
    const rule = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    const wrong = match === 'NotOlderThan' ? [] : [notSupported(field, match, ['NotOlderThan'])];
    return [forbiddenField(field, rule), ...wrong];
  }
  if (resourceVersion === '') {
    return [forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided')];
  }
  if (continueToken !== '') {
    return [forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided')];
  }
  if (!supported.includes(match)) return [notSupported(field, match, supported)];
  if (match === 'Exact' && resourceVersion === '0') {
    return [forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')];
  }
  return [];
}

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

function fieldRequirements(kind: ServedKind, selector: string, name: string): readonly FieldRequirement[] {
  const requirements = parseFieldSelector(selector);
  const known = kind.selectable?.names ?? METADATA_FIELDS;
  for (const { field } of requirements) {
    if (known.includes(field)) continue;
    if (kind.selectable !== undefined) throw badRequest(`field label not supported: ${field}`);
    const names = METADATA_FIELDS.map(quote).join(', ');
    throw badRequest(`${quote(field)} is not a known field selector: only ${names}`);
  }
  return name === '' ? requirements : [...requirements, { field: 'metadata.name', value: name, equal: true }];
}

function matcher(
  kind: ServedKind,
  labels: LabelMatch,
  fields: readonly FieldRequirement[],
): (object: KubeObject) => boolean {
  if (fields.length === 0) return (object) => labels(object.metadata.labels ?? {});
  return (object) => {
    const { name, namespace = '' } = object.metadata;
    const values = {
      'metadata.name': name,
      'metadata.namespace': namespace,
      ...kind.selectable?.read(object),
    };
    return matchesFields(fields, values) && labels(object.metadata.labels ?? {});
  };
}

/** The version a query names; 0 for none. */
export function versionNumber(text: string): number | undefined {
  if (text === '') return 0;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

export function malformedVersion(text: string): string {
  return `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: invalid syntax`;
}
