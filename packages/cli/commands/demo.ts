import { FairleadError, sleep } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { type KubeClient, namespaces, services } from '@fairlead/kube';
import type { DemoOutsides, Part } from '@fairlead/part';
import { stringify } from 'yaml';
import { type Cluster, openCluster } from '../cluster.ts';
import { readConfiguration } from '../configuration/read.ts';
import type { Configuration } from '../configuration/schema.ts';
import { activeParts } from '../configured-parts.ts';
import { createObjects } from '../demo/objects.ts';
import { startOutsides } from '../demo/outsides.ts';
import { renderScene, type Scene } from '../demo/view.ts';
import { startWorld } from '../demo/world.ts';
import { openLog } from '../observability/logger.ts';
import type { ReadinessBoard } from '../observability/readiness.ts';
import type { Terminal } from '../terminal.ts';
import { startRunning } from '../running.ts';

export interface DemoOptions {
  readonly untilConverged?: true;
  readonly timeLimitSeconds: number;
  readonly printConfig?: true;
}

/** Stands for the real addresses in a configuration that is only shown. */
const EXAMPLE: DemoOutsides = {
  azure: 'https://management.azure.com',
  'gateway-1': 'http://127.0.0.1:8443',
  'gateway-2': 'http://127.0.0.1:8444',
  broker: '/etc/fairlead/broker/kubeconfig',
};

const REFRESH_MILLISECONDS = 250;
const CLEAR_SCREEN = '\u001b[H\u001b[J';

/** `fairlead demo`: an embedded world, all parts on it, a sample workload, and a live view of it. */
export async function demoCommand(
  parts: readonly Part[],
  options: DemoOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  if (options.printConfig) {
    terminal.print(stringify(demoSettings(parts, undefined, EXAMPLE)).trimEnd());
    return;
  }
  await using clouds = await startOutsides();
  const world = await startWorld();
  const stop = new AbortController();
  const combined = AbortSignal.any([signal, stop.signal]);
  try {
    const configuration = demoConfiguration(parts, world.kubeconfigPath, clouds.outsides);
    const cluster = await openCluster(configuration, combined);
    try {
      await createWorkload(cluster.client, configuration.leaderElection.namespace, parts, combined);
      const logger = openLog('error');
      const active = activeParts(configuration, parts);
      const surroundings = { clock: systemClock, random: systemRandom, logger };
      const running = await startRunning(configuration, cluster, active, surroundings, combined);
      const heading = [
        `${world.description}: kubectl --kubeconfig ${world.kubeconfigPath} get services -A`,
        `Health, metrics and the journal: ${running.server.url}`,
        ...parts.flatMap(({ name, demo }) => (demo === undefined ? [] : [`${name}: ${demo.description}`])),
        '',
      ];
      await show(parts, cluster, running.readiness, heading, options, terminal, combined);
    } finally {
      // The world goes with the demo: nobody waits for a Lease in it to be given back.
      stop.abort();
      await cluster.close();
    }
  } finally {
    await world.close();
  }
}

/** The configuration file of the demo, without its kubeconfig where there is none. */
function demoSettings(parts: readonly Part[], kubeconfig: string | undefined, outsides: DemoOutsides): object {
  return {
    ...(kubeconfig === undefined ? {} : { kubernetes: { kubeconfig } }),
    http: { listen: kubeconfig === undefined ? '127.0.0.1:8080' : '127.0.0.1:0' },
    parts: Object.fromEntries(
      parts.flatMap(({ name, demo }) => (demo === undefined ? [] : [[name, demo.configuration(outsides)]])),
    ),
  };
}

function demoConfiguration(parts: readonly Part[], kubeconfig: string, outsides: DemoOutsides): Configuration {
  return readConfiguration(
    stringify(demoSettings(parts, kubeconfig, outsides)),
    'the configuration of the demo',
    parts,
  );
}

async function createWorkload(
  client: KubeClient,
  leaseNamespace: string,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<void> {
  await client.create(namespaces, { metadata: { name: leaseNamespace } }, { signal });
  const objects = parts.flatMap(({ demo }) => demo?.objects ?? []);
  await createObjects(client, parts, objects, signal);
}

/** Shows the world until it is told to stop, or until everything is programmed. */
async function show(
  parts: readonly Part[],
  cluster: Cluster,
  readiness: ReadinessBoard,
  heading: readonly string[],
  options: DemoOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = systemClock.monotonic();
  const isLive = terminal.isInteractive && !options.untilConverged;
  if (!isLive) for (const line of heading) terminal.print(line);
  let shown = '';
  while (!signal.aborted) {
    const scene = await lookAt(parts, cluster.client, readiness, (systemClock.monotonic() - startedAt) / 1000, signal);
    const lines = renderScene(scene);
    if (options.untilConverged) {
      if (scene.done === scene.total && scene.missing.length === 0)
        return lines.forEach((line) => terminal.print(line));
      if (scene.seconds > options.timeLimitSeconds) throw notConverged(scene, options);
    }
    const content = lines.slice(1).join('\n');
    if (isLive) terminal.print(`${CLEAR_SCREEN}${[...heading, ...lines].join('\n')}`);
    else if (content !== shown && !options.untilConverged) terminal.print(lines.join('\n'));
    shown = content;
    await sleep(systemClock, REFRESH_MILLISECONDS, signal).catch(() => {});
  }
  // Whoever waits for the end has not seen it.
  if (options.untilConverged) signal.throwIfAborted();
}

async function lookAt(
  parts: readonly Part[],
  client: KubeClient,
  readiness: ReadinessBoard,
  seconds: number,
  signal: AbortSignal,
): Promise<Scene & { readonly missing: readonly string[] }> {
  const progress = await Promise.all(parts.flatMap(({ demo }) => demo?.progress(client, signal) ?? []));
  const { items } = await client.list(services, { signal });
  return {
    seconds,
    done: progress.reduce((sum, one) => sum + one.done, 0),
    total: progress.reduce((sum, one) => sum + one.total, 0),
    missing: progress.flatMap((one) => one.missing),
    services: items,
    parts: readiness.parts.map((part) => {
      const state = readiness.of(part);
      return state === undefined || state.ready ? `${part}: ready` : `${part}: not ready: ${state.reason}`;
    }),
  };
}

function notConverged(scene: { readonly missing: readonly string[] }, options: DemoOptions): FairleadError {
  const missing = scene.missing.slice(0, 5).join('; ');
  return new FairleadError(`not everything was programmed within ${options.timeLimitSeconds} s: ${missing}`, {
    verdict: 'terminal',
    code: 'demo-not-converged',
  });
}
