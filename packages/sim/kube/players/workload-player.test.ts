import { describe, expect, it } from 'vitest';
import { type JsonObject, listOf, objectOf, textOf, valueAt } from '../../json.ts';
import { Simulated } from '../testing/simulated.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web';

function world() {
  const simulated = new Simulated();
  const player = simulated.kube.player();
  for (const name of ['north', 'south']) player.addNode({ name, addresses: ['192.0.2.1'] });
  simulated.kube.playWorkloads(player);
  const podsNow = async (): Promise<readonly JsonObject[]> => {
    const { body } = await simulated.call('GET', `${NAMESPACE}/pods`);
    return listOf(body.items).map(objectOf);
  };
  return { simulated, podsNow };
}

async function withService() {
  const { simulated, podsNow } = world();
  await simulated.call('POST', `${NAMESPACE}/services`, {
    metadata: { name: 'web' },
    spec: {
      selector: { app: 'web' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'more', port: 81, targetPort: 8081 },
      ],
    },
  });
  await simulated.clock.advance(1_000);
  return { simulated, podsNow };
}

describe('the player of workloads', () => {
  it('runs pods behind a Service that selects some, on all nodes', async () => {
    const { simulated, podsNow } = await withService();
    const pods = await podsNow();
    expect(pods.map((pod) => textOf(valueAt(pod, 'spec', 'nodeName'))).sort()).toEqual(['north', 'south']);
    const { body } = await simulated.call('GET', `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices`);
    const [slice] = listOf(body.items).map(objectOf);
    expect(listOf(slice?.ports).map((port) => objectOf(port).port)).toEqual([80, 8081]);
    expect(listOf(slice?.endpoints)).toHaveLength(2);
  });

  it('leaves a Service alone that selects nothing, or that a Deployment has pods for', async () => {
    const { simulated, podsNow } = world();
    await simulated.call('POST', `${NAMESPACE}/services`, {
      metadata: { name: 'empty' },
      spec: { ports: [{ port: 80 }] },
    });
    await simulated.call('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'x' }] } },
      },
    });
    const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
    await simulated.call('POST', `${NAMESPACE}/services`, { metadata: { name: 'web' }, spec });
    await simulated.clock.advance(1_000);
    expect(await podsNow()).toEqual([]);
  });

  it('follows the number that is wanted, and tells how far it got', async () => {
    const { simulated, podsNow } = await withService();
    for (const replicas of [4, 1, 0]) {
      await simulated.patch('merge', `${DEPLOYMENT}/scale`, { spec: { replicas } });
      await simulated.clock.advance(5_000);
      expect(await podsNow()).toHaveLength(replicas);
      const { status } = (await simulated.call('GET', DEPLOYMENT)).body;
      expect(valueAt(status, 'readyReplicas') ?? 0).toBe(replicas);
      expect(valueAt(status, 'conditions')).toMatchObject([{ type: 'Available', status: 'True' }]);
    }
  });

  it('replaces a pod that is gone, and all of them when the template changes', async () => {
    const { simulated, podsNow } = await withService();
    const namesNow = async () => (await podsNow()).map((pod) => textOf(valueAt(pod, 'metadata', 'name')));
    const [first = '', second = ''] = await namesNow();
    await simulated.call('DELETE', `${NAMESPACE}/pods/${first}`);
    await simulated.clock.advance(5_000);
    const after = await namesNow();
    expect(after).toHaveLength(2);
    expect(after).toContain(second);
    expect(after).not.toContain(first);
    await simulated.patch('strategic', DEPLOYMENT, {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'example.test/workload:2' }] } } },
    });
    await simulated.clock.advance(5_000);
    const replaced = await podsNow();
    expect(replaced.map((pod) => objectOf(listOf(valueAt(pod, 'spec', 'containers'))[0]).image)).toEqual(
      Array(2).fill('example.test/workload:2'),
    );
  });

  it('starts no pods on nodes that take none', async () => {
    const { simulated, podsNow } = await withService();
    await simulated.patch('merge', '/api/v1/nodes/north', { spec: { unschedulable: true } });
    await simulated.patch('merge', `${DEPLOYMENT}/scale`, { spec: { replicas: 5 } });
    await simulated.clock.advance(1_000);
    const places = (await podsNow()).map((pod) => textOf(valueAt(pod, 'spec', 'nodeName')));
    expect(places.sort()).toEqual(['north', 'south', 'south', 'south', 'south']);
  });

  it('lets everything go with its Deployment, or with its namespace', async () => {
    const { simulated, podsNow } = await withService();
    await simulated.call('DELETE', DEPLOYMENT);
    await simulated.clock.advance(5_000);
    expect(await podsNow()).toEqual([]);
    await simulated.call('POST', '/api/v1/namespaces', { metadata: { name: 'brief' } });
    const spec = { selector: { app: 'x' }, ports: [{ port: 80 }] };
    await simulated.call('POST', '/api/v1/namespaces/brief/services', { metadata: { name: 'x' }, spec });
    await simulated.call('DELETE', '/api/v1/namespaces/brief');
    await simulated.clock.advance(30_000);
    expect((await simulated.call('GET', '/api/v1/namespaces/brief')).status).toBe(404);
  });
});
