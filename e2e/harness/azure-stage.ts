import { type Pod, pods, type Service, type ServiceSpec, services } from '@fairlead/kube';
import { EmulatedAzure } from './azure.ts';
import { type Cluster, type Identity, startCluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { Fairlead, type RunningFairlead } from './fairlead.ts';
import { readField } from './untyped.ts';
import { playNode, playPod } from './workload.ts';

const LEASES = 'fairlead-leases';

/** What there is before a part is run: a real cluster with two nodes, an emulated Azure, and a configuration. */
interface Setting {
  readonly part: string;
  readonly cluster: Cluster;
  readonly azure: EmulatedAzure;
  readonly namespace: string;
  readonly identity: Identity;
  readonly fairlead: Fairlead;
}

/** Sets up a part with this section of the configuration, to which the cloud is added. */
export async function setAzureStage(part: string, section: object = {}, cloud: object = {}): Promise<Setting> {
  const azure = await EmulatedAzure.start();
  const cluster = await startCluster();
  const identity = await cluster.createIdentity('fairlead');
  await cluster.kubectl(['create', 'namespace', LEASES]);
  await playNode(cluster.client, { name: 'node-1', addresses: ['10.0.0.11'] });
  await playNode(cluster.client, { name: 'node-2', addresses: ['10.0.0.12'] });
  const fairlead = await Fairlead.configure({
    kubernetes: { kubeconfig: identity.kubeconfigPath },
    leaderElection: { namespace: LEASES },
    parts: { [part]: { cloud: { ...azure.cloud, ...cloud }, ...section } },
  });
  return { part, cluster, azure, namespace: await cluster.createNamespace('azure'), identity, fairlead };
}

/** A part of Fairlead between a real cluster and an emulated Azure. */
export class AzureStage {
  readonly cluster: Cluster;
  readonly azure: EmulatedAzure;
  readonly namespace: string;
  readonly #setting: Setting;
  readonly #running: RunningFairlead[] = [];

  constructor(setting: Setting) {
    this.cluster = setting.cluster;
    this.azure = setting.azure;
    this.namespace = setting.namespace;
    this.#setting = setting;
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((one) => one.kill()));
    await this.#setting.fairlead.remove();
    await this.azure[Symbol.asyncDispose]();
    await this.cluster.stop();
  }

  async start(): Promise<RunningFairlead> {
    const one = await this.#setting.fairlead.run();
    this.#running.push(one);
    return one;
  }

  /** As if it lost power; whoever is started next leads at once. */
  async crash(one: RunningFairlead): Promise<void> {
    await one.kill();
    await this.cluster.kubectl(['delete', 'lease', '--all', '--namespace', LEASES]);
  }

  async untilReady(one: RunningFairlead): Promise<void> {
    await eventually(async () => (await this.readiness(one)).status === 200, { describe: 'readiness' });
  }

  readiness(one: RunningFairlead): Promise<{ readonly status: number; readonly text: string }> {
    return this.ask(one, `readyz/${this.#setting.part}`);
  }

  async ask(one: RunningFairlead, path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${one.url}/${path}`);
    return { status: response.status, text: await response.text() };
  }

  /** The states that the journal tells of, oldest first: `statesOf(leader, 'egress/blue')`. */
  async statesOf(one: RunningFairlead, subject: string): Promise<readonly string[]> {
    const journal: unknown = JSON.parse((await this.ask(one, `debug/journal/${this.#setting.part}/${subject}`)).text);
    const entries = readField(journal, 'entries');
    if (!Array.isArray(entries)) return [];
    return entries.filter((entry) => readField(entry, 'kind') === 'state').map((entry) => String(entry.state));
  }

  /** The sum of a counter that Fairlead keeps about one of its caches. */
  async cacheCount(one: RunningFairlead, counter: string, cache: string): Promise<number> {
    const { text } = await this.ask(one, 'metrics');
    const lines = text.split('\n').filter((line) => line.startsWith(`fairlead_kube_${counter}{cache="${cache}"`));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  /** What Fairlead asked of the API server about Services, in order: `patch services/status`. */
  async serviceWrites(): Promise<readonly string[]> {
    const writes = await this.cluster.writes(
      ({ user, namespace, resource }) =>
        user === this.#setting.identity.user && namespace === this.namespace && resource.startsWith('services'),
    );
    return writes.map(({ verb, resource }) => `${verb} ${resource}`);
  }

  /** A Service of this class that has port 80, and selects pods by their label `app`. */
  createServiceOf(loadBalancerClass: string, name: string, spec: Partial<ServiceSpec> = {}): Promise<Service> {
    return this.cluster.client.create(services, {
      metadata: { namespace: this.namespace, name },
      spec: {
        type: 'LoadBalancer',
        loadBalancerClass,
        selector: { app: name },
        ports: [{ port: 80, targetPort: 8080 }],
        ...spec,
      },
    });
  }

  findService(name: string): Promise<Service | undefined> {
    return this.cluster.client.find(services, { namespace: this.namespace, name });
  }

  async deleteService(name: string): Promise<void> {
    await this.cluster.client.delete(services, { namespace: this.namespace, name });
  }

  /** The public address of a Service, once it is in the status. */
  addressOf(name: string): Promise<string> {
    return eventually(async () => (await this.findService(name))?.status?.loadBalancer?.ingress?.[0]?.ip, {
      describe: `the address of ${name}`,
    });
  }

  async untilServiceGone(name: string): Promise<void> {
    await eventually(async () => (await this.findService(name)) === undefined, { describe: `Service ${name} to go` });
  }

  playPod(name: string, node: string, address: string, labels: Readonly<Record<string, string>>): Promise<Pod> {
    return playPod(this.cluster.client, { namespace: this.namespace, name, node, addresses: [address], labels });
  }

  /** Ends a pod as its kubelet would; who holds it by a finalizer decides when it is gone. */
  async endPod(name: string): Promise<void> {
    await this.cluster.client.delete(pods, { namespace: this.namespace, name }, { gracePeriodSeconds: 0 });
  }

  /** What Azure was asked to change since the last look, one line for each call. */
  takeWrites(): readonly string[] {
    const { log } = this.azure.emulator;
    const lines = log.lines();
    log.clear();
    return lines;
  }

  /** Waits until so many writes have come, and takes all that are there. */
  async nextWrites(count: number): Promise<readonly string[]> {
    const { log } = this.azure.emulator;
    await eventually(() => log.writes.length >= count, { describe: `${count} writes to Azure` });
    return this.takeWrites();
  }
}
