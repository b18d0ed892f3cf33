import { isJsonObject, type Json, type JsonObject, objectOf, valueAt } from '@fairlead/sim/kube/contract';
import type { Dice } from './dice.ts';
import type { FuzzedKind } from './kinds/index.ts';
import { jsonText, oddValue, spoiled } from './odd.ts';

/** Makes bodies that are about one object of a kind. */
export class ObjectMaker {
  readonly #dice: Dice;
  readonly #kind: FuzzedKind;
  readonly #name: string;
  readonly #path: string;

  constructor(dice: Dice, kind: FuzzedKind, name: string, path: string) {
    this.#dice = dice;
    this.#kind = kind;
    this.#name = name;
    this.#path = path;
  }

  /** What is expected at this path: the object, or how it is scaled. */
  at(place: string, version: string): JsonObject {
    return place.endsWith('/scale') ? this.#scale(version) : this.whole(version);
  }

  whole(version: string): JsonObject {
    const { apiVersion, kind } = this.#kind;
    const header = this.#dice.chance(0.95)
      ? { apiVersion, kind }
      : this.#dice.pick<JsonObject>(
          {},
          { kind },
          { apiVersion },
          { apiVersion: 'v1', kind: 'Secret' },
          { apiVersion, kind: 'x' },
        );
    return { ...header, metadata: this.#metadata(version), ...this.#kind.example(this.#dice) };
  }

  /** Only some of the fields, as patches have them. */
  partial({ metadata, kind, apiVersion, ...content }: JsonObject): JsonObject {
    const dice = this.#dice;
    const header = dice.fields(0.3, {
      ...(kind !== undefined && { kind }),
      ...(apiVersion !== undefined && { apiVersion }),
    });
    const values = Object.entries(content).map(([name, value]): [string, Json] => [
      name,
      dice.chance(0.1) ? null : value,
    ]);
    return { ...header, ...Object.fromEntries(values), ...(dice.chance(0.5) && { metadata: metadata ?? null }) };
  }

