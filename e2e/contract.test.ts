import { setTimeout as wait } from 'node:timers/promises';
import type { SocketTransport } from '@fairlead/control/adapters';
import { contractScenes, playScene, transcripts } from '@fairlead/sim/kube/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administrator, type Cluster, startCluster } from './harness/index.ts';

/** Keeps what the real server answers now as what is expected of both from now on. */
const record = process.env.CONTRACT_RECORD !== undefined;

/** The unit tests hold the simulated API server to the same transcripts. */
describe('a real API server keeps the contract', () => {
  let cluster: Cluster;
  let transport: SocketTransport;

  beforeAll(async () => {
    cluster = await startCluster();
    transport = await administrator(cluster.kubeconfigPath);
  });
  afterAll(async () => {
    await transport.close();
    await cluster.stop();
  });

  it.each(contractScenes)('$name', async (scene) => {
    const endpoint = { transport, url: cluster.url, headers: {}, wait: (milliseconds: number) => wait(milliseconds) };
    const transcript = await playScene(scene, endpoint, `contract-${contractScenes.indexOf(scene)}`);
    if (record) await transcripts.write(scene, transcript);
    expect(transcript).toEqual(await transcripts.read(scene));
  });
});
