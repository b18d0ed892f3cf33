import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';
import { core, grouped } from './paths.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const USER = 'contract-somebody';

const forbidden: Scene = {
  name: 'access: without permission',
  async play(stage) {
    const as = { user: USER };
    const leases = grouped(stage, 'coordination.k8s.io/v1', 'leases');
    await stage.get(core(stage, 'services'), as);
    await stage.get(`${core(stage, 'services')}/a`, as);
    await stage.get('/api/v1/services', as);
    await stage.get('/api/v1/nodes/a/status', as);
    await stage.get(`${core(stage, 'services')}?watch=1`, as);
    await stage.post(core(stage, 'services'), {}, as);
    await stage.post('/api/v1/namespaces', {}, as);
    await stage.get(`${leases}/a`, as);
  },
};

async function bind(stage: Stage, name: string, rules: readonly object[]): Promise<void> {
  const subjects = [{ kind: 'User', name: USER }];
  await stage.quietly('POST', grouped(stage, RBAC, 'roles'), {
    metadata: { name },
    rules: JSON.parse(JSON.stringify(rules)),
  });
  const roleRef = { kind: 'Role', name };
  await stage.quietly('POST', grouped(stage, RBAC, 'rolebindings'), { metadata: { name }, subjects, roleRef });
  await stage.wait(500);
}

const granted: Scene = {
  name: 'access: what a role allows',
  async play(stage) {
    const as = { user: USER };
    const path = core(stage, 'secrets');
    await stage.quietly('POST', path, { metadata: { name: 'a' } });
    await stage.quietly('POST', path, { metadata: { name: 'b' } });
    await bind(stage, 'one', [
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get', 'list'] },
    ]);
    await stage.get(`${path}/a`, as);
    await stage.get(`${path}/b`, as);
    await stage.get(path, as);
    await stage.get(`${path}?fieldSelector=metadata.name%3Da`, as);
    await bind(stage, 'two', [{ apiGroups: [''], resources: ['services/status'], verbs: ['*'] }]);
    await stage.quietly('POST', core(stage, 'services'), { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    await stage.get(`${core(stage, 'services')}/s/status`, as);
    await stage.get(`${core(stage, 'services')}/s`, as);
  },
};

const roles: Scene = {
  name: 'access: roles and bindings',
  async play(stage) {
    const path = grouped(stage, RBAC, 'roles');
    await stage.post(path, {
      metadata: { name: 'r' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    });
    await stage.post(path, {
      metadata: { name: 'bad' },
      rules: [{ apiGroups: [''], resources: ['pods'] }, { verbs: ['get'] }, { verbs: ['get'], resources: ['x'] }],
    });
    const bindings = grouped(stage, RBAC, 'rolebindings');
    const subjects = [
      { kind: 'User', name: 'bob' },
      { kind: 'ServiceAccount', name: 'x' },
    ];
    await stage.post(bindings, { metadata: { name: 'b' }, subjects, roleRef: { kind: 'Role', name: 'r' } });
    await stage.mergePatch(`${bindings}/b`, { roleRef: { name: 'q' } });
    await stage.post(bindings, {
      metadata: { name: 'bad' },
      subjects: [{ kind: 'Foo', name: '' }],
      roleRef: { kind: 'Bar', name: '' },
    });
    await stage.put(`${path}/put:colon`, { metadata: { name: 'put:colon' }, rules: null });
    await stage.delete(`${bindings}/b`);
    await stage.delete(`${path}/r`);
  },
};

export const accessScenes: readonly Scene[] = [forbidden, granted, roles];
