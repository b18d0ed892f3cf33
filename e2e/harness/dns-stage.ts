import { type ServiceImport, SERVICE_NAME, serviceImports, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { mcsDefinitions } from '@fairlead/clusterset';
import { customResourceDefinitions, type EndpointSlice, endpointSlices } from '@fairlead/kube';
import { type Cluster, type Identity, startCluster } from './cluster.ts';
import { CoreDns, dig, type Dug } from './core-dns.ts';
import { eventually } from './eventually.ts';
import { Fairlead, type RunningFairlead } from './fairlead.ts';

const imports = serviceImports('v1beta1');

/** A real cluster with the Multi-Cluster Services API, our DNS server on it, and CoreDNS in front of that. */
export class DnsStage {
  readonly cluster: Cluster;
  readonly fairlead: Fairlead;
  /** A configuration file for another server on the same cluster. */
  readonly anotherConfiguration: (section: object) => object;
  readonly #running: RunningFairlead;
  readonly #coreDns: CoreDns;
  /** Our server, and CoreDNS that forwards to it. */
  readonly ports: { readonly ours: number; readonly coreDns: number };

  private constructor(
    cluster: Cluster,
    fairlead: Fairlead,
    anotherConfiguration: DnsStage['anotherConfiguration'],
    running: RunningFairlead,
    coreDns: CoreDns,
    ports: DnsStage['ports'],
  ) {
    this.cluster = cluster;
    this.fairlead = fairlead;
    this.anotherConfiguration = anotherConfiguration;
    this.#running = running;
    this.#coreDns = coreDns;
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
    try {
      const ours = await dnsPortOf(running);
      const coreDns = await CoreDns.start(ours);
      return new DnsStage(cluster, fairlead, configuration, running, coreDns, { ours, coreDns: coreDns.port });
    } catch (error) {
      await running.stop();
      await fairlead.remove();
      await cluster.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#coreDns.stop();
    await this.#running.stop();
    await this.fairlead.remove();
    await this.cluster.stop();
  }

  /** Asks through CoreDNS, unless another port is named. */
  dig(name: string, type = 'A', options: readonly string[] = [], port = this.ports.coreDns): Promise<Dug> {
    return dig(port, name, type, options);
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
