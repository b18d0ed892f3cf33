import { ifUnchanged, type NeutronClient, type PortRequest } from '../../../client/index.ts';
import type { FloatingIpStep } from './floating-ips.ts';
import type { Heir } from '../sharing/sharers.ts';

/** One change in Neutron. */
export type NetworkStep =
  | FloatingIpStep
  | { readonly kind: 'create-vip-port'; readonly body: PortRequest }
  | { readonly kind: 'delete-vip-port'; readonly id: string }
  /** To a Service that shares the load balancer with one that leaves. */
  | {
      readonly kind: 'hand-over-vip-port';
      readonly id: string;
      readonly name: string;
      readonly description: string;
      readonly heir: Heir;
    };

const KINDS: Readonly<Record<NetworkStep['kind'], true>> = {
  'create-vip-port': true,
  'delete-vip-port': true,
  'hand-over-vip-port': true,
  'hand-over-floating-ip': true,
  'create-floating-ip': true,
  'assign-floating-ip': true,
  'detach-floating-ip': true,
  'give-away-floating-ip': true,
  'delete-floating-ip': true,
};

export function isNetworkStep(step: { readonly kind: string }): step is NetworkStep {
  return step.kind in KINDS;
}

export async function performNetworkStep(
  neutron: NeutronClient,
  step: NetworkStep,
  signal: AbortSignal,
): Promise<void> {
  switch (step.kind) {
    case 'create-vip-port':
      return void (await neutron.createPort(step.body, { signal }));
    case 'delete-vip-port':
      return neutron.deletePort(step.id, { signal });
    case 'hand-over-vip-port': {
      const { id, name, description } = step;
      return void (await neutron.updatePort(id, { name, description }, { signal, notFound: 'stale' }));
    }
    case 'hand-over-floating-ip':
      return void (await neutron.updateFloatingIp(
        step.id,
        { description: step.description },
        ifUnchanged(step, signal),
      ));
    case 'create-floating-ip':
      return void (await neutron.createFloatingIp(step.body, { signal }));
    case 'assign-floating-ip':
      return void (await neutron.updateFloatingIp(step.id, { port_id: step.portId }, ifUnchanged(step, signal)));
    case 'detach-floating-ip':
      return void (await neutron.updateFloatingIp(step.id, { port_id: null }, ifUnchanged(step, signal)));
    case 'give-away-floating-ip':
      return void (await neutron.updateFloatingIp(step.id, { description: '' }, ifUnchanged(step, signal)));
    case 'delete-floating-ip':
      return neutron.deleteFloatingIp(step.id, ifUnchanged(step, signal));
  }
}
