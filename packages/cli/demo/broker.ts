import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clusterSetPart,
  demoClusters,
  DEMO_CLUSTERSET,
  DEMO_PEERS,
  demoWorkload,
  joinSteps,
} from '@fairlead/clusterset';
import { systemOutside } from '@fairlead/clusterset/adapters';
import { Journal, noMetrics, silentLogger } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { KubeClient, namespaces } from '@fairlead/kube';
import { connect } from '@fairlead/kube/adapters';
import { runPart } from '@fairlead/part';
import { nowAndThenCut } from './cut-off.ts';
import { createObjects } from './objects.ts';

const NAMESPACE = 'fairlead-system';

/** A broker, all clusters of the demo as its members, and those of them that are not shown. */
export async function startBroker(): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-demo-broker-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const stop = new AbortController();
  const { signal } = stop;
  const serve = async (name: string) => {
    const { SimulatedKube } = await import('@fairlead/sim/kube');
    const { serveKube } = await import('@fairlead/sim/kube/http');
    const kube = new SimulatedKube({ clock: systemClock, random: systemRandom });
    const player = kube.player();
    player.addNode({ name: `${name}-1`, addresses: ['192.0.2.201'], zone: 'one' });
    kube.playWorkloads(player);
    const server = started.use(await serveKube(kube));
    const kubeconfig = join(folder, name);
    await writeFile(kubeconfig, server.kubeconfig);
    const { connection } = await connect({ kubeconfig, userAgent: `fairlead/demo-${name}` });
    started.defer(() => connection.close());
    return { kubeconfig, connection, client: new KubeClient(connection, systemClock) };
  };
  const broker = await serve('broker');
  for (const cluster of demoClusters) {
    const member = { clusterset: DEMO_CLUSTERSET, cluster, brokerNamespace: 'fairlead-broker' };
    for (const step of await joinSteps(broker.client, member, signal)) await step.run(signal);
  }
  const cutOff: typeof systemOutside = {
    ...systemOutside,
    async connect(where, stopped) {
      const found = await systemOutside.connect(where, stopped);
      return { ...found, connection: nowAndThenCut(found.connection, systemClock) };
    },
  };
  for (const cluster of DEMO_PEERS) {
    const part = clusterSetPart(cluster === DEMO_PEERS.at(-1) ? cutOff : systemOutside);
    const { client, connection } = await serve(cluster);
    await client.create(namespaces, { metadata: { name: NAMESPACE } });
    await createObjects(client, [part], demoWorkload, signal);
    const configured = part.configure({
      clusterset: DEMO_CLUSTERSET,
      cluster,
      broker: { kubeconfig: broker.kubeconfig },
    });
    const surroundings = { clock: systemClock, random: systemRandom, logger: silentLogger, metrics: noMetrics };
    const run = {
      part: part.name,
      connection,
      namespace: NAMESPACE,
      replica: cluster,
      leaseDurationMilliseconds: 15_000,
    };
    void runPart(
      configured,
      { ...surroundings, ...run, journal: new Journal(systemClock), readiness: { set() {} } },
      signal,
    );
  }
  // Ends first: nobody waits for a Lease in a world that goes.
  started.defer(async () => stop.abort());
  const running = started.move();
  return { endpoint: broker.kubeconfig, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
