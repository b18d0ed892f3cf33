import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient, secrets } from '@fairlead/kube';
import { connect, type Connected } from '@fairlead/kube/adapters';
import { type Outcome, runCommand } from '../../scripts/run-command.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { Fairlead, type RunningFairlead } from './fairlead.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url));
const DEFINITIONS = fileURLToPath(new URL('../../deploy/chart/fairlead/custom-resources/clusterset', import.meta.url));

/** A cluster of the clusterset, with Fairlead running in it. */
export interface ClusterSetMember {
  readonly name: string;
  readonly cluster: Cluster;
  readonly fairlead: Fairlead;
  readonly running: RunningFairlead;
  /** With the credentials that join gave it. */
  readonly atBroker: KubeClient;
  readonly connection: Connected;
}

/** Real clusters that share a real broker; each has the namespace `shop`. */
export class ClusterSetStage {
  readonly broker: Cluster;
  readonly folder: string;
  readonly #members = new Map<string, ClusterSetMember>();
  readonly #clusters = new Map<string, Cluster>();

  private constructor(broker: Cluster, folder: string) {
    this.broker = broker;
    this.folder = folder;
  }

  static async start(): Promise<ClusterSetStage> {
    return new ClusterSetStage(await startCluster(), await mkdtemp(join(tmpdir(), 'fairlead-clusterset-')));
  }

  member(name: string): ClusterSetMember {
    const found = this.#members.get(name);
    if (found === undefined) throw new Error(`there is no cluster ${name}`);
    return found;
  }

  /** `fairlead join` or `leave`, as a person types it. */
  command(
    verb: 'join' | 'leave',
    name: string,
    { kubeconfigPath }: Cluster,
    ...more: readonly string[]
  ): Promise<Outcome> {
    return runCommand(process.execPath, [
      PROGRAM,
      verb,
      '--clusterset=blue',
      `--cluster=${name}`,
      `--broker-kubeconfig=${this.broker.kubeconfigPath}`,
      `--kubeconfig=${kubeconfigPath}`,
      ...more,
    ]);
  }

  /** Brings a new cluster in; its own servers are started as soon as this is called. */
  async add(name: string, configuration: object = {}, ...joinOptions: readonly string[]): Promise<void> {
    const cluster = this.#clusters.get(name) ?? (await startCluster());
    const isNew = !this.#clusters.has(name);
    this.#clusters.set(name, cluster);
    if (isNew) {
      const applied = await cluster.kubectl(['apply', '-f', DEFINITIONS]);
      if (applied.code !== 0) throw new Error(applied.stderr);
      await cluster.kubectl(['create', 'namespace', 'shop']);
    }
    const joined = await this.command('join', name, cluster, '--yes', ...joinOptions);
    if (joined.code !== 0) throw new Error(joined.stderr);
    const kubeconfig = await this.mount(name, cluster);
    const { kubeconfigPath } = await cluster.createIdentity('fairlead');
    const fairlead = await Fairlead.configure({
      kubernetes: { kubeconfig: kubeconfigPath },
      parts: {
        clusterset: { clusterset: 'blue', cluster: name, broker: { kubeconfig }, whenSilent: 'keep', ...configuration },
        dns: { listen: ['127.0.0.1:0'], cluster: name },
      },
    });
    const connection = await connect({ kubeconfig, userAgent: name });
    const atBroker = new KubeClient(connection.connection, systemClock);
    this.#members.set(name, { name, cluster, fairlead, running: await fairlead.run(), atBroker, connection });
  }

  /** Brings the Secret that join wrote to where Fairlead reads it, as the kubelet does. */
  async mount(name: string, cluster: Cluster, namespace = 'fairlead-system'): Promise<string> {
    const secret = await cluster.client.get(secrets, { namespace, name: 'fairlead-broker' });
    await mkdir(join(this.folder, name), { recursive: true });
    for (const [file, data] of Object.entries(secret.data ?? {}))
      await writeFile(join(this.folder, name, file), Buffer.from(data, 'base64'));
    return join(this.folder, name, 'kubeconfig');
  }

  /** Ends Fairlead in a cluster, which gives its Leases back; the servers of the cluster stay. */
  async end(name: string): Promise<void> {
    const { running, connection } = this.member(name);
    this.#members.delete(name);
    await running.stop();
    await connection.connection.close();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#members.keys()].map((name) => this.end(name)));
    await Promise.all([this.broker, ...this.#clusters.values()].map((one) => one.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}
