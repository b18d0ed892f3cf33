import { equalJson, isJsonObject, type Json, objectOf, textOf, without } from '../../json.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import {
  type FieldProblem,
  forbiddenField,
  IMMUTABLE,
  invalidValue,
  required,
  tooLong,
} from '../validation/field-problem.ts';
import { metadataProblems } from '../validation/metadata.ts';
import { subdomainProblems } from '../validation/names.ts';
import { builtIn, PLAIN_RULES, type ServedKind } from './kind.ts';

const LARGEST_DATA = 1024 * 1024;
const KEY = /^[-._a-zA-Z0-9]+$/;

function keyProblems(field: string, values: Json | undefined): readonly FieldProblem[] {
  return Object.keys(objectOf(values)).flatMap((key) => {
    const place = `${field}[${key}]`;
    const problems: FieldProblem[] = [];
    if (key.length > 253) problems.push(invalidValue(place, key, 'must be no more than 253 characters'));
    if (!KEY.test(key)) {
      const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
      const examples = "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+'";
      problems.push(invalidValue(place, key, `${rule} (e.g. ${examples})`));
    }
    if (key === '.' || key === '..') problems.push(invalidValue(place, key, `must not be '${key}'`));
    else if (key.startsWith('..')) problems.push(invalidValue(place, key, "must not start with '..'"));
    return problems;
  });
}

function textSize(values: Json | undefined): number {
  return Object.values(objectOf(values)).reduce<number>((size, value) => size + Buffer.byteLength(textOf(value)), 0);
}

function byteSize(values: Json | undefined): number {
  const texts = Object.values(objectOf(values)).map(textOf);
  return texts.reduce((size, text) => size + Buffer.byteLength(text, 'base64'), 0);
}

function frozenProblems(next: KubeObject, previous: KubeObject, fields: readonly string[]): readonly FieldProblem[] {
  if (previous.immutable !== true) return [];
  const rule = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !equalJson(next[field], previous[field]));
  return (next.immutable === true ? changed : ['immutable', ...changed]).map((field) => forbiddenField(field, rule));
}

function configMapProblems(object: KubeObject): readonly FieldProblem[] {
  const repeated = Object.keys(objectOf(object.data)).filter((key) => Object.hasOwn(objectOf(object.binaryData), key));
  return [
    ...keyProblems('data', object.data),
    ...repeated.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyProblems('binaryData', object.binaryData),
    ...(textSize(object.data) + byteSize(object.binaryData) > LARGEST_DATA ? [tooLong('', LARGEST_DATA)] : []),
  ];
}

export const configMaps: ServedKind = builtIn({
  plural: 'configmaps',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  schema: builtInSchema('io.k8s.api.core.v1.ConfigMap'),
  rules: {
    ...PLAIN_RULES,
    validateCreate: configMapProblems,
    update: {
      ...PLAIN_RULES.update,
      validate: (next, previous) => [
        ...frozenProblems(next, previous, ['data', 'binaryData']),
        ...metadataProblems(next.metadata, { namespaced: true, name: subdomainProblems, qualifiedFinalizers: true }),
        ...configMapProblems(next),
      ],
    },
  },
});

const REQUIRED_KEYS = new Map([
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
]);

function secretProblems(object: KubeObject): readonly FieldProblem[] {
  const data = objectOf(object.data);
  const missing = (REQUIRED_KEYS.get(textOf(object.type)) ?? []).filter((key) => !Object.hasOwn(data, key));
  return [
    ...keyProblems('data', data),
    ...(byteSize(data) > LARGEST_DATA ? [tooLong('data', LARGEST_DATA)] : []),
    ...missing.map((key) => required(`data[${key}]`)),
  ];
}

/** Plain text is a convenience of the client's: it is stored like everything else. */
function withPlainText(object: KubeObject): KubeObject {
  if (!isJsonObject(object.stringData)) return object;
  const encoded = Object.entries(object.stringData).map(([key, value]): [string, Json] => [
    key,
    Buffer.from(textOf(value)).toString('base64'),
  ]);
  const data = { ...objectOf(object.data), ...Object.fromEntries(encoded) };
  return asKubeObject({ ...without(object, 'stringData'), data });
}

export const secrets: ServedKind = builtIn({
  plural: 'secrets',
  kind: 'Secret',
  schema: builtInSchema('io.k8s.api.core.v1.Secret'),
  defaults: withPlainText,
  rules: {
    ...PLAIN_RULES,
    validateCreate: secretProblems,
    update: {
      ...PLAIN_RULES.update,
      validate(next, previous) {
        const type = next.type === previous.type ? [] : [invalidValue('type', next.type ?? '', IMMUTABLE)];
        return [...type, ...frozenProblems(next, previous, ['data']), ...secretProblems(next)];
      },
    },
  },
  selectable: {
    names: ['metadata.name', 'metadata.namespace', 'type'],
    read: (object) => ({ type: textOf(object.type) }),
  },
});

export const serviceAccounts: ServedKind = builtIn({
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
  schema: builtInSchema('io.k8s.api.core.v1.ServiceAccount'),
  rules: { ...PLAIN_RULES, returnsDeleted: true },
});

function leaseProblems(object: KubeObject): readonly FieldProblem[] {
  const { leaseDurationSeconds, leaseTransitions } = objectOf(object.spec);
  const problems: FieldProblem[] = [];
  if (typeof leaseDurationSeconds === 'number' && leaseDurationSeconds <= 0) {
    problems.push(invalidValue('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
  }
  if (typeof leaseTransitions === 'number' && leaseTransitions < 0) {
    problems.push(invalidValue('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0'));
  }
  return problems;
}

/** The coordinated election these belong to is switched off. */
function withoutElection(object: KubeObject): KubeObject {
  const spec = objectOf(object.spec);
  const rest = without(spec, 'strategy', 'preferredHolder');
  return rest === spec ? object : { ...object, spec: rest };
}

export const leases: ServedKind = builtIn({
  group: 'coordination.k8s.io',
  plural: 'leases',
  kind: 'Lease',
  schema: builtInSchema('io.k8s.api.coordination.v1.Lease'),
  rules: {
    ...PLAIN_RULES,
    createOnUpdate: true,
    unconditionalUpdate: false,
    qualifiedFinalizers: false,
    prepareCreate: withoutElection,
    validateCreate: leaseProblems,
    update: { ...PLAIN_RULES.update, prepare: withoutElection, validate: leaseProblems },
  },
});
