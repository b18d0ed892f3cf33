import { silentLogger } from '@fairlead/control';
import {
  clusterSetPart,
  joinSteps,
  leaveSteps,
  mcsDefinitions,
  serviceExports,
  serviceImports,
} from '@fairlead/clusterset';
import { customResourceDefinitions, KubeClient, namespaces } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import type { LeaderPart, PartPlan } from '@fairlead/part';
import type { Simulation } from '@fairlead/sim';
import { type Cluster, connectToKubernetes, serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';

export const BROKER = 'broker';
export const BROKER_NAMESPACE = 'fairlead-broker';
export const NAMESPACE = 'shop';
export const exports = serviceExports('v1beta1');
export const imports = serviceImports('v1beta1');

/** One cluster of the clusterset. */
export interface Member extends Cluster {
  readonly name: string;
  /** As it is configured now. */
  readonly part: () => LeaderPart;
  /** Turns derived Services on or off, which restarts the replica. */
  readonly setDerived: (isOn: boolean) => void;
  readonly isDeriving: () => boolean;
}

export interface World {
  readonly simulation: Simulation;
  readonly broker: Cluster;
  readonly members: ReadonlyMap<string, Member>;
}

const RESTART_MILLISECONDS = 1_000;
/** An export that waits for others to be older than it is not at rest. */
const SOON_MILLISECONDS = 10_000;

/** The name under which the process of a cluster reaches its own API server. */
export const serverOf = (cluster: string) => `kube-${cluster}`;

/** Clusters with one replica each, all of them members at a broker. */
export async function buildWorld(
  simulation: Simulation,
  clusters: readonly string[],
  deriving: readonly string[] = [],
): Promise<World> {
  const broker = serveKubernetes(simulation, BROKER);
  const members = new Map<string, Member>();
  for (const name of clusters) {
    const cluster = serveKubernetes(simulation, serverOf(name));
    for (const namespace of [NAMESPACE, LEASE_NAMESPACE]) {
      await cluster.editor.create(namespaces, { metadata: { name: namespace } });
    }
    for (const definition of mcsDefinitions) await cluster.editor.create(customResourceDefinitions, definition);
    let derivedServices = deriving.includes(name);
    const way = { kubeconfig: 'unused' };
    const configuration = () => ({
      clusterset: 'blue',
      cluster: name,
      broker: way,
      whenSilent: 'keep',
      derivedServices,
    });
    const direct = connectionOver(broker.kube.transport(), simulation.clock, 'editor');
    const outside = {
      connect: async () => ({ connection: direct, entry: {}, close: async () => {} }),
      probe: async () => true,
    };
    const process = simulation.process(name, (incarnation) => {
      const connect = async () => ({
        connection: connectToKubernetes(incarnation, undefined, BROKER),
        entry: {},
        close: async () => {},
      });
      const part = clusterSetPart({ connect, probe: async () => true });
      return runReplica(part.name, part.configure(configuration()), incarnation, serverOf(name));
    });
    members.set(name, {
      ...cluster,
      name,
      part: () => clusterSetPart(outside).configure(configuration()),
      setDerived: (isOn) => {
        derivedServices = isOn;
        process.crash(RESTART_MILLISECONDS);
      },
      isDeriving: () => derivedServices,
    });
  }
  const world = { simulation, broker, members };
  for (const name of clusters) await join(world, name);
  return world;
}

const membership = (cluster: string) => ({ clusterset: 'blue', cluster, brokerNamespace: BROKER_NAMESPACE });
const never = new AbortController().signal;

/** An operator at the broker, each time with a connection of his own: no time may pass, and one has a pace. */
function operator({ broker, simulation }: World): KubeClient {
  return new KubeClient(connectionOver(broker.kube.transport(), simulation.clock, 'operator'), simulation.clock);
}

export async function join(world: World, cluster: string): Promise<void> {
  for (const step of await joinSteps(operator(world), membership(cluster), never)) await step.run(never);
}

export async function leave(world: World, cluster: string): Promise<void> {
  for (const step of await leaveSteps(operator(world), membership(cluster), never)) await step.run(never);
}

/** What a leader of the cluster would do soon, with nothing between it and the servers. */
export function planOf({ simulation }: World, { editor, part }: Member): Promise<PartPlan> {
  return part().plan({
    client: editor,
    clock: {
      now: () => simulation.clock.now() + SOON_MILLISECONDS,
      monotonic: () => 0,
      setTimer: () => ({ cancel() {} }),
      turn: async () => {},
    },
    logger: silentLogger,
    signal: never,
  });
}
