import type { VirtualClock } from '@fairlead/control';
import { type Pod, pods, statusOf } from '@fairlead/kube';
import { NAMESPACE, TestCluster } from '@fairlead/part/testing';
import { SERVICE_GATEWAY_CLASS } from '../cluster/desired.ts';
import { EGRESS_LABEL } from '../engine/nrp-key.ts';

/** A cluster whose Services are of our class, and whose user, scheduler and kubelets also see to pods. */
export class GatewayCluster extends TestCluster {
  constructor(clock: VirtualClock) {
    super({ loadBalancerClass: SERVICE_GATEWAY_CLASS }, clock);
  }

  /** Makes a running pod with these addresses. */
  async createPod(name: string, egress: string, node: string, ...addresses: readonly string[]): Promise<Pod> {
    const key = { namespace: NAMESPACE, name };
    const container = { name: 'main', image: 'registry.invalid/main' };
    await this.client.create<Pod>(pods, {
      metadata: { ...key, labels: { [EGRESS_LABEL]: egress } },
      spec: { nodeName: node, containers: [container] },
    });
    return this.setPodAddresses(name, ...addresses);
  }

  async setPodAddresses(name: string, ...addresses: readonly string[]): Promise<Pod> {
    const [podIP] = addresses;
    const status = {
      phase: 'Running',
      podIPs: addresses.map((ip) => ({ ip })),
      ...(podIP === undefined ? {} : { podIP }),
    } as const;
    return this.client.patchMerge<Pod>(statusOf(pods), { namespace: NAMESPACE, name }, { status });
  }

  async labelPod(name: string, egress: string | null): Promise<void> {
    const metadata = { labels: { [EGRESS_LABEL]: egress } };
    await this.client.patchMerge<Pod>(pods, { namespace: NAMESPACE, name }, { metadata });
  }

  /** Deletes the pod as a kubelet does when its containers have ended. */
  async deletePod(name: string): Promise<void> {
    await this.client.delete(pods, { namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
  }

  async pod(name: string): Promise<Pod | undefined> {
    return this.client.find(pods, { namespace: NAMESPACE, name });
  }
}
