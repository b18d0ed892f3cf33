import { describe, expect, it } from 'vitest';
import { valueAt } from '../../json.ts';
import { Simulated } from '../testing/simulated.ts';

const POD = '/api/v1/namespaces/default/pods/p';

function world() {
  const simulated = new Simulated();
  const player = simulated.kube.player();
  player.addNode({ name: 'node', addresses: ['192.0.2.1', '2001:db8::1'], zone: 'a', providerID: 'x://1' });
  return { simulated, player };
}

describe('the player of nodes and pods', () => {
  it('adds nodes that are ready and free of taints', async () => {
    const { simulated } = world();
    const { body } = await simulated.call('GET', '/api/v1/nodes/node');
    expect(body).toMatchObject({
      metadata: { labels: { 'topology.kubernetes.io/zone': 'a', 'kubernetes.io/hostname': 'node' } },
      spec: { providerID: 'x://1' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    expect(valueAt(body, 'spec', 'taints')).toBeUndefined();
  });

  it('says when a node is not well', async () => {
    const { simulated, player } = world();
    player.setNodeReady('node', false);
    const { body } = await simulated.call('GET', '/api/v1/nodes/node');
    expect(valueAt(body, 'status', 'conditions')).toMatchObject([{ type: 'Ready', status: 'False' }]);
  });

  it('runs pods with an address of each family, none of them twice', () => {
    const { player } = world();
    const pods = ['a', 'b', 'c'].map((name) => player.runPod({ namespace: 'default', name, labels: {}, node: 'node' }));
    const addresses = pods.flatMap(({ status }) => status.podIPs?.map(({ ip }) => ip) ?? []);
    expect(new Set(addresses).size).toBe(6);
    expect(pods[0]?.status).toMatchObject({ phase: 'Running', hostIP: '192.0.2.1', podIP: '10.244.0.1' });
  });

  it('keeps the time of the last change of readiness', async () => {
    const { simulated, player } = world();
    player.runPod({ namespace: 'default', name: 'p', labels: {}, node: 'node' });
    const since = async (): Promise<unknown> => {
      const { body } = await simulated.call('GET', POD);
      return valueAt(body, 'status', 'conditions');
    };
    const first = await since();
    await simulated.clock.advance(5_000);
    player.setPodReady('default', 'p', true);
    expect(await since()).toEqual(first);
    player.setPodReady('default', 'p', false);
    expect(await since()).toMatchObject([
      {},
      { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:05Z' },
      {},
      {},
    ]);
  });

  it('lets a deleted pod end before it is gone', async () => {
    const { simulated, player } = world();
    player.runPod({ namespace: 'default', name: 'p', labels: {}, node: 'node' });
    await simulated.call('DELETE', POD);
    await simulated.clock.advance(1_000);
    const { body } = await simulated.call('GET', POD);
    expect(valueAt(body, 'metadata', 'deletionGracePeriodSeconds')).toBe(30);
    await simulated.clock.advance(2_000);
    expect((await simulated.call('GET', POD)).status).toBe(404);
  });
});
