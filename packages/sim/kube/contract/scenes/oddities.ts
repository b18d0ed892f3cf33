import type { JsonObject } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import { core, grouped } from './paths.ts';

const paths: Scene = {
  name: 'oddities: paths and methods',
  async play(stage) {
    const configMaps = core(stage, 'configmaps');
    const path = `${configMaps}/a`;
    await stage.post(configMaps, { metadata: { name: 'a' } });
    for (const odd of [
      `/${path}`,
      `/${configMaps}`,
      `${configMaps}//a`,
      `/api/v1/namespaces//${stage.namespace}/configmaps`,
      `${path}/`,
      `${path}%2Fb`,
      `${configMaps}%2Fa`,
      `${configMaps}/a%25b`,
      `${configMaps}/__proto__`,
      `${configMaps}/constructor`,
      core(stage, 'constructor'),
      '/apis/constructor/v1/foos',
    ]) {
      await stage.get(odd);
    }
    await stage.call('OPTIONS', configMaps);
    await stage.call('OPTIONS', path);
    await stage.call('HEAD', path);
    await stage.put(`${configMaps}/a%2Fb`, { metadata: { name: 'a/b' } });
    await stage.delete(`${configMaps}/a%25b`);
    await stage.get(`/api/v1/namespaces/${stage.namespace}/finalize`);
    await stage.get(configMaps, { accept: 'application/*' });
    await stage.get(`${configMaps}?fieldSelector=metadata.name%3Dnone`, {
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
  },
};

const deletions: Scene = {
  name: 'oddities: deletions with other bodies',
  async play(stage) {
    const path = `${core(stage, 'configmaps')}/a`;
    await stage.post(core(stage, 'configmaps'), { metadata: { name: 'a' } });
    await stage.delete(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    await stage.delete(path, { kind: 'Secret' });
    await stage.delete(path, { kind: 5 });
    await stage.delete(path, { gracePeriodSeconds: 'x' });
    await stage.delete(path, { preconditions: { resourceVersion: 7 } });
    await stage.delete(path, { dryRun: 'All' });
    await stage.call('DELETE', path, '{}', { contentType: 'text/plain' });
    await stage.delete(path, { apiVersion: 'apps/v1', kind: 'DeleteOptions', nope: 1 });
  },
};

const service = (ports: string): string => `{"metadata":{"name":"a"},"spec":{"ports":${ports}}}`;

const numbers: Scene = {
  name: 'oddities: how numbers are spelled',
  async play(stage) {
    const services = core(stage, 'services');
    await stage.post(services, service('[{"port":80.0}]'));
    await stage.post(services, service('[{"port":1e2}]'));
    await stage.post(services, service('[{"port":80,"targetPort":80.0}]'));
    await stage.post(services, service('[{"port":9223372036854775808}]'));
    await stage.post(services, service('[{"port":80}]'));
    const type = '"apiVersion":"v1","kind":"Service",';
    await stage.apply(
      `${services}/b?fieldManager=one`,
      `{${type}${service('[{"port":1e2}]').slice(1).replace('"a"', '"b"')}`,
    );
    await stage.apply(
      `${services}/b?fieldManager=one`,
      `{${type}${service('[{"port":0.5}]').slice(1).replace('"a"', '"b"')}`,
    );
    const leases = grouped(stage, 'coordination.k8s.io/v1', 'leases');
    await stage.post(leases, '{"metadata":{"name":"a","generation":-1},"spec":{"leaseDurationSeconds":15}}');
    await stage.put(`${leases}/a`, {
      metadata: { name: 'a', resourceVersion: '1' },
      spec: { leaseDurationSeconds: 15 },
    });
    await stage.get(`${services}?limit=9223372036854775807`);
    await stage.get(`${services}?limit=9223372036854775808`);
    await stage.get(`${services}?limit=1.0`);
  },
};

const names: Scene = {
  name: 'oddities: names that JavaScript knows',
  async play(stage) {
    const configMaps = core(stage, 'configmaps');
    await stage.post(configMaps, '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}');
    await stage.post(configMaps, '{"metadata":{"name":"b","labels":{"constructor":"x"}},"__proto__":{"x":1}}');
    await stage.post(
      configMaps,
      '{"metadata":{"name":"constructor"},"data":{"toString":"z"},"binaryData":{"valueOf":""}}',
    );
    await stage.get(`${configMaps}/a`);
    await stage.mergePatch(`${configMaps}/a`, '{"data":{"__proto__":"z","toString":null}}');
    await stage.mergePatch(`${configMaps}/a`, '{"data":{"__proto__":null}}');
    await stage.jsonPatch(`${configMaps}/a`, [{ op: 'remove', path: '/data/toString' }]);
    await stage.jsonPatch(`${configMaps}/a`, [{ op: 'add', path: '/data/__proto__', value: 'w' }]);
    await stage.jsonPatch(`${configMaps}/a`, [{ op: 'test', path: '/constructor', value: null }]);
    await stage.strategicPatch(`${configMaps}/a`, '{"data":{"__proto__":"v","hasOwnProperty":"u"}}');
    const configuration = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"__proto__":"t"}}';
    await stage.apply(`${configMaps}/a?fieldManager=one&force=true`, configuration);
    await stage.apply(`${configMaps}/c?fieldManager=one`, configuration.replace('"a"', '"c"'));
    const none = 'metadata.name!=kube-root-ca.crt';
    for (const selector of ['constructor', '!constructor', 'constructor=x', 'toString', '!toString', '__proto__']) {
      const query = `labelSelector=${encodeURIComponent(selector)}&fieldSelector=${encodeURIComponent(none)}`;
      await stage.get(`${configMaps}?${query}`);
    }
    await stage.get(`${configMaps}?fieldSelector=constructor%3Dx`);
  },
};

const texts: Scene = {
  name: 'oddities: characters and sizes',
  async play(stage) {
    const configMaps = core(stage, 'configmaps');
    await stage.post(`${configMaps}?fieldManager=a%00b`, { metadata: { name: 'a' } });
    await stage.post(`${configMaps}?fieldManager=a%0Ab`, { metadata: { name: 'a' } });
    await stage.post(`${configMaps}?fieldManager=%C3%A9%20x`, { metadata: { name: 'a' }, data: { x: 'y' } });
    await stage.mergePatch(`${configMaps}/a`, String.raw`{"data":{"half":"\ud800x","whole":"\ud83d\ude00"}}`);
    const half = String.raw`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"half":"\ud800"}}`;
    await stage.apply(`${configMaps}/a?fieldManager=one`, half);
    const large = JSON.stringify({ metadata: { name: 'b' }, data: { x: 'x'.repeat(3 * 1024 * 1024) } });
    await stage.post(configMaps, large);
    await stage.mergePatch(`${configMaps}/a`, large);
    await stage.post(configMaps, 'null');
    await stage.post(configMaps, '5');
    await stage.post(configMaps, '{"apiVersion":5,"metadata":{"name":"a-name-that-is-longer"}}');
    await stage.post(configMaps, { metadata: { name: 'c' } }, { contentType: 'Application/JSON; charset=utf-8' });
    await stage.post(configMaps, { metadata: { name: 'c', generateName: 'c-' } });
    await stage.get(`${configMaps}?labelSelector=a%3Db%3Dc`);
    await stage.get(`${configMaps}?labelSelector=a%3Db%20c`);
    await stage.get(`${configMaps}?fieldSelector=metadata.name%3Da%3Db`);
  },
};

const versions: Scene = {
  name: 'oddities: versions that are not there',
  async play(stage) {
    const configMaps = core(stage, 'configmaps');
    await stage.post(configMaps, { metadata: { name: 'a', labels: { app: 'web' } } });
    await stage.post(configMaps, { metadata: { name: 'b' } });
    await stage.get(`${configMaps}/a?resourceVersion=abc`);
    await stage.get(`${configMaps}/a?resourceVersion=0`);
    await stage.get(`${configMaps}/a?resourceVersion=99999999999`);
    await stage.get(`${core(stage, 'events')}/a?resourceVersion=abc`);
    const ours = `fieldSelector=${encodeURIComponent('metadata.name!=kube-root-ca.crt')}`;
    await stage.get(`${configMaps}?resourceVersion=0&limit=1&${ours}`);
    await stage.get(`${configMaps}?limit=1&labelSelector=app`);
    await stage.get(`${configMaps}?limit=1&fieldSelector=metadata.name%3Da`);
    await stage.get(`${configMaps}?watch=1&resourceVersionMatch=Exact&resourceVersion=1`);
    await stage.put(`${core(stage, 'services')}/none`, { metadata: { name: 'none', uid: 'x' } });
    await stage.put(`${configMaps}/a`, { metadata: { name: 'a', uid: 'x' } });
    await stage.put(`${configMaps}/a`, {
      metadata: { name: 'a', labels: { app: 'db' }, managedFields: [], selfLink: '/x' },
    });
    await stage.put(`${configMaps}/a`, { metadata: { name: 'a', resourceVersion: 'abc' } });
    await stage.put(`${core(stage, 'events')}/new`, {
      metadata: { name: 'new', resourceVersion: 'abc' },
      involvedObject: { namespace: stage.namespace },
    });
  },
};

const patches: Scene = {
  name: 'oddities: indexes of JSON patches',
  async play(stage) {
    const services = core(stage, 'services');
    const path = `${services}/a`;
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ];
    await stage.post(services, { metadata: { name: 'a' }, spec: { ports } });
    await stage.jsonPatch(path, [{ op: 'replace', path: '/spec/ports/-1/port', value: 82 }]);
    await stage.jsonPatch(path, [{ op: 'add', path: '/spec/ports/-1', value: { name: 'c', port: 83 } }]);
    await stage.jsonPatch(path, [{ op: 'replace', path: '/spec/ports/-1', value: { name: 'd', port: 84 } }]);
    await stage.jsonPatch(path, [{ op: 'remove', path: '/spec/ports/-1' }]);
    await stage.jsonPatch(path, [{ op: 'test', path: '/spec/ports/-1/name', value: 'c' }]);
    await stage.jsonPatch(path, [{ op: 'remove', path: '/spec/ports/-9' }]);
    await stage.jsonPatch(path, [{ op: 'add', path: '/spec/ports/01', value: { name: 'e', port: 85 } }]);
    await stage.jsonPatch(path, [[]]);
    await stage.jsonPatch(path, [{ op: 5 }]);
    await stage.jsonPatch(`${path}?force=true`, []);
    await stage.put(`${path}?force=true&dryRun=All`, { metadata: { name: 'a' }, spec: { ports } });
  },
};

