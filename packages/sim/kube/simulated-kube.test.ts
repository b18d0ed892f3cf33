import { createHash } from 'node:crypto';
import { noMetrics, readText, seededRandom, silentLogger } from '@fairlead/control';
import { CacheFactory, KubeClient, services } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { listOf, textOf, valueAt } from '../json.ts';
import { Simulated } from './testing/simulated.ts';

const SERVICES = '/api/v1/namespaces/default/services';

/** A day in the life of a cluster, as a hash of everything a watcher saw. */
async function history(seed: number): Promise<string> {
  const world = new Simulated({ random: seededRandom(seed) });
  const player = world.kube.player();
  const hash = createHash('sha256');
  const watch = world.watch('/apis/discovery.k8s.io/v1/endpointslices?watch=1');
  player.addNode({ name: 'node', addresses: ['192.0.2.1'] });
  for (const name of ['a', 'b', 'c']) {
    await world.call('POST', SERVICES, {
      metadata: { name },
      spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ port: 80 }] },
    });
    player.runPod({ namespace: 'default', name, labels: { app: name }, node: 'node' });
    await world.clock.advance(500);
  }
  await world.call('DELETE', `${SERVICES}/b`);
  await world.clock.advance(60_000);
  hash.update(JSON.stringify(watch.events));
  hash.update(JSON.stringify(await world.call('GET', '/api/v1/services')));
  return hash.digest('hex');
}

describe('the simulated API server', () => {
  it('tells the same history for the same seed, byte for byte, and another one for another', async () => {
    expect(await history(7)).toBe(await history(7));
    expect(await history(7)).not.toBe(await history(8));
  });

  it('starts with the namespaces and the Service that every cluster has', async () => {
    const world = new Simulated();
    await world.clock.advance(1_000);
    const { body } = await world.call('GET', `${SERVICES}/kubernetes`);
    expect(valueAt(body, 'spec', 'clusterIP')).toBe('10.96.0.1');
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
      expect((await world.call('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)).status).toBe(200);
    }
  });

  it('does nothing of its own accord without its controllers', async () => {
    const world = new Simulated({ controllers: false });
    expect(world.clock.pendingTimers).toBe(0);
    expect((await world.call('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(404);
  });

  it('refuses to send what was given up before', async () => {
    const world = new Simulated();
    const request = {
      method: 'GET',
      url: `http://kubernetes${SERVICES}`,
      headers: {},
      signal: AbortSignal.abort('gone'),
    } as const;
    await expect(world.kube.transport().send(request)).rejects.toBe('gone');
  });

  it('serves the client that everything else uses', async () => {
    const world = new Simulated();
    const client = new KubeClient(connectionOver(world.kube.transport(), world.clock), world.clock);
    const service = { metadata: { name: 'a', namespace: 'default' }, spec: { ports: [{ port: 80 }] } };
    const created = await client.create(services, service);
    expect(created.spec.clusterIP).toMatch(/^10\.96\./);
    await expect(client.create(services, service)).rejects.toMatchObject({ code: 'AlreadyExists' });
  });

  it('keeps a cache of that client in step, also through forgotten history', async () => {
    const world = new Simulated();
    const stop = new AbortController();
    const factory = new CacheFactory({
      connection: connectionOver(world.kube.transport(), world.clock),
      clock: world.clock,
      random: seededRandom(2),
      logger: silentLogger,
      metrics: noMetrics,
      signal: stop.signal,
    });
    const cache = factory.cache(services, { namespace: 'default' });
    for (let round = 0; round < 10; round += 1) {
      await world.call('POST', SERVICES, { metadata: { name: `s${round}` }, spec: { ports: [{ port: 80 }] } });
      if (round > 2) await world.call('DELETE', `${SERVICES}/s${round - 2}`);
      if (round % 4 === 0) world.kube.compact();
      await world.clock.advance(200_000);
    }
    const { body } = await world.call('GET', SERVICES);
    const versions = listOf(body.items).map((item) => textOf(valueAt(item, 'metadata', 'resourceVersion')));
    expect(new Set(cache.list().map(({ metadata }) => metadata.resourceVersion))).toEqual(new Set(versions));
    stop.abort();
    await world.clock.advance(0);
  });

  it('answers a request for nothing as the real one does', async () => {
    const world = new Simulated();
    const response = await world.kube
      .transport()
      .send({ method: 'GET', url: 'http://kubernetes/nowhere', headers: {} });
    expect(response.status).toBe(404);
    expect(textOf(await readText(response))).toContain('404');
  });
});
