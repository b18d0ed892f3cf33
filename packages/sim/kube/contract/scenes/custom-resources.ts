import type { Json, JsonObject } from '../../../json.ts';
import { isJsonList, isJsonObject, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';

function definition(group: string, extra: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          selectableFields: [{ jsonPath: '.spec.color' }],
          schema: { openAPIV3Schema: SCHEMA },
        },
      ],
      ...extra,
    },
  };
}

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
        ratio: { type: 'number', multipleOf: 0.5, exclusiveMinimum: true, minimum: 0 },
        when: { type: 'string', format: 'date-time' },
        ip: { type: 'string', format: 'ipv4' },
        port: { 'x-kubernetes-int-or-string': true },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 3, minItems: 1 },
        rules: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string' }, weight: { type: 'integer', default: 5 } },
          },
        },
        labels: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 2 },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        maybe: { type: 'string', nullable: true },
        nested: { type: 'object', default: {}, properties: { deep: { type: 'boolean', default: true } } },
        one: {
          type: 'object',
          properties: { a: { type: 'string' }, b: { type: 'string' } },
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
        },
      },
    },
    status: { type: 'object', properties: { state: { type: 'string' }, count: { type: 'integer' } } },
  },
};

interface World {
  readonly group: string;
  readonly path: string;
  readonly create: (name: string, spec: Json, query?: string) => Promise<JsonObject>;
}

async function define(stage: Stage): Promise<World> {
  const group = `${stage.namespace}.test`;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await stage.post(definitions, definition(group));
  await stage.eventually(`${definitions}/widgets.${group}`, isEstablished);
  const path = `/apis/${group}/v1/namespaces/${stage.namespace}/widgets`;
  await served(stage, path);
  const create = (name: string, spec: Json, query = '') =>
    stage.post(`${path}${query}`, { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec });
  return { group, path, create };
}

/** A kind is served a little after its definition says so. */
async function served(stage: Stage, path: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { kind } = await stage.quietly('GET', path);
    if (kind === 'WidgetList') return;
    await stage.wait(50);
  }
  throw new Error(`${path} is not served`);
}

function isEstablished(body: JsonObject): boolean {
  const conditions = valueAt(body, 'status', 'conditions');
  if (!isJsonList(conditions)) return false;
  return conditions.some(
    (condition) => isJsonObject(condition) && condition.type === 'Established' && condition.status === 'True',
  );
}

const objects: Scene = {
  name: 'custom resources: defaults, pruning and validation',
  async play(stage) {
    const { create, path, group } = await define(stage);
    await create('a', { size: 3 });
    await create('missing', {});
    await create('type', { size: 'x' });
    await create('fraction', { size: 3, ratio: 0.7 });
    await create('many', { size: 11, color: 'green', name: 'ABC', when: 'x', ip: 'y', port: true, ratio: -0.5 });
    await create('length', { size: 1, name: 'abcdef' });
    await create('short', { size: 1, name: 'a' });
    await create('lists', { size: 0, tags: ['a', 'a', 'b', 'c'], rules: [{ id: 'x' }, { id: 'x' }, {}] });
    await create('empty', { size: 1, tags: [], labels: { a: 1, b: '2', c: '3' } });
    await create('kinds', { size: 2, labels: [], tags: {}, nested: [] });
    await create('unknown', { size: 3, bogus: 1, free: { any: { thing: [1] } }, maybe: null, nested: { x: 1 } });
    await create('nulls', { size: 3, color: null, nested: null, name: null });
    await create('strict', { size: 3, bogus: 1 }, '?fieldValidation=Strict');
    await create('none', { size: 3, one: {} });
    await create('both', { size: 3, one: { a: 'x', b: 'y' } });
    await create('scalar', 5);
    await create('rules', { size: 3, rules: [{ id: 'a' }, { id: 'b', weight: 7 }], port: 'http' });
    await stage.post(path, { metadata: { name: 'x' } });
    await stage.post(path, { apiVersion: `${group}/v2`, kind: 'Widget', metadata: { name: 'x' } });
    await stage.get(path);
    await stage.get(`${path}?fieldSelector=spec.color%3Dred,metadata.name%3Da`);
    await stage.get(`${path}?fieldSelector=spec.size%3D3`);
    const watch = await stage.watch(
      `${path}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3Da`,
    );
    await watch.takeAll();
  },
};

