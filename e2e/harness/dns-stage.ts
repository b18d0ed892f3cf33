import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceImport, SERVICE_NAME, serviceImports, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { mcsDefinitions } from '@fairlead/clusterset';
import { customResourceDefinitions, type EndpointSlice, endpointSlices } from '@fairlead/kube';
import { freePort } from '../../scripts/free-port.ts';
import { runCommand } from '../../scripts/run-command.ts';
import { type Cluster, type Identity, startCluster } from './cluster.ts';
import { coreDnsBinary } from './components.ts';
import { eventually } from './eventually.ts';
import { Fairlead, type RunningFairlead } from './fairlead.ts';

/** What dig shows of a reply. */
export interface Dug {
  readonly status: string;
  readonly flags: readonly string[];
  /** Without the name, the time to live and the class: `A 10.1.0.1`. */
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly text: string;
}

const imports = serviceImports('v1beta1');

/** A real cluster with the Multi-Cluster Services API, our DNS server on it, and CoreDNS in front of that. */
export class DnsStage {
  readonly cluster: Cluster;
  readonly fairlead: Fairlead;
  /** A configuration file for another server on the same cluster. */
  readonly anotherConfiguration: (section: object) => object;
  readonly #running: RunningFairlead;
  readonly #coreDns: ChildProcess;
  readonly #folder: string;
  /** Our server, and CoreDNS that forwards to it. */
  readonly ports: { readonly ours: number; readonly coreDns: number };

  private constructor(
    cluster: Cluster,
    fairlead: Fairlead,
    anotherConfiguration: DnsStage['anotherConfiguration'],
    running: RunningFairlead,
    coreDns: ChildProcess,
    folder: string,
    ports: DnsStage['ports'],
  ) {
    this.cluster = cluster;
    this.fairlead = fairlead;
    this.anotherConfiguration = anotherConfiguration;
    this.#running = running;
    this.#coreDns = coreDns;
    this.#folder = folder;
    this.ports = ports;
  }

  /** `rules` are what our server may do in the cluster. */
  static async start(section: object, rules: Parameters<Cluster['createIdentity']>[1]): Promise<DnsStage> {
    const cluster = await startCluster();
    for (const definition of mcsDefinitions) await cluster.client.create(customResourceDefinitions, definition);
    const identity: Identity = await cluster.createIdentity('dns', rules);
    const configuration = (one: object) => ({
      kubernetes: { kubeconfig: identity.kubeconfigPath },
      parts: { dns: { listen: ['127.0.0.1:0'], ...section, ...one } },
    });
    const fairlead = await Fairlead.configure(configuration({}));
    const running = await fairlead.run('dns');
    const ours = await dnsPortOf(running);
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-coredns-'));
    const coreDns = await freePort();
    const file = join(folder, 'Corefile');
    const zone = `clusterset.local:${coreDns} {\n  bind 127.0.0.1\n  errors\n  forward . 127.0.0.1:${ours}\n}\n`;
    await writeFile(file, zone);
    const child = spawn(await coreDnsBinary(), ['-conf', file], { stdio: 'ignore' });
    const stage = new DnsStage(cluster, fairlead, configuration, running, child, folder, { ours, coreDns });
    try {
      await eventually(async () => (await stage.dig('dns-version.clusterset.local', 'TXT')).status === 'NOERROR', {
        describe: 'an answer through CoreDNS',
        intervalMs: 100,
      });
      return stage;
    } catch (error) {
      await stage.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#coreDns.exitCode === null) {
      const ended = once(this.#coreDns, 'exit');
      this.#coreDns.kill('SIGKILL');
      await ended;
    }
    await this.#running.stop();
    await this.fairlead.remove();
    await rm(this.#folder, { recursive: true, force: true });
    await this.cluster.stop();
  }

  /** Asks through CoreDNS, unless another port is named. */
  async dig(name: string, type = 'A', options: readonly string[] = [], port = this.ports.coreDns): Promise<Dug> {
    const question = ['@127.0.0.1', '-p', String(port), '+tries=1', '+time=2', ...options, name, type];
    const { stdout } = await runCommand('dig', question);
    return read(stdout);
  }

  putImport(namespace: string, name: string, spec: Partial<ServiceImport['spec']> = {}): Promise<ServiceImport> {
    const body = { metadata: { namespace, name }, spec: { type: 'ClusterSetIP', ports: [], ...spec } } as const;
    return this.cluster.client.create<ServiceImport>(imports, body);
  }

  /** What a cluster exports of a Service. */
  async putSlice(
    namespace: string,
    service: string,
    cluster: string,
    content: Pick<EndpointSlice, 'endpoints' | 'ports'> & { readonly addressType?: 'IPv4' | 'IPv6' },
  ): Promise<void> {
    const { addressType = 'IPv4', endpoints, ports } = content;
    const metadata = {
      namespace,
      name: `${service}.${addressType.toLowerCase()}.${cluster}`,
      labels: { [SERVICE_NAME]: service, [SOURCE_CLUSTER]: cluster },
    };
    const slice: EndpointSlice = { metadata, addressType, endpoints, ports: ports ?? [] };
    const found = await this.cluster.client.find(endpointSlices, metadata);
    if (found === undefined) await this.cluster.client.create(endpointSlices, slice);
    else await this.cluster.client.update(endpointSlices, { ...found, endpoints, ports: ports ?? [] });
  }
}

/** Where a server that was started listens. */
export function dnsPortOf({ log }: Pick<RunningFairlead, 'log'>): Promise<number> {
  return eventually(() => listeningPort(log), { describe: 'our server to listen' });
}

function listeningPort(log: readonly string[]): number | undefined {
  const line = log.find((one) => one.includes('"msg":"listening"'));
  const port = /"listen":\["127\.0\.0\.1:(\d+)"\]/.exec(line ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}

function read(text: string): Dug {
  const section = (title: string) => {
    const lines = text.split(`;; ${title} SECTION:\n`)[1]?.split('\n\n')[0]?.split('\n') ?? [];
    return lines.filter((line) => line !== '').map((line) => line.split(/\s+/).slice(3).join(' '));
  };
  return {
    status: /status: ([A-Z]+)/.exec(text)?.[1] ?? 'no reply',
    flags: /flags: ([a-z ]+);/.exec(text)?.[1]?.split(' ') ?? [],
    answers: section('ANSWER'),
    authorities: section('AUTHORITY'),
    text,
  };
}
