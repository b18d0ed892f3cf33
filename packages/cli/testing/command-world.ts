import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient, leases, namespaces } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { leaseName, type Part, type Standing } from '@fairlead/part';
import { type AccessQuestion, SimulatedKube } from '@fairlead/sim/kube';
import { serveKube } from '@fairlead/sim/kube/http';
import { runProgram } from '../program.ts';
import { json, text } from '../server/router.ts';
import { startStatusServer } from '../server/status-server.ts';
import { recordedTerminal } from './recorded-terminal.ts';

export const NAMESPACE = 'fairlead-system';
export const SEEN = { state: 'as-wanted', wanted: [], there: [] } as const;

export interface World {
  /** Of the Fairlead on this machine, as it says it at /readyz. */
  readonly readiness?: string;
  /** The UID of the cluster that it says it is of. */
  readonly clusterOfServer?: string;
  /** How it stands to the part; it leads unless told otherwise. */
  readonly standing?: Standing;
  readonly authorize?: (question: AccessQuestion) => boolean;
  /** No Fairlead runs on this machine. */
  readonly isAway?: true;
}

/** A cluster with the parts, led by this machine, and the program to ask about it; `started` ends it all. */
export async function startCommandWorld(started: AsyncDisposableStack, parts: readonly Part[], world: World = {}) {
  const { authorize = () => true } = world;
  const kube = new SimulatedKube({ clock: systemClock, random: seededRandom(1), authorize });
  const served = started.use(await serveKube(kube));
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-commands-'));
  started.defer(() => rm(folder, { recursive: true }));
  const client = new KubeClient(connectionOver(kube.transport(), systemClock), systemClock);
  await client.create(namespaces, { metadata: { name: NAMESPACE } });
  const answer = { cluster: world.clusterOfServer ?? '', standing: world.standing ?? { kind: 'leads' }, entries: [] };
  const status = await startStatusServer(
    '127.0.0.1:0',
    new Map([
      ['/readyz', async (part: string) => text(200, `${part}: ${world.readiness ?? 'ready'}`)],
      ['/debug/why', async () => json({ ...answer, explanation: { ...SEEN, answer: 'The leader says so.' } })],
    ]),
  );
  if (world.isAway === true) await status.close();
  else started.defer(() => status.close());
  const file = join(folder, 'fairlead.yaml');
  await writeFile(join(folder, 'kubeconfig'), served.kubeconfig);
  const configuration = {
    kubernetes: { kubeconfig: join(folder, 'kubeconfig') },
    http: { listen: new URL(status.url).host },
    log: { level: 'error' },
    parts: Object.fromEntries(parts.map(({ name }) => [name, {}])),
  };
  await writeFile(file, JSON.stringify(configuration));
  const lead = (part: string, renewedAt = Date.now()) =>
    client.create(leases, {
      metadata: { namespace: NAMESPACE, name: leaseName(part) },
      spec: {
        holderIdentity: `${hostname()}_1`,
        leaseDurationSeconds: 15,
        renewTime: new Date(renewedAt).toISOString().replace('Z', '000Z'),
      },
    });
  const run = async (...words: readonly string[]) => {
    const { terminal, told } = recordedTerminal();
    const exitCode = await runProgram([...words, '--config', file], parts, terminal, new AbortController().signal);
    return { exitCode, ...told() };
  };
  /** Until it has looked once. */
  const watch = async (...words: readonly string[]) => {
    const { terminal, told } = recordedTerminal();
    const stop = new AbortController();
    const print = (line: string) => {
      terminal.print(line);
      stop.abort(new Error('it was looked at'));
    };
    const exitCode = await runProgram([...words, '--config', file], parts, { ...terminal, print }, stop.signal);
    return { exitCode, ...told() };
  };
  return { client, lead, run, watch };
}
