import { type Endpoint, endpointSlices, events, type Service } from '@fairlead/kube';
import { AzureStage, setAzureStage } from './azure-stage.ts';
import { eventually } from './eventually.ts';
import { readField } from './untyped.ts';

const LOAD_BALANCER = 'local';

/** The part for local Services, with one load balancer and an interval of a second. */
export class LocalBackendsStage extends AzureStage {
  static async open(): Promise<LocalBackendsStage> {
    const section = { loadBalancers: [{ name: LOAD_BALANCER }] };
    const cloud = { loadBalancerBackendPoolUpdateIntervalInSeconds: 1 };
    return new LocalBackendsStage(await setAzureStage('azure-local', section, cloud));
  }

  /** A Service that selects pods by their label, or none at all. */
  createService(name: string, selector: Readonly<Record<string, string>> = { app: name }): Promise<Service> {
    const spec = { externalTrafficPolicy: 'Local', selector } as const;
    return this.createServiceOf('fairlead.dev/azure-local', name, spec);
  }

  /** An EndpointSlice written by hand, with a ready endpoint on each of these nodes: `10.1.0.1@node-1`. */
  async putSlice(service: string, name: string, ...endpoints: readonly string[]): Promise<void> {
    const { client } = this.cluster;
    const listed = endpoints.map(endpointOf);
    const metadata = { namespace: this.namespace, name, labels: { 'kubernetes.io/service-name': service } };
    if ((await client.find(endpointSlices, metadata)) !== undefined) {
      await client.patchMerge(endpointSlices, metadata, { endpoints: listed });
      return;
    }
    const ports = [{ name: '', port: 8080, protocol: 'TCP' }] as const;
    await client.create(endpointSlices, { metadata, addressType: 'IPv4', endpoints: listed, ports });
  }

  async deleteSlice(name: string): Promise<void> {
    await this.cluster.client.delete(endpointSlices, { namespace: this.namespace, name });
  }

  /** The addresses in the pool of a Service; undefined when there is none. */
  pool(name: string): readonly string[] | undefined {
    const { emulator } = this.azure;
    const loadBalancer = emulator.resource(this.azure.idOf('loadBalancers', LOAD_BALANCER));
    const pools = readField(readField(loadBalancer, 'properties'), 'backendAddressPools');
    const found = listOf(pools).find((pool) =>
      String(readField(pool, 'name')).startsWith(`${this.namespace}-${name}-`),
    );
    if (found === undefined) return undefined;
    return listOf(readField(readField(found, 'properties'), 'loadBalancerBackendAddresses'))
      .map((entry) => String(readField(readField(entry, 'properties'), 'ipAddress')))
      .sort();
  }

  async untilPool(name: string, ...addresses: readonly string[]): Promise<void> {
    const wanted = addresses.toSorted().join();
    await eventually(() => this.pool(name)?.join() === wanted, {
      describe: `the pool of ${name} to have ${wanted || 'nothing'}; it has ${this.pool(name)?.join()}`,
    });
  }

  /** The reasons of the Events about a Service, each once. */
  async reasons(name: string): Promise<readonly string[]> {
    const { items } = await this.cluster.client.list(events, { namespace: this.namespace });
    return [...new Set(items.filter(({ regarding }) => regarding.name === name).map(({ reason }) => reason))];
  }

  /** How often a backend pool was read or written since the last look at the log. */
  get poolCalls(): number {
    return this.azure.emulator.log.count(undefined, 'backendAddressPools');
  }
}

function endpointOf(text: string): Endpoint {
  const [address = '', nodeName = ''] = text.split('@');
  return { addresses: [address], nodeName, conditions: { ready: true, serving: true, terminating: false } };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
