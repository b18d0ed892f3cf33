import { equalJson, isJsonObject, type Json, type JsonObject, objectOf, textOf, valueAt } from '../../json.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import { inOrderOf, type StructSchema } from '../schema/schema.ts';
import { type FieldProblem, IMMUTABLE, invalidValue, required } from '../validation/field-problem.ts';
import { labelKeyProblems, pathSegmentProblems, subdomainProblems } from '../validation/names.ts';
import { builtIn, type KindRules, PLAIN_RULES, type Selectable, type ServedKind } from './kind.ts';

const event = builtInSchema('io.k8s.api.core.v1.Event');
const groupEvent = builtInSchema('io.k8s.api.events.v1.Event');

const LONGEST_NAME = 128;
const LONGEST_MESSAGE = 1024;

/** Each field of the older form and what the newer one calls it. */
const NEWER_NAMES: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};
const OLDER_NAMES = Object.fromEntries(Object.entries(NEWER_NAMES).map(([older, newer]) => [newer, older]));

function renamed(
  object: KubeObject,
  names: Readonly<Record<string, string>>,
  apiVersion: string,
  schema: StructSchema,
): KubeObject {
  const fields = Object.entries(object).map(([name, value]): [string, Json] => [names[name] ?? name, value]);
  const ordered: JsonObject = inOrderOf(schema, Object.fromEntries(fields));
  return asKubeObject({ kind: 'Event', apiVersion, ...withoutEmpty(ordered, schema) });
}

/** The two forms disagree about which empty fields are written. */
function withoutEmpty(fields: JsonObject, schema: StructSchema): JsonObject {
  const complete: Record<string, Json> = {};
  for (const [name, { presence }] of schema.fields) {
    const value = fields[name];
    if (presence === 'always' && value === undefined) complete[name] = '';
    else if (value !== undefined && (presence === 'always' || value !== '')) complete[name] = value;
  }
  return complete;
}

function legacyProblems(object: KubeObject, componentField: string): readonly FieldProblem[] {
  const namespace = object.metadata.namespace ?? '';
  const about = textOf(valueAt(object, 'involvedObject', 'namespace'));
  const mismatch = invalidValue('involvedObject.namespace', about, 'does not match event.namespace');
  if (object.eventTime === null || object.eventTime === undefined) {
    const agrees = about === '' ? namespace === 'default' : about === namespace;
    return agrees ? [] : [mismatch];
  }
  const component = textOf(object.reportingComponent);
  const system = namespace === 'default' || namespace === 'kube-system';
  return [
    ...(about === '' && !system ? [mismatch] : []),
    ...(component === '' ? [required(componentField)] : []),
    ...labelKeyProblems(component).map((problem) => invalidValue(componentField, component, problem)),
    ...nameProblems('reportingInstance', textOf(object.reportingInstance)),
    ...nameProblems('action', textOf(object.action)),
    ...nameProblems('reason', textOf(object.reason)),
    ...lengthProblems('message', textOf(object.message), LONGEST_MESSAGE),
  ];
}

function nameProblems(field: string, value: string): readonly FieldProblem[] {
  return value === '' ? [required(field)] : lengthProblems(field, value, LONGEST_NAME);
}

function lengthProblems(field: string, value: string, limit: number): readonly FieldProblem[] {
  return value.length > limit ? [invalidValue(field, '', `can have at most ${limit} characters`)] : [];
}

function strictNameProblems(field: string, name = ''): readonly FieldProblem[] {
  return name === '' ? [] : subdomainProblems(name).map((problem) => invalidValue(field, name, problem));
}

function strictProblems(object: KubeObject): readonly FieldProblem[] {
  const problems: FieldProblem[] = [...seriesProblems(object)];
  if (object.eventTime === null || object.eventTime === undefined) problems.push(required('eventTime'));
  const type = textOf(object.type);
  if (type !== 'Normal' && type !== 'Warning') problems.push(invalidValue('type', '', `has invalid value: ${type}`));
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count', 'source']) {
    const value = object[field] ?? null;
    const unset = value === null || value === 0 || (isJsonObject(value) && Object.keys(value).length === 0);
    if (!unset) problems.push(invalidValue(field, '', 'needs to be unset'));
  }
  return problems;
}