  /** With the directives of a strategic merge patch. */
  directed(object: JsonObject): JsonObject {
    const dice = this.#dice;
    if (dice.chance(0.7)) return object;
    return {
      ...object,
      ...dice.pick<JsonObject>(
        { $patch: dice.pick('replace', 'delete', 'x') },
        { metadata: { labels: { $patch: dice.pick('replace', 'delete', 'merge'), app: 'new' } } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['fuzz.test/hold'] } },
        { metadata: { '$setElementOrder/finalizers': ['x', 'fuzz.test/hold'] } },
        { spec: { ports: [{ port: 80, $patch: 'delete' }] } },
        { spec: { ports: [{ $patch: 'replace' }, { port: 81 }] } },
        { spec: { '$setElementOrder/ports': [{ port: 443 }, { port: 80 }] } },
        { spec: { $retainKeys: ['ports'], ports: [] } },
      ),
    };
  }

  /** A JSON patch. */
  operations(): Json {
    if (this.#dice.chance(0.04)) return oddValue(this.#dice);
    return Array.from({ length: this.#dice.upTo(3) }, () => this.#operation());
  }

  deletion(dryRun: boolean): JsonObject {
    const dice = this.#dice;
    const preconditions = dice.pick<JsonObject>(
      {},
      { uid: `<uid ${this.#path}>` },
      { uid: 'x' },
      { resourceVersion: `<version ${this.#path}>` },
      { resourceVersion: '1' },
    );
    return {
      ...dice.fields(0.7, { kind: 'DeleteOptions', apiVersion: dice.pick('v1', 'v1', this.#kind.apiVersion) }),
      ...(Object.keys(preconditions).length > 0 && { preconditions }),
      ...dice.fields(0.2, { gracePeriodSeconds: dice.pick(0, 5, -1) }),
      // Otherwise the garbage collector would act, at a time of its own.
      ...(dryRun && {
        dryRun: ['All'],
        ...dice.fields(0.4, { propagationPolicy: dice.pick('Foreground', 'Orphan', 'x') }),
      }),
    };
  }

  /** The text of a body, which now and then is not what it should be. */
  text(value: Json, trouble = 0.2): string {
    const dice = this.#dice;
    if (!dice.chance(trouble)) return jsonText(value);
    if (!dice.chance(0.06)) return jsonText(this.#ownName(spoiled(dice, value)));
    return dice.pick('', '{', '[]', 'null', '"x"', '5', '{}', `${jsonText(value)}x`, jsonText(value).slice(0, -1), ' ');
  }

  /** Names that every namespace shares begin with this run's: other runs want them as well. */
  #ownName(value: Json): Json {
    const name = valueAt(value, 'metadata', 'name');
    if (this.#kind.namespaced || !isJsonObject(value) || typeof name !== 'string' || name.startsWith('<ns>'))
      return value;
    return { ...value, metadata: { ...objectOf(value.metadata), name: `<ns>${name}` } };
  }

  #metadata(version: string): JsonObject {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.97) && { name: this.#name }),
      ...(version !== '' && { resourceVersion: version }),
      ...dice.fields(0.25, {
        labels: dice.pick<Json>(
          { app: 'web' },
          { app: 'db', tier: '' },
          { constructor: 'x', app: 'web' },
          { 'a b': 'c' },
          { app: 'a b' },
          {},
        ),
      }),
      ...dice.fields<Json>(0.08, {
        annotations: dice.pick<Json>({ a: 'b' }, { 'x/y': '' }, { 'a b': 'c' }, { constructor: 'x' }),
        finalizers: dice.pick<Json>(['fuzz.test/hold'], ['x'], ['fuzz.test/hold', 'fuzz.test/hold'], []),
        generateName: dice.pick('gen-', 'Gen', ''),
        namespace: dice.pick('<ns>', 'default', ''),
        uid: dice.pick(`<uid ${this.#path}>`, 'x', ''),
        generation: dice.pick(7, -1),
        creationTimestamp: dice.pick<Json>('2026-01-01T00:00:00Z', null, 'x'),
        deletionTimestamp: '2026-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 5,
        selfLink: '/x',
        ownerReferences: dice.pick<Json>(
          [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '' }],
          [{ apiVersion: '', kind: 'ConfigMap', name: 'a', uid: 'u' }],
          [],
        ),
        managedFields: dice.pick<Json>([], [{}], [{ manager: 'x', operation: 'Update', apiVersion: 'v1' }]),
      }),
    };
  }

  #scale(version: string): JsonObject {
    const dice = this.#dice;
    return {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: this.#name, ...(version !== '' && { resourceVersion: version }) },
      ...dice.fields(0.9, {
        spec: dice.pick<Json>({ replicas: 1 }, { replicas: 3 }, { replicas: 0 }, {}, { replicas: -1 }),
      }),
    };
  }

  #operation(): JsonObject {
    const dice = this.#dice;
    const path = dice.pick(...POINTERS);
    const value = dice.pick<Json>('x', 'fuzz.test/hold', {}, [], { port: 81 }, { app: 'web' }, 5, null, { id: 'z' });
    return dice.pick<JsonObject>(
      { op: 'add', path, value },
      { op: 'add', path, value },
      { op: 'replace', path, value },
      { op: 'replace', path, value },
      { op: 'remove', path },
      { op: 'test', path, value },
      { op: 'move', from: dice.pick(...POINTERS), path },
      { op: 'copy', from: dice.pick(...POINTERS), path },
      { op: 'add', path },
      { op: dice.pick('x', ''), path, value },
      { path },
    );
  }
}

/** Places in an object, as JSON patches name them. */
const POINTERS = [
  '/metadata/labels',
  '/metadata/labels/app',
  '/metadata/labels/constructor',
  '/metadata/labels/__proto__',
  '/metadata/annotations/x~1y',
  '/metadata/finalizers',
  '/metadata/finalizers/0',
  '/metadata/finalizers/-',
  '/metadata/finalizers/-1',
  '/metadata/finalizers/01',
  '/metadata/resourceVersion',
  '/metadata/name',
  '/spec',
  '/spec/ports/0',
  '/spec/ports/-1',
  '/spec/ports/0/port',
  '/spec/ports/-',
  '/spec/size',
  '/spec/rules/0',
  '/spec/type',
  '/data/a',
  '/data',
  '/status',
  '/constructor',
  '/__proto__/x',
  '',
  '/',
  'x',
];
