import { type Pod, pods, type Service, services } from '@fairlead/kube';
import { AzureStage, setAzureStage } from './azure-stage.ts';
import { eventually } from './eventually.ts';
import type { RunningFairlead } from './fairlead.ts';
import { readField } from './untyped.ts';

/** What the part calls its gateway unless it is told otherwise. */
const GATEWAY = 'fairlead';

export const EGRESS_LABEL = 'kubernetes.azure.com/service-egress-gateway';

/** The part for service gateways. */
export class ServiceGatewayStage extends AzureStage {
  static async open(): Promise<ServiceGatewayStage> {
    return new ServiceGatewayStage(await setAzureStage('azure-service-gateway'));
  }

  /** Resolves when the part is ready and has done all that it does at a start. */
  async startReady(): Promise<RunningFairlead> {
    const one = await this.start();
    await this.untilReady(one);
    const { azure } = this;
    await eventually(() => azure.registered(GATEWAY).includes('default-natgw'), { describe: 'the default outbound' });
    azure.emulator.log.clear();
    return one;
  }

  createService(name: string): Promise<Service> {
    return this.createServiceOf('fairlead.dev/azure-service-gateway', name);
  }

  /** Takes a Service away at once, whatever holds it. */
  async tearOutService(name: string): Promise<void> {
    const key = { namespace: this.namespace, name };
    await this.cluster.client.patchMerge(services, key, { metadata: { finalizers: null } });
    await this.deleteService(name);
  }

  findPod(name: string): Promise<Pod | undefined> {
    return this.cluster.client.find(pods, { namespace: this.namespace, name });
  }

  async relabelPod(name: string, egress: string): Promise<void> {
    const metadata = { labels: { [EGRESS_LABEL]: egress } };
    await this.cluster.client.patchMerge(pods, { namespace: this.namespace, name }, { metadata });
  }

  async untilPodGone(name: string): Promise<void> {
    await eventually(async () => (await this.findPod(name)) === undefined, { describe: `pod ${name} to go` });
  }

  get located(): readonly string[] {
    return this.azure.located(GATEWAY);
  }

  get registered(): readonly string[] {
    return this.azure.registered(GATEWAY);
  }

  /** A public address with the marks that another has, but of this Service: a leftover. */
  leaveAddress(service: string, example: string): void {
    const { emulator } = this.azure;
    const marks = readField(emulator.resource(this.azure.idOf('publicIPAddresses', example)), 'tags') ?? {};
    this.putAddress(`${service}-pip`, { ...marks, 'fairlead-service': service });
  }

  putAddress(name: string, tags: Readonly<Record<string, string>> = {}): void {
    this.azure.emulator.byHand({
      method: 'PUT',
      path: this.azure.idOf('publicIPAddresses', name),
      body: {
        location: 'westeurope',
        tags,
        sku: { name: 'StandardV2' },
        properties: { publicIPAllocationMethod: 'Static' },
      },
    });
  }
}