const updates: Scene = {
  name: 'custom resources: updates, status and generation',
  async play(stage) {
    const { create, path, group } = await define(stage);
    const created = await create('a', { size: 3 });
    const header = { apiVersion: `${group}/v1`, kind: 'Widget' };
    await stage.put(`${path}/a`, { ...header, metadata: { name: 'a' }, spec: { size: 4 } });
    await stage.put(`${path}/a`, { ...created, spec: { size: 4 }, status: { state: 'ignored' } });
    await stage.put(`${path}/a`, { ...created, spec: { size: 5 } });
    await stage.mergePatch(`${path}/a`, { metadata: { labels: { l: 'm' } } });
    await stage.mergePatch(`${path}/a/status`, {
      metadata: { labels: { l: 'n' } },
      spec: { size: 9 },
      status: { state: 'Ready', unknown: 1 },
    });
    await stage.mergePatch(`${path}/a/status`, { status: { state: 5 } });
    await stage.mergePatch(`${path}/a`, { status: { state: 'ignored' }, spec: { color: 'blue' } });
    await stage.mergePatch(`${path}/a`, { spec: { size: null } });
    await stage.jsonPatch(`${path}/a`, [{ op: 'replace', path: '/spec/size', value: 7 }]);
    await stage.strategicPatch(`${path}/a`, { spec: { size: 7 } });
    await stage.mergePatch(`${path}/a`, { metadata: { finalizers: ['example.test/x'] } });
    await stage.delete(`${path}/a`);
    await stage.mergePatch(`${path}/a`, { metadata: { finalizers: [] } });
    await stage.get(`${path}/a`);
    await create('b', { size: 1 });
    await stage.delete(`${path}/b`);
  },
};

const apply: Scene = {
  name: 'custom resources: apply',
  async play(stage) {
    const { path, group } = await define(stage);
    const header = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' } };
    const apply = (manager: string, spec: Json, query = '') =>
      stage.apply(`${path}/a?fieldManager=${manager}${query}`, { ...header, spec });
    await apply('one', { size: 3, rules: [{ id: 'x', weight: 1 }], tags: ['a'], labels: { l: 'm' } });
    await apply('two', { rules: [{ id: 'y' }], tags: ['b'] });
    await apply('two', { rules: [{ id: 'x', weight: 2 }] });
    await apply('two', { rules: [{ id: 'x', weight: 2 }], free: { deep: { a: 1, list: [1] } } }, '&force=true');
    await apply('three', { free: { deep: { b: 2 } } });
    await apply('two', { tags: ['b'] });
    await apply('one', { size: 3 });
    await apply('one', { size: 3, bogus: 1 });
    await stage.apply(`${path}/a/status?fieldManager=status`, { ...header, status: { state: 'Ready' } });
    await stage.apply(`${path}/a/status?fieldManager=other`, { ...header, status: { count: 1 } });
    await stage.get(`${path}/a`);
  },
};

const clusterWide: Scene = {
  name: 'custom resources: without a namespace, and scaled',
  async play(stage) {
    const group = `${stage.namespace}.test`;
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const schema = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { replicas: { type: 'integer' }, mode: { type: 'string' } } },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const version = {
      name: 'v1alpha1',
      served: true,
      storage: true,
      subresources: { scale },
      schema: { openAPIV3Schema: schema },
    };
    const names = { plural: 'widgets', kind: 'Widget', singular: 'widget', categories: ['all'] };
    await stage.post(path, { ...definition(group, { scope: 'Cluster', names, versions: [version] }) });
    await stage.eventually(`${path}/widgets.${group}`, isEstablished);
    const widgets = `/apis/${group}/v1alpha1/widgets`;
    await served(stage, widgets);
    const header = { apiVersion: `${group}/v1alpha1`, kind: 'Widget' };
    await stage.post(widgets, {
      ...header,
      metadata: { name: 'a' },
      spec: { replicas: 2 },
      status: { replicas: 1, any: [1] },
    });
    await stage.get(`${widgets}/a/scale`);
    await stage.mergePatch(`${widgets}/a/scale`, { spec: { replicas: 5 } });
    await stage.mergePatch(`${widgets}/a`, { status: { replicas: 3 } });
    await stage.get(`${widgets}/a/status`);
    await stage.post(widgets, { ...header, metadata: { name: 'b', namespace: 'x' } });
    await stage.get(`${widgets}/b/scale`);
    await stage.get(widgets);
    await stage.delete(widgets);
    await stage.delete(`${path}/widgets.${group}`);
  },
};

