import { textOf, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';
import { core, grouped } from './paths.ts';

async function fill(stage: Stage, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const labels = { name, parity: names.indexOf(name) % 2 === 0 ? 'even' : 'odd' };
    await stage.quietly('POST', core(stage, 'secrets'), { metadata: { name, labels }, data: {} });
  }
}

const listing: Scene = {
  name: 'reading: lists and selectors',
  async play(stage) {
    await fill(stage, ['a', 'b', 'c', 'd']);
    const path = core(stage, 'secrets');
    await stage.get(path);
    for (const selector of [
      'parity=even',
      'parity!=even',
      'parity in (even,none),name notin (a)',
      '!parity',
      'name',
      'name=',
    ]) {
      await stage.get(`${path}?labelSelector=${encodeURIComponent(selector)}`);
    }
    for (const selector of [
      'metadata.name=b',
      'metadata.name!=b',
      `metadata.namespace=${stage.namespace}`,
      'type=Opaque',
    ]) {
      await stage.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`);
    }
    for (const selector of ['a in (', 'a b', '-a', 'a=-b', 'a in x', ',', 'a>1']) {
      await stage.get(`${path}?labelSelector=${encodeURIComponent(selector)}`);
    }
    await stage.get(`${path}?fieldSelector=${encodeURIComponent('spec.foo=x')}`);
    await stage.get(`${path}?fieldSelector=foo`);
    const leases = grouped(stage, 'coordination.k8s.io/v1', 'leases');
    await stage.get(`${leases}?fieldSelector=${encodeURIComponent('spec.foo=x')}`);
    await stage.get(`${path}/a`);
    await stage.get(`${path}/none`);
    await stage.get('/api/v1/namespaces/none/secrets');
    await stage.get(`${path}/a`, { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' });
    await stage.get(`${path}?limit=1`, { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' });
  },
};

/* Versions come from objects, not from lists: those are of the last write to the whole server, whoever made it. */

const paging: Scene = {
  name: 'reading: pages of one moment',
  async play(stage) {
    await fill(stage, ['a', 'b', 'c', 'd', 'e']);
    const path = core(stage, 'secrets');
    const newest = await stage.quietly('GET', `${path}/e`);
    const first = await stage.get(`${path}?limit=2`);
    await stage.quietly('DELETE', `${path}/d`);
    await stage.quietly('POST', path, { metadata: { name: 'cc' } });
    const token = encodeURIComponent(textOf(valueAt(first, 'metadata', 'continue')));
    const second = await stage.get(`${path}?limit=2&continue=${token}`);
    const last = encodeURIComponent(textOf(valueAt(second, 'metadata', 'continue')));
    await stage.get(`${path}?limit=2&continue=${last}`);
    await stage.get(`${path}?continue=${token}`);
    await stage.get(path);
    await stage.get(`${path}?limit=2&labelSelector=parity%3Deven`);
    const version = textOf(valueAt(newest, 'metadata', 'resourceVersion'));
    await stage.get(`${path}?resourceVersion=${version}&resourceVersionMatch=Exact`);
    await stage.get(`${path}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`);
    await stage.get(`${path}?resourceVersion=${version}`);
    await stage.get(`${path}?resourceVersion=${version}&limit=1`);
    await stage.get(`${path}?resourceVersion=0`);
  },
};

const options: Scene = {
  name: 'reading: options that make no sense',
  async play(stage) {
    const path = core(stage, 'secrets');
    await stage.get(`${path}?continue=abc`);
    await stage.get(`${path}?resourceVersion=abc`);
    await stage.get(`${path}?resourceVersionMatch=Exact`);
    await stage.get(`${path}?resourceVersionMatch=Foo&resourceVersion=1`);
    await stage.get(`${path}?resourceVersionMatch=Exact&resourceVersion=0`);
    await stage.get(`${path}?sendInitialEvents=true`);
    await stage.get(`${path}?watch=1&sendInitialEvents=true`);
    await stage.get(`${path}?watch=1&resourceVersionMatch=NotOlderThan`);
    await stage.get(`${path}?watch=1&resourceVersion=abc`);
    await stage.get(`${path}?limit=-1`);
  },
};

const routing: Scene = {
  name: 'reading: paths that lead nowhere',
  async play(stage) {
    const services = core(stage, 'services');
    await stage.quietly('POST', services, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
    for (const path of [
      '/foo',
      '/api/v1/foos',
      '/apis/none.test/v1/bars',
      `${services}/a/status`,
      `${services}/a/bogus`,
      `${services}/a/status/more`,
      `/api/v1/namespaces/${stage.namespace}/nodes`,
      '/api/v1/services/a',
      `/api/v1/namespaces/${stage.namespace}/status`,
    ]) {
      await stage.get(path);
    }
    await stage.post(`${services}/a`, {});
    await stage.post('/api/v1/services', {});
    await stage.put(services, {});
    await stage.mergePatch(services, {});
    await stage.delete(`${services}/a/status`);
    await stage.delete('/api/v1/namespaces');
    await stage.delete('/api/v1/services');
  },
};

const watching: Scene = {
  name: 'reading: watches',
  async play(stage) {
    const path = core(stage, 'secrets');
    await fill(stage, ['a', 'b']);
    const newest = await stage.quietly('GET', `${path}/b`);
    const version = textOf(valueAt(newest, 'metadata', 'resourceVersion'));
    const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const all = await stage.watch(`${path}?watch=1${initial}`);
    await all.take(3);
    const since = await stage.watch(`${path}?watch=1&resourceVersion=${version}`);
    const even = await stage.watch(`${path}?watch=1&resourceVersion=${version}&labelSelector=parity%3Deven`);
    const one = await stage.watch(`${path}?watch=1&fieldSelector=metadata.name%3Da&resourceVersion=${version}`);
    await stage.quietly('PUT', `${path}/a`, { metadata: { name: 'a', labels: { parity: 'odd' } } });
    await stage.quietly('PUT', `${path}/b`, {
      metadata: { name: 'b', labels: { parity: 'even' } },
      data: { x: 'eA==' },
    });
    await stage.quietly('PUT', `${path}/b`, {
      metadata: { name: 'b', labels: { parity: 'even' } },
      data: { x: 'eQ==' },
    });
    await stage.quietly('DELETE', `${path}/b`);
    await all.take(4);
    await since.take(4);
    await even.take(4);
    await one.take(1);
    for (const watch of [all, since, even, one]) watch.close();
    const again = await stage.watch(`${path}?watch=1&resourceVersion=${version}&timeoutSeconds=1`);
    await again.takeAll();
    const legacy = await stage.watch(`${path}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`);
    await legacy.takeAll();
    const fromZero = await stage.watch(`${path}?watch=1&timeoutSeconds=1&resourceVersion=0`);
    await fromZero.takeAll();
    const future = await stage.watch(`${path}?watch=1&timeoutSeconds=1&resourceVersion=99999999999`);
    await future.takeAll();
    for (const [plural, group] of [
      ['services', ''],
      ['pods', ''],
      ['configmaps', ''],
      ['endpoints', ''],
      ['endpointslices', 'discovery.k8s.io/v1'],
      ['leases', 'coordination.k8s.io/v1'],
      ['events', 'events.k8s.io/v1'],
    ] as const) {
      const collection = group === '' ? core(stage, plural) : grouped(stage, group, plural);
      const watch = await stage.watch(`${collection}?watch=1&timeoutSeconds=1&labelSelector=none%3Dnone${initial}`);
      await watch.takeAll();
    }
  },
};

export const readingScenes: readonly Scene[] = [listing, paging, options, routing, watching];
