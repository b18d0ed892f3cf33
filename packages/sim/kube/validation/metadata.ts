import { equalJson } from '../../json.ts';
import type { ObjectMeta, OwnerReference } from '../object.ts';
import { quote } from '../schema/formats.ts';
import { type FieldProblem, forbiddenField, IMMUTABLE, invalidValue, required, tooLong } from './field-problem.ts';
import { dnsLabelProblems, labelKeyProblems, labelValueProblems, type NameRule } from './names.ts';

const ANNOTATIONS_LIMIT = 256 * 1024;
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const FORBIDDEN_OWNERS = new Set(['v1/Event']);

export interface MetadataRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
  /** Finalizers without a domain must be ones that Kubernetes knows. */
  readonly qualifiedFinalizers: boolean;
}

/** What is wrong with the metadata of any object. */
export function metadataProblems(metadata: ObjectMeta, rules: MetadataRules): readonly FieldProblem[] {
  return [
    ...nameProblems(metadata, rules),
    ...namespaceProblems(metadata, rules.namespaced),
    ...generationProblems(metadata),
    ...labelProblems(metadata.labels ?? {}, 'metadata.labels'),
    ...annotationProblems(metadata.annotations ?? {}),
    ...ownerProblems(metadata.ownerReferences ?? []),
    ...finalizerProblems(metadata.finalizers ?? [], rules.qualifiedFinalizers),
  ];
}

/** What an update may not do to metadata. */
export function metadataUpdateProblems(next: ObjectMeta, previous: ObjectMeta): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (previous.deletionTimestamp !== undefined) problems.push(...newFinalizerProblems(next, previous));
  for (const field of ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (equalJson(next[field], previous[field])) continue;
    problems.push(invalidValue(`metadata.${field}`, next[field] ?? null, IMMUTABLE));
  }
  return problems;
}

function nameProblems(metadata: ObjectMeta, rules: MetadataRules): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { name, generateName = '' } = metadata;
  if (generateName !== '') {
    for (const problem of rules.name(maskTrailingDash(generateName))) {
      problems.push(invalidValue('metadata.generateName', generateName, problem));
    }
  }
  if (name === '') return [...problems, required('metadata.name', 'name or generateName is required')];
  return [...problems, ...rules.name(name).map((problem) => invalidValue('metadata.name', name, problem))];
}

function generationProblems({ generation = 0 }: ObjectMeta): readonly FieldProblem[] {
  if (generation >= 0) return [];
  return [invalidValue('metadata.generation', generation, 'must be greater than or equal to 0')];
}

function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}

function namespaceProblems({ namespace = '' }: ObjectMeta, namespaced: boolean): readonly FieldProblem[] {
  if (!namespaced) return namespace === '' ? [] : [forbiddenField('metadata.namespace', 'not allowed on this type')];
  if (namespace === '') return [required('metadata.namespace')];
  return dnsLabelProblems(namespace).map((problem) => invalidValue('metadata.namespace', namespace, problem));
}

/** Labels of an object, or a map that selects by labels. */
export function labelProblems(labels: Readonly<Record<string, string>>, field: string): readonly FieldProblem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalidValue(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalidValue(field, value, problem)),
  ]);
}

function annotationProblems(annotations: Readonly<Record<string, string>>): readonly FieldProblem[] {
  const problems = Object.keys(annotations).flatMap((key) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalidValue('metadata.annotations', key, problem)),
  );
  const size = Object.entries(annotations).reduce(
    (total, [key, value]) => total + byteLength(key) + byteLength(value),
    0,
  );
  return size > ANNOTATIONS_LIMIT ? [...problems, tooLong('metadata.annotations', ANNOTATIONS_LIMIT)] : problems;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function ownerProblems(owners: readonly OwnerReference[]): readonly FieldProblem[] {
  const field = 'metadata.ownerReferences';
  const problems: FieldProblem[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    problems.push(...ownerReferenceProblems(owner, field));
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === undefined) controller = name;
    else {
      const rule = 'Only one reference can have Controller set to true.';
      const detail = `${rule} Found "true" in references for ${controller} and ${name}`;
      problems.push(invalidValue(field, owners, detail));
    }
  }
  return problems;
}

function ownerReferenceProblems(owner: OwnerReference, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const version = owner.apiVersion.split('/').at(-1) ?? '';
  if (version === '') problems.push(invalidValue(`${field}.apiVersion`, owner.apiVersion, 'version must not be empty'));
  for (const part of ['kind', 'name', 'uid'] as const) {
    if (owner[part] === '') problems.push(invalidValue(`${field}.${part}`, '', 'must not be empty'));
  }
  if (FORBIDDEN_OWNERS.has(`${owner.apiVersion}/${owner.kind}`)) {
    problems.push(invalidValue(field, owner, `/v1, Kind=${owner.kind} is disallowed from being an owner`));
  }
  return problems;
}

export function finalizerProblems(finalizers: readonly string[], qualified: boolean): readonly FieldProblem[] {
  const field = 'metadata.finalizers';
  const problems = finalizers.flatMap((finalizer, index) => {
    const malformed = labelKeyProblems(finalizer).map((problem) => invalidValue(field, finalizer, problem));
    if (!qualified || finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return malformed;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [...malformed, invalidValue(`${field}[${index}]`, finalizer, detail)];
  });
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    return [...problems, invalidValue(field, finalizers, detail)];
  }
  return problems;
}

function newFinalizerProblems(next: ObjectMeta, previous: ObjectMeta): readonly FieldProblem[] {
  const before = new Set(previous.finalizers);
  const added = [...new Set(next.finalizers)].filter((finalizer) => !before.has(finalizer)).sort();
  if (added.length === 0) return [];
  const shown = `[]string{${added.map(quote).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
  return [forbiddenField('metadata.finalizers', detail)];
}