const definitions: Scene = {
  name: 'custom resources: definitions',
  async play(stage) {
    const group = `${stage.namespace}.test`;
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await stage.post(path, { metadata: { name: 'x' } });
    await stage.post(path, { ...definition(group), metadata: { name: 'wrong' } });
    await stage.post(
      path,
      definition(group, { scope: 'Bogus', versions: [{ name: 'v1', served: true, storage: true }] }),
    );
    await stage.post(
      path,
      definition(group, {
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      }),
    );
    await stage.eventually(`${path}/widgets.${group}`, isEstablished);
    const widgets = (version: string) => `/apis/${group}/${version}/namespaces/${stage.namespace}/widgets`;
    await served(stage, widgets('v2'));
    await stage.post(widgets('v2'), { apiVersion: `${group}/v2`, kind: 'Widget', metadata: { name: 'a' } });
    await stage.get(`${widgets('v1')}/a`);
    await stage.get(widgets('v2'));
    await stage.mergePatch(`${path}/widgets.${group}`, { spec: { scope: 'Cluster' } });
    await stage.mergePatch(`${path}/widgets.${group}`, { metadata: { labels: { l: 'm' } } });
    await stage.delete(`${path}/widgets.${group}`);
    await stage.eventually(`${path}/widgets.${group}`, ({ code }) => code === 404);
  },
};

const fields = (properties: JsonObject): JsonObject => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
});

/** Each version has a field that the other lacks, and its own default. */
const twoVersions: Scene = {
  name: 'custom resources: fields of another version',
  async play(stage) {
    const group = `${stage.namespace}.test`;
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const shared = { type: 'string' };
    const older = fields({ shared, older: { type: 'string', default: 'one' } });
    const newer = fields({ shared, newer: { type: 'string', default: 'two' } });
    await stage.post(
      path,
      definition(group, {
        versions: [
          { name: 'v1', served: true, storage: true, schema: older },
          { name: 'v2', served: true, storage: false, schema: newer },
        ],
      }),
    );
    await stage.eventually(`${path}/widgets.${group}`, isEstablished);
    const widgets = (version: string) => `/apis/${group}/${version}/namespaces/${stage.namespace}/widgets`;
    await served(stage, widgets('v2'));
    const widget = (version: string, spec: JsonObject) => ({
      apiVersion: `${group}/${version}`,
      kind: 'Widget',
      metadata: { name: 'a' },
      spec,
    });
    await stage.post(widgets('v2'), widget('v2', { shared: 'x', older: 'given', newer: 'given' }));
    await stage.get(`${widgets('v1')}/a`);
    await stage.get(`${widgets('v2')}/a`);
    await stage.mergePatch(`${widgets('v1')}/a`, { metadata: { managedFields: [{}] }, spec: { older: 'lost' } });
    await stage.mergePatch(`${widgets('v2')}/a`, { spec: { shared: 'y' } });
    await stage.get(`${widgets('v1')}/a`);
    await stage.get(widgets('v1'));
    await stage.delete(`${path}/widgets.${group}`);
  },
};

const conversions: Scene = {
  name: 'custom resources: conversion',
  async play(stage) {
    const group = `${stage.namespace}.test`;
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
    const clientConfig = { url: 'https://127.0.0.1/convert' };
    for (const conversion of [
      { strategy: 'Webhook' },
      { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } },
      { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: [] } },
      { strategy: 'None', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
      { strategy: 'Bogus' },
    ]) {
      await stage.post(path, definition(group, { conversion }));
    }
  },
};

export const customResourceScenes: readonly Scene[] = [
  objects,
  updates,
  apply,
  definitions,
  clusterWide,
  twoVersions,
  conversions,
];