const kinds: Scene = {
  name: 'oddities: what some kinds do not take',
  async play(stage) {
    const slices = grouped(stage, 'discovery.k8s.io/v1', 'endpointslices');
    await stage.post(slices, {
      metadata: { name: 'a' },
      addressType: 'FQDN',
      endpoints: [{ addresses: ['a.test'], deprecatedTopology: { a: 'b' } }],
    });
    await stage.post(core(stage, 'events'), {
      metadata: { name: 'a', finalizers: ['x'] },
      involvedObject: { namespace: stage.namespace },
    });
    const lost = `${stage.namespace}-lost`;
    await stage.post('/api/v1/namespaces?dryRun=All', { metadata: { name: lost }, spec: { finalizers: ['x'] } });
    await stage.delete(`/api/v1/namespaces/${stage.namespace}?dryRun=All`);
    await stage.delete(`/api/v1/namespaces/${stage.namespace}`, { propagationPolicy: 'Foreground', dryRun: ['All'] });
    const broken: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, binaryData: { a: 'x' } };
    await stage.apply(`${core(stage, 'configmaps')}/a?fieldManager=one`, broken);
    const nothing: JsonObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'z' },
      binaryData: { a: null },
    };
    await stage.apply(`${core(stage, 'configmaps')}/z?fieldManager=one`, nothing);
  },
};

/** What clients hardly ever send. Most of it was found by the fuzzer. */
export const oddityScenes: readonly Scene[] = [paths, deletions, numbers, names, texts, versions, patches, kinds];
