import { writeFile } from 'node:fs/promises';
import { FairleadError, sleep } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { type KubeClient, namespaces } from '@fairlead/kube';
import type { Part } from '@fairlead/part';
import { openCluster } from '../cluster.ts';
import { readConfiguration } from '../configuration/read.ts';
import { activeParts } from '../configured-parts.ts';
import { demoCommands } from '../demo/commands.ts';
import { showLive } from '../demo/live.ts';
import { createObjects } from '../demo/objects.ts';
import { startOutsides } from '../demo/outsides.ts';
import { isDone, lookAt, type Scene, Stopwatch } from '../demo/scene.ts';
import { demoSettings, exampleSettings } from '../demo/settings.ts';
import { renderScene } from '../demo/view.ts';
import { type EmbeddedWorld, startWorld } from '../demo/world.ts';
import { openLog } from '../observability/logger.ts';
import { startRunning } from '../running.ts';
import type { Terminal } from '../terminal.ts';

export interface DemoOptions {
  readonly untilConverged?: true;
  readonly timeLimitSeconds: number;
  readonly printConfig?: true;
}

const REFRESH_MILLISECONDS = 250;

/** `fairlead demo`: an embedded world, all parts on it, a sample workload, and a live view of it. */
export async function demoCommand(
  parts: readonly Part[],
  options: DemoOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  if (options.printConfig) {
    terminal.print(exampleSettings(parts));
    return;
  }
  // A terminal that is closed ends the demo as Ctrl+C does: it leaves nothing either.
  process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
  await using outsides = await startOutsides();
  const world = await startWorld();
  const stop = new AbortController();
  const combined = AbortSignal.any([signal, stop.signal]);
  try {
    const settings = (listen: string) =>
      demoSettings(parts, { kubeconfig: world.kubeconfigPath, listen }, outsides.outsides);
    const configuration = readConfiguration(settings('127.0.0.1:0'), 'the configuration of the demo', parts);
    const cluster = await openCluster(configuration, combined);
    try {
      await createWorkload(cluster.client, configuration.leaderElection.namespace, parts, combined);
      const surroundings = { clock: systemClock, random: systemRandom, logger: openLog('error') };
      const active = activeParts(configuration, parts);
      const running = await startRunning(configuration, cluster, active, surroundings, combined);
      // For commands in another terminal: they find us where we really listen.
      await writeFile(world.configurationPath, settings(new URL(running.server.url).host));
      const stopwatch = new Stopwatch(systemClock);
      const look = () => lookAt(parts, cluster.client, running.readiness, stopwatch, combined);
      if (terminal.isInteractive && !options.untilConverged) await showLive(parts, world, look, terminal, combined);
      else {
        for (const line of heading(parts, world, running.server.url, terminal)) terminal.print(line);
        await printChanges(look, options, terminal, combined);
      }
    } finally {
      // The world goes with the demo: nobody waits for a Lease in it to be given back.
      stop.abort();
      await cluster.close();
    }
  } finally {
    await world.close();
  }
}

function heading(parts: readonly Part[], world: EmbeddedWorld, server: string, { typed }: Terminal): string[] {
  const [first] = parts.flatMap(({ demo }) => demo?.objects ?? []).filter(({ kind }) => kind === 'Service');
  const service = first === undefined ? undefined : `${first.metadata.namespace}/${first.metadata.name}`;
  return [
    `${world.description}; in another terminal:`,
    ...demoCommands(typed, world, service).map((command) => `  ${command}`),
    `Health, metrics and the journal: ${server}`,
    ...parts.flatMap(({ name, demo }) => (demo === undefined ? [] : [`${name}: ${demo.description}`])),
    '',
  ];
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

/** Prints the world each time it has changed, until it is told to stop, or once, when everything is programmed. */
async function printChanges(
  look: () => Promise<Scene>,
  options: DemoOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  let shown = '';
  while (!signal.aborted) {
    const scene = await look();
    const lines = renderScene(scene);
    if (options.untilConverged) {
      if (isDone(scene)) return lines.forEach((line) => terminal.print(line));
      if (scene.seconds > options.timeLimitSeconds) throw notConverged(scene, options);
    }
    const content = lines.slice(1).join('\n');
    if (content !== shown && !options.untilConverged) terminal.print(lines.join('\n'));
    shown = content;
    await sleep(systemClock, REFRESH_MILLISECONDS, signal).catch(() => {});
  }
  // Who waits for the end has not seen it.
  if (options.untilConverged) signal.throwIfAborted();
}

function notConverged({ missing }: Scene, options: DemoOptions): FairleadError {
  const message = `not everything was programmed within ${options.timeLimitSeconds} s: ${missing.slice(0, 5).join('; ')}`;
  return new FairleadError(message, { verdict: 'terminal', code: 'demo-not-converged' });
}
