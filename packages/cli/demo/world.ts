import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/control/adapters';

/** An embedded Kubernetes API for the demo. */
export interface EmbeddedWorld {
  readonly kubeconfigPath: string;
  /** Where the configuration of what runs on it is written. */
  readonly configurationPath: string;
  /** What it is, for the first line of the demo. */
  readonly description: string;
  close(): Promise<void>;
}

const NODES = [
  { name: 'north', addresses: ['192.0.2.101', '2001:db8::101'], zone: 'one' },
  { name: 'east', addresses: ['192.0.2.102', '2001:db8::102'], zone: 'two' },
  { name: 'south', addresses: ['192.0.2.103', '2001:db8::103'], zone: 'three' },
];

/** Starts a simulated cluster with nodes, and with pods behind every Service that selects some. */
export async function startWorld(): Promise<EmbeddedWorld> {
  // Only the demo needs it: what runs in a cluster never loads it.
  const { SimulatedKube } = await import('@fairlead/sim/kube');
  const { serveKube } = await import('@fairlead/sim/kube/http');
  const kube = new SimulatedKube({ clock: systemClock, random: systemRandom });
  const player = kube.player();
  for (const node of NODES) player.addNode(node);
  kube.playWorkloads(player);
  const server = await serveKube(kube);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-demo-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, server.kubeconfig);
  return {
    kubeconfigPath,
    configurationPath: join(folder, 'fairlead.yaml'),
    description: 'A simulated cluster',
    async close() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
