import type { SocketTransport } from '@fairlead/control/adapters';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fuzzer } from './fuzz/fuzzer.ts';
import { keptSeeds } from './fuzz/kept-seeds.ts';
import { sceneText } from './fuzz/scene-text.ts';
import { RealSide } from './fuzz/sides.ts';
import { administrator, type Cluster, startCluster } from './harness/index.ts';

/** So many of each run take about 20 s together with the start of the cluster. `npm run fuzz` runs others. */
const FIXED_SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);

/** The transcripts of the contract hold both to known scenes; these are scenes that nobody thought of. */
describe('the simulated API server answers as a real one does', () => {
  let cluster: Cluster;
  let transport: SocketTransport;
  let fuzzer: Fuzzer;

  beforeAll(async () => {
    cluster = await startCluster();
    transport = await administrator(cluster.kubeconfigPath);
    const real = new RealSide(transport, cluster.url, 'fuzz');
    await real.prepare();
    fuzzer = new Fuzzer(real);
  });
  afterAll(async () => {
    await transport.close();
    await cluster.stop();
  });

  it.each([
    ['seeds that once found something', keptSeeds()],
    ['fixed seeds', FIXED_SEEDS],
  ])('to the requests of %s', async (_, seeds) => {
    for (const seed of seeds) {
      const finding = await fuzzer.run(seed);
      if (finding === undefined) continue;
      const { real, simulated } = finding.difference;
      expect({ scene: sceneText(seed, finding.requests), answer: simulated }).toEqual({ scene: '', answer: real });
    }
    expect(fuzzer.requests).toBeGreaterThan(seeds.length);
  });
});
