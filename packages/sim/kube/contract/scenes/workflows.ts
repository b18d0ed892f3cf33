import { objectOf, textOf, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import { core, grouped } from './paths.ts';

const election: Scene = {
  name: 'workflows: an election',
  async play(stage) {
    const path = grouped(stage, 'coordination.k8s.io/v1', 'leases');
    const spec = (holder: string, second: number) => ({
      holderIdentity: holder,
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: `2026-01-01T00:00:0${second}.000000Z`,
      leaseTransitions: 0,
    });
    const created = await stage.post(path, { metadata: { name: 'leader' }, spec: spec('one', 0) });
    await stage.post(path, { metadata: { name: 'leader' }, spec: spec('two', 0) });
    const renewed = await stage.put(`${path}/leader`, { ...created, spec: spec('one', 1) });
    await stage.put(`${path}/leader`, { ...created, spec: spec('two', 2) });
    const resourceVersion = textOf(valueAt(renewed, 'metadata', 'resourceVersion'));
    await stage.mergePatch(`${path}/leader`, {
      metadata: { resourceVersion },
      spec: { renewTime: '2026-01-01T00:00:03.000000Z' },
    });
    await stage.mergePatch(`${path}/leader`, {
      metadata: { resourceVersion },
      spec: { renewTime: '2026-01-01T00:00:04.000000Z' },
    });
    await stage.mergePatch(`${path}/leader`, { spec: { holderIdentity: '' } });
    await stage.mergePatch(`${path}/leader`, { spec: { holderIdentity: null, renewTime: null } });
    await stage.jsonPatch(`${path}/leader`, [
      { op: 'test', path: '/spec/leaseTransitions', value: 0 },
      { op: 'replace', path: '/spec/leaseTransitions', value: 1 },
    ]);
    await stage.delete(`${path}/leader`);
  },
};

const loadBalancer: Scene = {
  name: 'workflows: a load balancer comes and goes',
  async play(stage) {
    const path = core(stage, 'services');
    const watch = await stage.watch(`${path}?watch=1&labelSelector=lb%3Dyes`);
    await stage.post(path, {
      metadata: { name: 'a', labels: { lb: 'yes' } },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'example.test/lb', ports: [{ port: 80 }] },
    });
    await stage.jsonPatch(`${path}/a`, [{ op: 'add', path: '/metadata/finalizers', value: ['example.test/lb'] }]);
    await stage.apply(`${path}/a/status?fieldManager=lb&force=true`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      status: {
        loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] }] },
      },
    });
    await stage.apply(`${path}/a/status?fieldManager=lb&force=true`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      status: {
        loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] }] },
      },
    });
    await stage.delete(`${path}/a`, { propagationPolicy: 'Background' });
    await stage.apply(`${path}/a/status?fieldManager=lb&force=true`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      status: {},
    });
    const current = await stage.get(`${path}/a`);
    const { finalizers: _, ...metadata } = objectOf(current.metadata);
    await stage.put(`${path}/a`, { ...current, metadata });
    await watch.take(6);
    watch.close();
  },
};

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const migration: Scene = {
  name: 'workflows: from client-side to server-side apply',
  async play(stage) {
    const path = `${core(stage, 'configmaps')}/a`;
    const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1', y: '2' } };
    const annotations = { [LAST_APPLIED]: JSON.stringify(configuration) };
    await stage.post(`${core(stage, 'configmaps')}?fieldManager=kubectl-client-side-apply`, {
      ...configuration,
      metadata: { name: 'a', annotations },
    });
    await stage.apply(`${path}?fieldManager=other`, { ...configuration, data: { x: '2' } });
    await stage.apply(`${path}?fieldManager=kubectl`, { ...configuration, data: { x: '2', z: '3' } });
    await stage.mergePatch(`${path}?fieldManager=somebody`, { data: { x: '9' } });
    await stage.apply(`${path}?fieldManager=kubectl`, { ...configuration, data: { x: '3' } });
    await stage.apply(`${path}?fieldManager=kubectl&dryRun=All&force=true`, { ...configuration, data: { x: '3' } });
    await stage.get(path);
  },
};

const dryRuns: Scene = {
  name: 'workflows: dry runs',
  async play(stage) {
    const path = core(stage, 'services');
    await stage.post(path, {
      metadata: { name: 'a', finalizers: ['example.test/x'] },
      spec: { ports: [{ port: 80 }] },
    });
    await stage.mergePatch(`${path}/a?dryRun=All`, { spec: { type: 'NodePort' } });
    await stage.mergePatch(`${path}/a?dryRun=All`, { spec: { ports: [{ port: 0 }] } });
    await stage.delete(`${path}/a?dryRun=All`);
    await stage.mergePatch(`${path}/a?dryRun=All`, { metadata: { finalizers: null } });
    await stage.apply(`${path}/b?dryRun=All&fieldManager=m`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'b' },
      spec: { ports: [{ port: 80 }], ipFamilyPolicy: 'PreferDualStack' },
    });
    await stage.put(`${path}/c?dryRun=All`, { metadata: { name: 'c' }, spec: { ports: [{ port: 80 }] } });
    await stage.delete(`${path}?dryRun=All`);
    await stage.get(path);
    await stage.mergePatch(`${path}/a`, { metadata: { finalizers: null } });
  },
};

export const workflowScenes: readonly Scene[] = [election, loadBalancer, migration, dryRuns];
