import type { Scene } from '../scene.ts';
import { core } from './paths.ts';

const jsonPatch: Scene = {
  name: 'patches: JSON patch',
  async play(stage) {
    await stage.post(core(stage, 'configmaps'), {
      metadata: { name: 'a', annotations: { 'x/y': '2' } },
      data: { b: '1' },
    });
    const path = `${core(stage, 'configmaps')}/a`;
    await stage.jsonPatch(path, [{ op: 'test', path: '/data/b', value: '2' }]);
    await stage.jsonPatch(path, [
      { op: 'test', path: '/metadata/annotations/x~1y', value: '2' },
      { op: 'add', path: '/data/c', value: '3' },
    ]);
    await stage.jsonPatch(path, [{ op: 'remove', path: '/data/none' }]);
    await stage.jsonPatch(path, [{ op: 'replace', path: '/data/none', value: '1' }]);
    await stage.jsonPatch(path, [{ op: 'add', path: '/data/x/y', value: '1' }]);
    await stage.jsonPatch(path, [{ op: 'add', path: '/nope/x', value: '1' }]);
    await stage.jsonPatch(path, [{ op: 'bogus', path: '/data/x' }]);
    await stage.jsonPatch(path, { op: 'add' });
    await stage.jsonPatch(path, '[');
    await stage.jsonPatch(path, [{ op: 'add', path: '/metadata/finalizers/0', value: 'a/b' }]);
    await stage.jsonPatch(path, [
      { op: 'add', path: '/metadata/finalizers', value: ['a/b'] },
      { op: 'add', path: '/metadata/finalizers/-', value: 'c/d' },
      { op: 'add', path: '/metadata/finalizers/0', value: 'e/f' },
    ]);
    await stage.jsonPatch(path, [{ op: 'remove', path: '/metadata/finalizers/7' }]);
    await stage.jsonPatch(path, [{ op: 'remove', path: '/metadata/finalizers/-1' }]);
    await stage.jsonPatch(path, [
      { op: 'move', from: '/data/b', path: '/data/d' },
      { op: 'copy', from: '/data/d', path: '/data/e' },
    ]);
    await stage.jsonPatch(path, [{ op: 'move', from: '/data/b', path: '/data/d' }]);
    await stage.jsonPatch(path, [{ op: 'replace', path: '/metadata/finalizers', value: null }]);
    await stage.jsonPatch(path, [{ op: 'replace', path: '/metadata/name', value: 'x' }]);
    await stage.jsonPatch(path, [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]);
    await stage.jsonPatch(path, [{ op: 'replace', path: '/metadata/uid', value: 'x' }]);
    await stage.jsonPatch(path, [{ op: 'test', path: '/metadata/nope', value: null }]);
    await stage.jsonPatch(path, [{ op: 'add', path: '', value: {} }]);
    await stage.jsonPatch(`${core(stage, 'configmaps')}/none`, []);
  },
};

const mergePatch: Scene = {
  name: 'patches: merge patch',
  async play(stage) {
    await stage.post(core(stage, 'configmaps'), { metadata: { name: 'a' }, data: { b: '1', c: '2' } });
    const path = `${core(stage, 'configmaps')}/a`;
    await stage.mergePatch(path, { data: { b: null, d: '3' }, metadata: { labels: { x: 'y', z: null } } });
    await stage.mergePatch(path, {});
    await stage.mergePatch(path, []);
    await stage.mergePatch(path, '5');
    await stage.mergePatch(path, '{');
    await stage.mergePatch(path, { metadata: { resourceVersion: '1' } });
    await stage.mergePatch(path, { data: null });
    await stage.mergePatch(`${path}?dryRun=All`, { data: { dry: 'run' } });
    await stage.mergePatch(`${core(stage, 'configmaps')}/none`, {});
    await stage.mergePatch(`${path}?force=true`, {});
    await stage.get(path);
  },
};

const strategicMerge: Scene = {
  name: 'patches: strategic merge patch',
  async play(stage) {
    await stage.post(core(stage, 'services'), {
      metadata: { name: 'a', finalizers: ['a/a', 'b/b'] },
      spec: {
        selector: { x: 'y' },
        ports: [
          { port: 80, name: 'http' },
          { port: 443, name: 'https' },
        ],
      },
    });
    const path = `${core(stage, 'services')}/a`;
    await stage.strategicPatch(path, { spec: { ports: [{ port: 80, targetPort: 8080 }] } });
    await stage.strategicPatch(path, { spec: { ports: [{ port: 81, name: 'new' }] } });
    await stage.strategicPatch(path, { spec: { ports: [{ port: 443, $patch: 'delete' }] } });
    await stage.strategicPatch(path, { metadata: { finalizers: ['c/c', 'a/a'] } });
    await stage.strategicPatch(path, { metadata: { '$deleteFromPrimitiveList/finalizers': ['b/b'] } });
    await stage.strategicPatch(path, {
      spec: { '$setElementOrder/ports': [{ port: 81 }, { port: 80 }], ports: [{ port: 81, name: 'first' }] },
    });
    await stage.strategicPatch(path, {
      metadata: { '$setElementOrder/finalizers': ['c/c', 'd/d', 'a/a'], finalizers: ['d/d'] },
    });
    await stage.strategicPatch(path, { spec: { selector: { q: 'r', x: null } } });
    await stage.strategicPatch(path, { spec: { selector: { $patch: 'replace', only: 'this' } } });
    await stage.strategicPatch(path, { spec: { selector: { $patch: 'delete' } } });
    await stage.strategicPatch(path, { spec: { ports: [{ $patch: 'replace' }, { port: 90 }] } });
    await stage.strategicPatch(path, { spec: { ports: [{ name: 'no-key' }] } });
    await stage.strategicPatch(path, { $patch: 'bogus' });
    await stage.strategicPatch(path, { metadata: { finalizers: null, labels: { a: 'b' } } });
    await stage.strategicPatch(path, { spec: { ports: 5 } });
    await stage.strategicPatch(path, { spec: 5 });
    await stage.strategicPatch(path, { spec: { publishNotReadyAddresses: 'x' } });
    await stage.strategicPatch(path, []);
    await stage.post(core(stage, 'services'), 'x', { contentType: 'application/strategic-merge-patch+json' });
  },
};

export const patchScenes: readonly Scene[] = [jsonPatch, mergePatch, strategicMerge];