function seriesProblems({ series }: KubeObject): readonly FieldProblem[] {
  if (series === undefined) return [];
  const { count = 0, lastObservedTime = null } = objectOf(series);
  const problems: FieldProblem[] = [];
  if (typeof count !== 'number' || count < 2) problems.push(invalidValue('series.count', '', 'should be at least 2'));
  if (lastObservedTime === null) problems.push(required('series.lastObservedTime'));
  return problems;
}

const FROZEN = ['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'type'];
const FROZEN_BY_NEWER = [...FROZEN, 'eventTime', 'action', 'related', 'reportingComponent', 'reportingInstance'];

function strictUpdateProblems(next: KubeObject, previous: KubeObject): readonly FieldProblem[] {
  const changed = FROZEN_BY_NEWER.filter((field) => !equalJson(next[field] ?? null, previous[field] ?? null));
  return [
    ...(equalJson(next.series, previous.series) ? [] : seriesProblems(next)),
    ...changed.map((field) => {
      const name = field === 'reportingComponent' ? 'reportingController' : field;
      return invalidValue(name, next[field] ?? null, IMMUTABLE);
    }),
  ];
}

const RULES: KindRules = {
  ...PLAIN_RULES,
  qualifiedFinalizers: false,
  nameRule: pathSegmentProblems,
  createOnUpdate: true,
  uncollected: true,
  validateCreate: (object) => legacyProblems(object, 'reportingComponent'),
  update: { ...PLAIN_RULES.update, validate: (next) => legacyProblems(next, 'reportingComponent') },
};

const SELECTABLE: Selectable = {
  names: [
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
      (part) => `involvedObject.${part}`,
    ),
    'reason',
    'reportingComponent',
    'source',
    'type',
    'metadata.namespace',
    'metadata.name',
  ],
  read(object) {
    const about = objectOf(object.involvedObject);
    const component = textOf(object.reportingComponent);
    const source = textOf(valueAt(object, 'source', 'component'));
    return {
      ...Object.fromEntries(Object.entries(about).map(([name, value]) => [`involvedObject.${name}`, textOf(value)])),
      reason: textOf(object.reason),
      reportingComponent: component,
      source: source === '' ? component : source,
      type: textOf(object.type),
    };
  },
};

const ABOUT = /^involvedObject(?=\.)/;

/** The same under the names that the newer group has for them. */
const NEWER_SELECTABLE: Selectable = {
  names: SELECTABLE.names
    .filter((name) => name !== 'source')
    .map((name) => (name === 'reportingComponent' ? 'reportingController' : name.replace(ABOUT, 'regarding'))),
  read(object) {
    const values = Object.entries(SELECTABLE.read(object));
    const renamed = values.map(([name, value]): [string, string] => [name.replace(ABOUT, 'regarding'), value]);
    return { ...Object.fromEntries(renamed), reportingController: textOf(object.reportingComponent) };
  },
};

export const events: ServedKind = builtIn({
  plural: 'events',
  kind: 'Event',
  shortNames: ['ev'],
  schema: event,
  rules: RULES,
  selectable: SELECTABLE,
});

export const groupEvents: ServedKind = builtIn({
  group: 'events.k8s.io',
  plural: 'events',
  kind: 'Event',
  shortNames: ['ev'],
  schema: groupEvent,
  collection: events.collection,
  storedGroup: '',
  toStored: (object) => renamed(object, OLDER_NAMES, 'v1', event),
  fromStored: (object) => renamed(object, NEWER_NAMES, 'events.k8s.io/v1', groupEvent),
  rules: {
    ...RULES,
    validateCreate: (object) => [
      ...strictNameProblems('metadata.generateName', object.metadata.generateName),
      ...strictNameProblems('metadata.name', object.metadata.name),
      ...legacyProblems(object, 'reportingController'),
      ...strictProblems(object),
    ],
    update: {
      ...RULES.update,
      validate: (next, previous) => [
        ...legacyProblems(next, 'reportingController'),
        ...strictUpdateProblems(next, previous),
      ],
    },
  },
  selectable: NEWER_SELECTABLE,
});
