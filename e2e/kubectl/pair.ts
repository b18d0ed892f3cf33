import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { SimulatedKube } from '@fairlead/sim/kube';
import { serveKube } from '@fairlead/sim/kube/http';
import type { Outcome } from '../../scripts/run-command.ts';
import { kubectlBinary } from '../harness/components.ts';
import { startCluster } from '../harness/index.ts';
import { Side } from './side.ts';
import type { Step } from './step.ts';

/** The simulated API server and a real one. */
export interface Pair {
  readonly real: Side;
  readonly simulated: Side;
  stop(): Promise<void>;
}

/** Starts both, empty. */
export async function startPair(): Promise<Pair> {
  const kubectl = await kubectlBinary();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-kubectl-'));
  const cluster = await startCluster();
  const kube = new SimulatedKube({ clock: systemClock, random: systemRandom, authorize: 'roles' });
  const server = await serveKube(kube);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig);
  return {
    real: new Side(kubectl, cluster.kubeconfigPath, folder, 'real-cache'),
    simulated: new Side(kubectl, kubeconfig, folder, 'simulated-cache'),
    async stop() {
      await server[Symbol.asyncDispose]();
      await cluster.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Runs a command on both at once. */
export async function runOnBoth(
  { real, simulated }: Pair,
  step: Step,
): Promise<{ readonly real: Outcome; readonly simulated: Outcome }> {
  const [realOutcome, simulatedOutcome] = await Promise.all([real.run(step), simulated.run(step)]);
  return { real: realOutcome, simulated: simulatedOutcome };
}
