import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { KubeClient } from '../api/client.ts';
import { configMaps, namespaces, services } from '../api/resources.ts';
import { FakeApi } from '../testing/fake-api.ts';
import type { Service } from '../types/service.ts';
import { addOwnerReference, controllerOf, controllerReference, removeOwnerReference } from './owner-references.ts';

const PATH = '/api/v1/namespaces/shop/configmaps/web';
const owner: Service = { metadata: { namespace: 'shop', name: 'web', uid: 'service-uid' }, spec: {} };
const foreign = { apiVersion: 'v1', kind: 'Secret', name: 'x', uid: 'secret-uid' };
const reference = {
  apiVersion: 'v1',
  kind: 'Service',
  name: 'web',
  uid: 'service-uid',
  controller: true,
  blockOwnerDeletion: true,
};

function setUp(ownerReferences?: readonly object[]) {
  const api = new FakeApi();
  const client = new KubeClient(api.connect(new VirtualClock()), new VirtualClock());
  api.put(PATH, { metadata: { namespace: 'shop', name: 'web', ...(ownerReferences && { ownerReferences }) } });
  const read = () => client.get(configMaps, { namespace: 'shop', name: 'web' });
  const stored = () => api.at(PATH)?.metadata['ownerReferences'];
  return { api, client, read, stored };
}

describe('an owner reference', () => {
  it('is added beside those of others, once', async () => {
    const { api, client, read, stored } = setUp([foreign]);
    await addOwnerReference(client, configMaps, await read(), { resource: services, object: owner });
    expect(stored()).toEqual([foreign, reference]);
    expect(controllerOf(await read())).toEqual(reference);
    await addOwnerReference(client, configMaps, await read(), { resource: services, object: owner });
    expect(api.writes).toHaveLength(1);
  });

  it('is put right when it is there in another form', async () => {
    const { client, read, stored } = setUp([foreign, { ...reference, controller: false }]);
    await addOwnerReference(client, configMaps, await read(), { resource: services, object: owner });
    expect(stored()).toEqual([foreign, reference]);
  });

  it('is removed alone, once', async () => {
    const { api, client, read, stored } = setUp([foreign, reference]);
    await removeOwnerReference(client, configMaps, await read(), 'service-uid');
    expect(stored()).toEqual([foreign]);
    await removeOwnerReference(client, configMaps, await read(), 'service-uid');
    expect(api.writes).toHaveLength(1);
  });

  it('is refused across namespaces, where the garbage collector would delete the object', async () => {
    const { api, client, read } = setUp();
    const object = { ...owner, metadata: { ...owner.metadata, namespace: 'elsewhere' } };
    await expect(
      addOwnerReference(client, configMaps, await read(), { resource: services, object }),
    ).rejects.toMatchObject({ code: 'owner-in-other-namespace', verdict: 'terminal' });
    const namespace = { metadata: { name: 'shop', uid: 'namespace-uid' } };
    await addOwnerReference(client, configMaps, await read(), { resource: namespaces, object: namespace });
    expect(api.writes).toHaveLength(1);
  });

  it('needs an owner that exists', () => {
    expect(() => controllerReference(services, { metadata: { name: 'new' }, spec: {} })).toThrow('has no uid');
  });
});
