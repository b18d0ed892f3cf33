import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { FakeApi } from '../testing/fake-api.ts';
import { response } from '../testing/responses.ts';
import type { Service } from '../types/service.ts';
import { isConflict, isGone, isNotFound } from './api-error.ts';
import { KubeClient } from './client.ts';
import type { ApiConnection, ApiRequest } from './connection.ts';
import { pointer } from './patch.ts';
import { statusOf } from './resource.ts';
import { endpointSlices, leases, nodes, pods, services } from './resources.ts';

const web: Service = { metadata: { namespace: 'shop', name: 'web' }, spec: { type: 'LoadBalancer' } };
const WEB = '/api/v1/namespaces/shop/services/web';

function setUp() {
  const api = new FakeApi();
  const clock = new VirtualClock();
  return { api, client: new KubeClient(api.connect(clock), clock) };
}

/** A connection that gives the same answer to everything, and says what it was asked. */
function answering(body: unknown): { connection: ApiConnection; asked: ApiRequest[] } {
  const asked: ApiRequest[] = [];
  const connection: ApiConnection = {
    send(request) {
      asked.push(request);
      return Promise.resolve(response(200, body));
    },
  };
  return { connection, asked };
}

describe('KubeClient', () => {
  it('creates, reads, updates and deletes', async () => {
    const { client } = setUp();
    const created = await client.create(services, web);
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'Service', spec: { type: 'LoadBalancer' } });
    const read = await client.get(services, web.metadata);
    expect(read).toEqual(created);
    const updated = await client.update(services, { ...read, spec: { type: 'ClusterIP' } });
    expect(updated.spec.type).toBe('ClusterIP');
    expect(isConflict(await client.update(services, read).catch((error: unknown) => error))).toBe(true);
    await client.delete(services, web.metadata);
    expect(isNotFound(await client.get(services, web.metadata).catch((error: unknown) => error))).toBe(true);
    expect(await client.find(services, web.metadata)).toBeUndefined();
  });

  it('deletes only the very object it was told to', async () => {
    const { api, client } = setUp();
    api.put(WEB, web);
    const wrong = await client.delete(services, web.metadata, { uid: 'another' }).catch((error: unknown) => error);
    expect(isConflict(wrong)).toBe(true);
    await client.delete(services, web.metadata, { uid: 'uid-1', propagationPolicy: 'Foreground' });
    expect(api.at(WEB)).toBeUndefined();
    expect(api.requests.at(-1)?.body).toMatchObject({
      kind: 'DeleteOptions',
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'uid-1' },
    });
  });

  it.each(['', '.', '..'])('does not take all objects for one that is named "%s"', async (name) => {
    const { api, client } = setUp();
    const refused = { code: 'invalid-object-name' };
    await expect(client.delete(services, { namespace: 'shop', name })).rejects.toMatchObject(refused);
    await expect(client.delete(services, { namespace: name, name: 'web' })).rejects.toMatchObject(refused);
    expect(api.requests).toEqual([]);
  });

  it('does not say that an object is not there when it was not told its namespace', async () => {
    const { client } = setUp();
    await client.create(services, web);
    await expect(client.find(services, { name: 'web' })).rejects.toMatchObject({ code: 'invalid-object-name' });
  });

  it('patches some fields and leaves the others', async () => {
    const { api, client } = setUp();
    api.put(WEB, { ...web, metadata: { ...web.metadata, labels: { app: 'web', tier: 'front' } } });
    const merged = await client.patchMerge(services, web.metadata, { metadata: { labels: { tier: null } } });
    expect(merged.metadata.labels).toEqual({ app: 'web' });
    const path = pointer('metadata', 'labels', 'app.kubernetes.io/name');
    const patched = await client.patchJson(services, web.metadata, [{ op: 'add', path, value: 'shop' }]);
    expect(patched.metadata.labels).toEqual({ app: 'web', 'app.kubernetes.io/name': 'shop' });
  });

  it('writes the status by its own path', async () => {
    const { connection, asked } = answering({ kind: 'Service', ...web });
    const client = new KubeClient(connection, new VirtualClock());
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
    await client.patchMerge(statusOf(services), web.metadata, { status });
    expect(asked[0]).toMatchObject({
      method: 'PATCH',
      path: `${WEB}/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    });
  });

  it('applies with the name of its manager', async () => {
    const { connection, asked } = answering({ kind: 'Service', ...web });
    const client = new KubeClient(connection, new VirtualClock());
    await client.apply(services, web, { fieldManager: 'fairlead-gateway', force: true });
    expect(asked[0]).toMatchObject({
      method: 'PATCH',
      path: WEB,
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'fairlead-gateway', force: true },
      body: { apiVersion: 'v1', kind: 'Service', metadata: web.metadata },
    });
  });

  it('lists page by page', async () => {
    const { api, client } = setUp();
    for (let index = 0; index < 5; index += 1) {
      const name = `web-${index}`;
      api.put(`/api/v1/namespaces/shop/services/${name}`, { ...web, metadata: { namespace: 'shop', name } });
    }
    const listed = await client.list(services, { namespace: 'shop', limit: 2, resourceVersion: '0' });
    expect(listed.items.map((item) => item.metadata.name)).toEqual(['web-0', 'web-1', 'web-2', 'web-3', 'web-4']);
    expect(listed.resourceVersion).toBe('5');
    expect(api.requests.map((request) => request.query)).toMatchObject([
      { limit: 2, continue: undefined, resourceVersion: '0' },
      { limit: 2, continue: '2', resourceVersion: undefined },
      { limit: 2, continue: '4', resourceVersion: undefined },
    ]);
    expect((await client.list(services)).items).toHaveLength(5);
    expect((await client.list(services, { namespace: 'other' })).items).toEqual([]);
  });

  it('lists in one go when the pages expired, but leaves that choice to who reads pages', async () => {
    const { api, client } = setUp();
    for (const name of ['a', 'b', 'c']) api.put(`/api/v1/namespaces/shop/services/${name}`, { metadata: { name } });
    api.fault = (request) => (request.query?.['continue'] ? { status: 410, reason: 'Expired' } : undefined);
    expect((await client.list(services, { limit: 2 })).items).toHaveLength(3);
    const reading = async () => {
      const names: string[] = [];
      for await (const page of client.pages(services, { limit: 2 }))
        names.push(...page.items.map((item) => item.metadata.name));
      return names;
    };
    expect(isGone(await reading().catch((error: unknown) => error))).toBe(true);
  });

  it('passes selectors on and reads a list without items', async () => {
    const { connection, asked } = answering({ kind: 'ServiceList', metadata: { resourceVersion: '7' }, items: null });
    const client = new KubeClient(connection, new VirtualClock());
    const page = await client.list(nodes, { labelSelector: 'gateway=yes', fieldSelector: 'metadata.name=one' });
    expect(page).toEqual({ items: [], resourceVersion: '7' });
    expect(asked[0]).toMatchObject({
      path: '/api/v1/nodes',
      query: { labelSelector: 'gateway=yes', fieldSelector: 'metadata.name=one', limit: 500 },
    });
  });

  it('gives up at its deadline, and names the call', async () => {
    const clock = new VirtualClock();
    const client = new KubeClient({ send: () => new Promise(() => {}) }, clock);
    const late = client.get(pods, { namespace: 'shop', name: 'web-0' }).catch((error: unknown) => error);
    await clock.advance(29_999);
    const hurried = client.get(nodes, { name: 'x' }, { deadlineMilliseconds: 1 }).catch((error: unknown) => error);
    await clock.advance(1);
    expect(await hurried).toMatchObject({ code: 'deadline-exceeded', verdict: 'retriable' });
    expect(await late).toMatchObject({ message: 'GET /api/v1/namespaces/shop/pods/web-0: not done within 30 s' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the request when the caller aborts, with the reason given', async () => {
    const clock = new VirtualClock();
    let seen: AbortSignal | undefined;
    const client = new KubeClient(
      {
        send(request) {
          seen = request.signal;
          return new Promise(() => {});
        },
      },
      clock,
    );
    const controller = new AbortController();
    const call = client.get(pods, { namespace: 'shop', name: 'x' }, { signal: controller.signal });
    controller.abort(new Error('lease lost'));
    await expect(call).rejects.toThrow('lease lost');
    expect(seen?.aborted).toBe(true);
    await expect(client.get(pods, { namespace: 'shop', name: 'x' }, { signal: controller.signal })).rejects.toThrow(
      'lease lost',
    );
    expect(clock.pendingTimers).toBe(0);
  });

  it('includes the body in the deadline', async () => {
    const clock = new VirtualClock();
    const body: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
    const client = new KubeClient({ send: () => Promise.resolve({ status: 200, headers: {}, body }) }, clock);
    const call = client.getText('/version').catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await call).toMatchObject({ code: 'deadline-exceeded' });
  });

  it('does not take just any answer for an object', async () => {
    const client = (body: unknown) => new KubeClient(answering(body).connection, new VirtualClock());
    const unexpected = { code: 'unexpected-answer' };
    await expect(client('<html>').get(services, web.metadata)).rejects.toMatchObject(unexpected);
    await expect(client({ kind: 'Pod', ...web }).get(services, web.metadata)).rejects.toMatchObject(unexpected);
    await expect(client({ items: [] }).list(services)).rejects.toMatchObject(unexpected);
    await expect(client({ metadata: {}, items: [{}] }).list(services)).rejects.toMatchObject(unexpected);
  });

  it('says whether the server serves a resource', async () => {
    const discovered = new KubeClient(
      answering({ kind: 'APIResourceList', resources: [{ name: 'leases' }] }).connection,
      new VirtualClock(),
    );
    expect(await discovered.serves(leases)).toBe(true);
    expect(await discovered.serves(endpointSlices)).toBe(false);
    const { client } = setUp();
    expect(await client.serves(leases)).toBe(false);
  });
});
