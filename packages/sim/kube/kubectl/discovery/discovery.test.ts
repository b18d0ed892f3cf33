import { describe, expect, it } from 'vitest';
import { listOf, objectOf, textOf } from '../../../json.ts';
import { Simulated } from '../../testing/simulated.ts';

const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' };

function definition(group: string, ...versions: readonly string[]) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `ships.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'ships', kind: 'Ship', shortNames: ['sh'], categories: ['harbour'] },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', description: 'It floats.' } },
      })),
    },
  };
}

async function withShips(...versions: readonly string[]): Promise<Simulated> {
  const simulated = new Simulated();
  await simulated.call(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition('harbour.example', ...versions),
  );
  await simulated.clock.advance(10_000);
  return simulated;
}

describe('discovery', () => {
  it('lists groups, the built-in ones first, with the preferred version of each', async () => {
    const simulated = await withShips('v1beta1', 'v1');
    const { body } = await simulated.call('GET', '/apis');
    const groups = listOf(body.groups).map(objectOf);
    expect(groups.map(({ name }) => name)).toEqual([
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'rbac.authorization.k8s.io',
      'apiextensions.k8s.io',
      'coordination.k8s.io',
      'discovery.k8s.io',
      'harbour.example',
    ]);
    expect(groups.at(-1)).toEqual({
      name: 'harbour.example',
      versions: [
        { groupVersion: 'harbour.example/v1', version: 'v1' },
        { groupVersion: 'harbour.example/v1beta1', version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: 'harbour.example/v1', version: 'v1' },
    });
    expect((await simulated.call('GET', '/apis/harbour.example')).body).toMatchObject({ kind: 'APIGroup' });
  });

  it('shows custom resources from when their definition is established until it is gone', async () => {
    const simulated = await withShips('v1');
    expect((await simulated.call('GET', '/apis/harbour.example/v1')).body).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'harbour.example/v1',
      resources: [
        {
          name: 'ships',
          singularName: 'ship',
          namespaced: true,
          kind: 'Ship',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['sh'],
          categories: ['harbour'],
        },
        { name: 'ships/status', singularName: '', namespaced: true, kind: 'Ship', verbs: ['get', 'patch', 'update'] },
      ],
    });
    await simulated.call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ships.harbour.example');
    await simulated.clock.advance(10_000);
    expect((await simulated.call('GET', '/apis/harbour.example/v1')).status).toBe(404);
  });

  it('tells everything at once to those who ask for that', async () => {
    const simulated = await withShips('v1');
    const { body, headers } = await simulated.call('GET', '/apis', undefined, AGGREGATED);
    expect(headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    const items = listOf(body.items).map(objectOf);
    const scales = items
      .flatMap((item) => listOf(objectOf(listOf(item.versions)[0]).resources))
      .flatMap((resource) => listOf(objectOf(resource).subresources).map(objectOf))
      .filter(({ subresource }) => subresource === 'scale');
    expect(scales).toEqual([
      {
        subresource: 'scale',
        responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: ['get', 'patch', 'update'],
      },
    ]);
    const core = await simulated.call('GET', '/api', undefined, AGGREGATED);
    const [{ versions } = {}] = listOf(core.body.items).map(objectOf);
    const names = listOf(objectOf(listOf(versions)[0]).resources).map((each) => textOf(objectOf(each).resource));
    expect(names).toContain('services');
    expect(names).toEqual(names.toSorted());
  });

  it('names every path at the root, and each leads somewhere', async () => {
    const simulated = await withShips('v1');
    const paths = listOf((await simulated.call('GET', '/')).body.paths).map(textOf);
    expect(paths).toEqual(expect.arrayContaining(['/api/v1', '/apis/harbour.example/v1', '/readyz', '/openapi/v3']));
    const statuses = await Promise.all(paths.map(async (path) => (await simulated.call('GET', path)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('refuses what is not there, and what is not a question', async () => {
    const simulated = new Simulated();
    const statusOf = async (path: string, method: 'GET' | 'POST' = 'GET') =>
      (await simulated.call(method, path)).status;
    const absent = [
      '/apis/nothing',
      '/apis/apps/v9',
      '/api/v2',
      '/nothing',
      '/version/more',
      '/livez/nothing',
      '/openapi/v1',
    ];
    for (const path of absent) expect(await statusOf(path)).toBe(404);
    expect(await statusOf('/openapi/v3/apis/nothing/v1')).toBe(404);
    for (const path of ['/version', '/apis', '/readyz']) expect(await statusOf(path, 'POST')).toBe(405);
  });
});

describe('a review', () => {
  const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
  const attributes = { verb: 'list', resource: 'pods', namespace: 'default' };
  const roleOf = (simulated: Simulated) =>
    Promise.all([
      simulated.call('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
        metadata: { name: 'looker' },
        rules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }],
      }),
      simulated.call('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
        metadata: { name: 'bosun' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'looker' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bosun' }],
      }),
    ]);

  it('says whether a user may do something', async () => {
    const simulated = new Simulated({ authorize: 'roles' });
    const allowed = async (path: string, spec: object, as?: string) => {
      const headers = as === undefined ? {} : { 'impersonate-user': as };
      const { status, body } = await simulated.call('POST', `${AUTHORIZATION}/${path}`, { spec: { ...spec } }, headers);
      return [status, objectOf(body.status).allowed];
    };
    const asked = { resourceAttributes: attributes };
    expect(await allowed('selfsubjectaccessreviews', asked)).toEqual([201, true]);
    expect(await allowed('selfsubjectaccessreviews', asked, 'bosun')).toEqual([201, false]);
    await roleOf(simulated);
    expect(await allowed('selfsubjectaccessreviews', asked, 'bosun')).toEqual([201, true]);
    expect(await allowed('subjectaccessreviews', { ...asked, user: 'bosun' })).toEqual([201, true]);
    expect(await allowed('subjectaccessreviews', { ...asked, user: 'mate' })).toEqual([201, false]);
    const page = { nonResourceAttributes: { path: '/version', verb: 'get' } };
    expect(await allowed('subjectaccessreviews', { ...page, user: 'mate' })).toEqual([201, true]);
  });

  it('says who a user is', async () => {
    const simulated = new Simulated();
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { body } = await simulated.call('POST', path, {}, { 'impersonate-user': 'bosun' });
    expect(body.status).toEqual({ userInfo: { username: 'bosun', groups: ['system:authenticated'] } });
  });

  it('refuses a question that asks nothing, or everything', async () => {
    const simulated = new Simulated();
    const ask = async (spec: object) =>
      (await simulated.call('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: { ...spec } })).status;
    expect(await ask({})).toBe(422);
    expect(await ask({ resourceAttributes: attributes, nonResourceAttributes: { path: '/' } })).toBe(422);
    expect((await simulated.call('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, [])).status).toBe(400);
    expect((await simulated.call('GET', `${AUTHORIZATION}/selfsubjectaccessreviews`)).status).toBe(405);
  });
});
