import { describe, expect, it } from 'vitest';
import { type Json, listOf, textOf, valueAt } from '../../json.ts';
import { Simulated } from '../testing/simulated.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const SLICES =
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dweb';

async function slices(world: Simulated): Promise<readonly Json[]> {
  return listOf((await world.call('GET', SLICES)).body.items);
}

function endpointsIn(all: readonly Json[]): readonly Json[] {
  return all.flatMap((slice) => listOf(valueAt(slice, 'endpoints')));
}

async function cluster(pods: number): Promise<Simulated> {
  const world = new Simulated();
  const player = world.kube.player();
  player.addNode({ name: 'node', addresses: ['192.0.2.1'], zone: 'a' });
  for (let index = 0; index < pods; index += 1) {
    player.runPod({ namespace: 'default', name: `p${index}`, labels: { app: 'web' }, node: 'node' });
  }
  await world.call('POST', SERVICES, {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  await world.clock.advance(1_000);
  return world;
}

describe('EndpointSlices', () => {
  it('hold at most a hundred endpoints each, and every endpoint once', async () => {
    const all = await slices(await cluster(250));
    const sizes = all.map((slice) => listOf(valueAt(slice, 'endpoints')).length);
    expect(sizes.sort((left, right) => right - left)).toEqual([100, 100, 50]);
    const targets = endpointsIn(all).map((endpoint) => valueAt(endpoint, 'targetRef', 'name'));
    expect(new Set(targets).size).toBe(250);
  });

  it('fill the gap that a pod leaves before a new one is opened', async () => {
    const world = await cluster(100);
    const player = world.kube.player();
    player.deletePod('default', 'p7');
    await world.clock.advance(60_000);
    player.runPod({ namespace: 'default', name: 'new', labels: { app: 'web' }, node: 'node' });
    await world.clock.advance(1_000);
    const all = await slices(world);
    expect(all).toHaveLength(1);
    expect(endpointsIn(all)).toHaveLength(100);
  });

  it('are not written when nothing about the endpoints changes', async () => {
    const world = await cluster(3);
    const before = await slices(world);
    await world.patch('merge', '/api/v1/namespaces/default/pods/p0', { metadata: { annotations: { a: 'b' } } });
    await world.clock.advance(1_000);
    expect(await slices(world)).toEqual(before);
  });

  it('come back when a client deletes them', async () => {
    const world = await cluster(2);
    const [slice] = await slices(world);
    const name = textOf(valueAt(slice, 'metadata', 'name'));
    await world.call('DELETE', `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/${name}`);
    await world.clock.advance(1_000);
    expect(endpointsIn(await slices(world))).toHaveLength(2);
  });

  it('leave out pods on a node that is gone', async () => {
    const world = await cluster(2);
    world.kube.player().removeNode('node');
    await world.clock.advance(1_000);
    expect(endpointsIn(await slices(world))).toHaveLength(0);
  });
});
