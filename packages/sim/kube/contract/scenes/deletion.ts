import { listOf, textOf, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import { core, grouped } from './paths.ts';

const preconditions: Scene = {
  name: 'deletion: preconditions and options',
  async play(stage) {
    const path = core(stage, 'secrets');
    const created = await stage.post(path, { metadata: { name: 'a' } });
    await stage.delete(`${path}/a`, { preconditions: { uid: 'x' } });
    await stage.delete(`${path}/a`, { preconditions: { resourceVersion: '1' } });
    await stage.delete(`${path}/a`, { propagationPolicy: 'x' });
    await stage.delete(`${path}/a`, { propagationPolicy: 'Orphan', orphanDependents: true });
    await stage.delete(`${path}/a?dryRun=All`);
    await stage.delete(`${path}/a?dryRun=x`);
    await stage.delete(`${path}/a`, { preconditions: { uid: textOf(valueAt(created, 'metadata', 'uid')) } });
    await stage.delete(`${path}/a`);
    const services = core(stage, 'services');
    await stage.post(services, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    await stage.delete(`${services}/s?dryRun=All`);
    await stage.delete(`${services}/s`);
    const leases = grouped(stage, 'coordination.k8s.io/v1', 'leases');
    await stage.post(leases, { metadata: { name: 'l' } });
    await stage.delete(`${leases}/l`);
  },
};

const finalizers: Scene = {
  name: 'deletion: finalizers',
  async play(stage) {
    const path = core(stage, 'services');
    await stage.post(path, {
      metadata: { name: 'a', finalizers: ['example.test/one', 'example.test/two'] },
      spec: { ports: [{ port: 80 }] },
    });
    const watch = await stage.watch(`${path}?watch=1&fieldSelector=metadata.name%3Da`);
    await watch.take(1);
    await stage.delete(`${path}/a`);
    await stage.delete(`${path}/a`);
    await stage.post(path, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
    await stage.mergePatch(`${path}/a`, { metadata: { finalizers: ['example.test/one', 'example.test/new'] } });
    await stage.mergePatch(`${path}/a`, { metadata: { deletionTimestamp: null, labels: { still: 'here' } } });
    await stage.mergePatch(`${path}/a`, { metadata: { finalizers: ['example.test/two'] } });
    await stage.mergePatch(`${path}/a`, { metadata: { finalizers: null } });
    await stage.get(`${path}/a`);
    await watch.take(4);
    watch.close();
    const slices = grouped(stage, 'discovery.k8s.io/v1', 'endpointslices');
    await stage.post(slices, {
      metadata: { name: 'g', finalizers: ['example.test/one'] },
      addressType: 'IPv4',
      endpoints: [],
    });
    await stage.delete(`${slices}/g`);
    await stage.jsonPatch(`${slices}/g`, [{ op: 'remove', path: '/metadata/finalizers' }]);
    await stage.get(`${slices}/g`);
  },
};

const collections: Scene = {
  name: 'deletion: collections',
  async play(stage) {
    const path = core(stage, 'secrets');
    for (const name of ['a', 'b', 'c']) {
      await stage.quietly('POST', path, { metadata: { name, labels: { keep: name === 'b' ? 'yes' : 'no' } } });
    }
    await stage.delete(`${path}?labelSelector=keep%3Dno`);
    await stage.get(path);
    await stage.delete(`${path}?fieldSelector=bogus%3Dx`);
    await stage.delete(path, { propagationPolicy: 'Background' });
    await stage.get(path);
  },
};

const owners: Scene = {
  name: 'deletion: owners and what they own',
  async play(stage) {
    const path = core(stage, 'secrets');
    const owned = async (owner: string, name: string, extra = {}) => {
      const found = await stage.quietly('GET', `${path}/${owner}`);
      const uid = textOf(valueAt(found, 'metadata', 'uid'));
      const reference = { apiVersion: 'v1', kind: 'Secret', name: owner, uid, ...extra };
      await stage.quietly('POST', path, { metadata: { name, ownerReferences: [reference] } });
    };
    const isGone = ({ code }: { readonly code?: unknown }) => code === 404;
    await stage.quietly('POST', path, { metadata: { name: 'background' } });
    await owned('background', 'background-child');
    await owned('background-child', 'background-grandchild');
    await stage.delete(`${path}/background`);
    await stage.eventually(`${path}/background-grandchild`, isGone);
    await stage.quietly('POST', path, { metadata: { name: 'orphaning' } });
    await owned('orphaning', 'orphan');
    await stage.wait(1_000);
    await stage.delete(`${path}/orphaning`, { propagationPolicy: 'Orphan' });
    await stage.eventually(`${path}/orphaning`, isGone);
    await stage.get(`${path}/orphan`);
    await stage.quietly('POST', path, { metadata: { name: 'foreground' } });
    await owned('foreground', 'foreground-child', { blockOwnerDeletion: true });
    await stage.quietly('PUT', `${path}/foreground-child`, {
      ...(await stage.quietly('GET', `${path}/foreground-child`)),
      data: { x: 'eA==' },
    });
    await stage.wait(1_000);
    await stage.delete(`${path}/foreground`, { propagationPolicy: 'Foreground' });
    await stage.eventually(`${path}/foreground`, isGone);
    await stage.get(`${path}/foreground-child`);
  },
};

const namespaces: Scene = {
  name: 'deletion: namespaces',
  async play(stage) {
    const name = `${stage.namespace}-other`;
    const path = `/api/v1/namespaces/${name}`;
    await stage.post('/api/v1/namespaces', { metadata: { name, labels: { a: 'b' } } });
    await stage.eventually(`${path}/serviceaccounts/default`, ({ kind }) => kind === 'ServiceAccount');
    await stage.eventually(`${path}/configmaps`, ({ items }) => Array.isArray(items) && items.length === 1);
    await stage.mergePatch(path, { spec: { finalizers: null }, status: { phase: 'Terminating' } });
    await stage.mergePatch(`${path}/status`, { status: { phase: 'Terminating' } });
    await stage.post(`${path}/secrets`, { metadata: { name: 'held', finalizers: ['example.test/hold'] } });
    await stage.post(`${path}/services`, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    await stage.delete(path);
    await stage.post(`${path}/secrets`, { metadata: { name: 'late' } });
    await stage.eventually(`${path}/services/s`, ({ code }) => code === 404);
    await stage.eventually(path, (body) => listOf(valueAt(body, 'status', 'conditions')).length > 0);
    await stage.mergePatch(`${path}/secrets/held`, { metadata: { finalizers: null } });
    await stage.eventually(path, ({ code }) => code === 404);
  },
};

export const deletionScenes: readonly Scene[] = [preconditions, finalizers, collections, owners, namespaces];
