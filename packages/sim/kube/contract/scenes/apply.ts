import { type Json, objectOf } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';
import { core } from './paths.ts';

function apply(stage: Stage, manager: string, plural: string, kind: string, fields: Record<string, Json>, query = '') {
  const path = `${core(stage, plural)}/a?fieldManager=${manager}${query}`;
  const { metadata, ...rest } = fields;
  const named = { name: 'a', ...objectOf(metadata) };
  return stage.apply(path, { apiVersion: 'v1', kind, metadata: named, ...rest });
}

const ownership: Scene = {
  name: 'apply: who owns what',
  async play(stage) {
    const config = (manager: string, data: Json, query = '') =>
      apply(stage, manager, 'configmaps', 'ConfigMap', { data }, query);
    await config('one', { a: '1', b: '1' });
    await config('one', { a: '1', b: '1' });
    await config('two', { a: '1' });
    await config('two', { a: '2' });
    await config('two', { a: '2' }, '&force=true');
    await config('one', { b: '1' });
    await config('one', { b: '2', c: '3' });
    await stage.mergePatch(`${core(stage, 'configmaps')}/a`, { data: { c: '4', d: '5' } });
    await config('one', { b: '2', c: '3' });
    await config('one', { b: '2', d: '5' });
    await config('two', null);
    await config('one', {});
    await stage.put(`${core(stage, 'configmaps')}/a`, { metadata: { name: 'a' }, data: { z: '1' } });
    await config('one', { z: '1' }, '&dryRun=All');
  },
};

const lists: Scene = {
  name: 'apply: lists and their items',
  async play(stage) {
    const service = (manager: string, fields: Record<string, Json>, query = '') =>
      apply(stage, manager, 'services', 'Service', fields, query);
    await service('one', { spec: { ports: [{ port: 80, name: 'a' }], selector: { x: 'y' } } });
    await service('two', { spec: { ports: [{ port: 81, name: 'b' }] } });
    await service('two', {
      spec: {
        ports: [
          { port: 81, name: 'b' },
          { port: 80, name: 'c' },
        ],
        selector: { x: 'z' },
      },
    });
    await service('two', {
      spec: {
        ports: [
          { port: 80, targetPort: 8080 },
          { port: 81, name: 'b' },
        ],
      },
    });
    await service('one', { spec: { ports: [{ port: 80, name: 'a' }] } });
    await service('three', {
      spec: {
        ports: [
          { port: 53, protocol: 'UDP', name: 'd' },
          { port: 53, name: 'e' },
        ],
      },
    });
    await service('two', { spec: {} });
    await service('three', { spec: { ports: [{ port: 53, name: 'e' }] } });
    await service('four', { metadata: { finalizers: ['a/a', 'b/b'] } });
    await service('five', { metadata: { finalizers: ['c/c', 'a/a'], labels: { l: 'm' } } });
    await service('four', { metadata: { finalizers: ['b/b'] } });
    await service('five', { metadata: {} });
    await service('six', { spec: { sessionAffinity: 'ClientIP' } });
    await service('six', { spec: { sessionAffinity: 'ClientIP' } }, '&force=true');
    await service(
      'seven',
      {
        spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } } },
        metadata: { annotations: { a: 'b' } },
      },
      '&force=true',
    );
    await stage.get(`${core(stage, 'services')}/a`);
  },
};

const mistakes: Scene = {
  name: 'apply: mistakes',
  async play(stage) {
    const path = `${core(stage, 'services')}/a`;
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } };
    await stage.apply(path, body);
    await stage.apply(`${path}?fieldManager=m`, { ...body, spec: { bogus: 1, ports: [{ port: 80 }] } });
    await stage.apply(`${path}?fieldManager=m`, { ...body, spec: { ports: [{ port: 'x' }] } });
    await stage.apply(`${path}?fieldManager=m`, { ...body, spec: { ports: [{ port: 80 }, { port: 80 }] } });
    await stage.apply(`${path}?fieldManager=m`, { ...body, spec: { ports: [{ name: 'x' }, { name: 'y' }] } });
    await stage.apply(`${path}?fieldManager=m`, { ...body, spec: { ports: [null] } });
    await stage.apply(`${path}?fieldManager=m`, {
      ...body,
      spec: { ports: {}, type: [1], publishNotReadyAddresses: 'x' },
    });
    await stage.apply(`${path}?fieldManager=m`, { metadata: { name: 'a' } });
    await stage.apply(`${path}?fieldManager=m`, { ...body, kind: 'Pod' });
    await stage.apply(`${path}?fieldManager=m`, { ...body, metadata: { name: 'b' } });
    await stage.apply(`${path}?fieldManager=m`, { ...body, metadata: {} });
    await stage.apply(`${path}?fieldManager=m`, { ...body, metadata: { name: 'a', managedFields: [] } });
    await stage.apply(`${path}?fieldManager=m`, { ...body, spec: { ports: [] } });
    await stage.apply(`${path}?fieldManager=m`, {
      ...body,
      metadata: { name: 'a', uid: 'x' },
      spec: { ports: [{ port: 1 }] },
    });
    await stage.apply(
      `${path}?fieldManager=m`,
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  ports:\n  - port: 80\n',
    );
    await stage.apply(`${path}?fieldManager=m`, {
      ...body,
      metadata: { name: 'a', resourceVersion: '1' },
      spec: { ports: [{ port: 80 }] },
    });
    await stage.apply(`${path}?fieldManager=m&force=true`, { ...body, spec: { ports: [{ port: 80, name: 'x' }] } });
  },
};

const statusAndUpdates: Scene = {
  name: 'apply: status, and updates beside it',
  async play(stage) {
    const path = `${core(stage, 'services')}/a`;
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } };
    await stage.apply(`${path}?fieldManager=spec`, { ...body, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
    await stage.apply(`${path}/status?fieldManager=status`, {
      ...body,
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    });
    await stage.apply(`${path}/status?fieldManager=other`, {
      ...body,
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.2' }] } },
    });
    await stage.apply(`${path}/status?fieldManager=other`, {
      ...body,
      spec: { type: 'ClusterIP' },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: null }] },
    });
    await stage.apply(`${path}/status?fieldManager=status`, { ...body, status: { loadBalancer: {} } });
    await stage.mergePatch(`${path}/status`, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.3' }] } } });
    await stage.mergePatch(path, { metadata: { labels: { l: 'm' }, managedFields: [{}] } });
    await stage.mergePatch(path, { metadata: { labels: { l: 'n' } } });
    await stage.apply(`${path}?fieldManager=again`, { ...body, metadata: { name: 'a', labels: { l: 'o' } } });
    await stage.get(path);
  },
};

export const applyScenes: readonly Scene[] = [ownership, lists, mistakes, statusAndUpdates];
