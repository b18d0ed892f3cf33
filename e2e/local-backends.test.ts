import { nodes, pods } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, LocalBackendsStage, playNode } from './harness/index.ts';

const [ONE, TWO, THREE] = ['10.0.0.11', '10.0.0.12', '10.0.0.13'] as const;
const RETRYING = 'LoadBalancerBackendPoolUpdateRetrying';
const FAILED = 'LoadBalancerBackendPoolUpdateFailed';

describe('the pools of local Services on a real cluster', () => {
  let stage: LocalBackendsStage;

  beforeAll(async () => {
    stage = await LocalBackendsStage.open();
    await playNode(stage.cluster.client, { name: 'node-3', addresses: [THREE] });
    await stage.untilReady(await stage.start());
  });

  afterAll(() => stage.close());

  const play = (name: string, node: string, address: string) =>
    stage.playPod(name, node, address, { app: name.slice(0, name.lastIndexOf('-')) });

  it('follow a Deployment that is scaled up and down', async () => {
    await stage.createService('scaled');
    await play('scaled-1', 'node-1', '10.1.0.1');
    await stage.untilPool('scaled', ONE);
    await stage.addressOf('scaled');
    await play('scaled-2', 'node-2', '10.1.0.2');
    await play('scaled-3', 'node-3', '10.1.0.3');
    await play('scaled-4', 'node-3', '10.1.0.4');
    await stage.untilPool('scaled', ONE, TWO, THREE);
    await stage.endPod('scaled-3');
    await stage.endPod('scaled-1');
    await stage.untilPool('scaled', TWO, THREE);
    await stage.endPod('scaled-4');
    await stage.endPod('scaled-2');
    await stage.untilPool('scaled');
    expect(await stage.reasons('scaled')).not.toContain(FAILED);
  });

  it('keep a node that is drained until its last pod is gone, and lose one that is deleted', async () => {
    await stage.createService('drained');
    await play('drained-1', 'node-1', '10.1.1.1');
    await play('drained-2', 'node-3', '10.1.1.2');
    await stage.untilPool('drained', ONE, THREE);
    const { client } = stage.cluster;
    await client.patchMerge(nodes, { name: 'node-1' }, { spec: { unschedulable: true } });
    // Evicted: it finishes what it has begun, and its replacement starts elsewhere.
    await client.delete(pods, { namespace: stage.namespace, name: 'drained-1' }, { gracePeriodSeconds: 60 });
    await play('drained-3', 'node-2', '10.1.1.3');
    await stage.untilPool('drained', ONE, TWO, THREE);
    await stage.endPod('drained-1');
    await stage.untilPool('drained', TWO, THREE);
    await client.delete(nodes, { name: 'node-3' });
    await stage.untilPool('drained', TWO);
    expect(stage.pool('drained')).toEqual([TWO]);
  });

  it('are the same whether their endpoints are in one slice or in several', async () => {
    await stage.createService('sliced', {});
    await stage.putSlice('sliced', 'sliced-a', '10.1.2.1@node-1', '10.1.2.2@node-2');
    await stage.untilPool('sliced', ONE, TWO);
    stage.takeWrites();

    // Split: for a moment an endpoint is in both.
    await stage.putSlice('sliced', 'sliced-b', '10.1.2.2@node-2');
    await stage.putSlice('sliced', 'sliced-a', '10.1.2.1@node-1');
    await stage.putSlice('sliced', 'sliced-c', '10.1.2.3@node-2');
    await stage.putSlice('sliced', 'sliced-b', '10.1.2.2@node-1');
    // What tells that all of it was seen: node-2 goes with the last slice that has it.
    await stage.deleteSlice('sliced-c');
    await stage.untilPool('sliced', ONE);

    // Merged again, with one that is new.
    await stage.putSlice('sliced', 'sliced-a', '10.1.2.1@node-1', '10.1.2.2@node-1', '10.1.2.4@node-2');
    await stage.deleteSlice('sliced-b');
    await stage.untilPool('sliced', ONE, TWO);
    const writes = stage.takeWrites();
    expect(writes.every((line) => line.startsWith('PUT backendAddressPools/'))).toBe(true);
    expect(stage.pool('sliced')).toEqual([ONE, TWO]);
  });

  it('go with a Service that is deleted while its pool waits for a Retry-After, quietly', async () => {
    await stage.createService('parked');
    await play('parked-1', 'node-1', '10.1.3.1');
    await stage.untilPool('parked', ONE);
    const { faults, log } = stage.azure.emulator;
    const headers = { 'retry-after': '4' };
    faults.next({ method: 'GET', kind: 'backendAddressPools' }, { kind: 'refuse', status: 429, headers });
    await play('parked-2', 'node-2', '10.1.3.2');
    await eventually(async () => (await stage.reasons('parked')).includes(RETRYING), { describe: 'the retry' });
    log.clear();
    await stage.deleteService('parked');
    await stage.untilServiceGone('parked');
    expect(stage.pool('parked')).toBeUndefined();
    expect(stage.poolCalls).toBe(0);
    expect(await stage.reasons('parked')).not.toContain(FAILED);
    stage.azure.emulator.assertConsistent();
  });
});
