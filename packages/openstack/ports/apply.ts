import type { Step } from '@fairlead/control';
import { ifUnchanged, type NeutronClient } from '../client/index.ts';
import type { PortStep } from './plan.ts';

/** The call of each step, and what happens if the process dies right after it. */
const ABOUT = {
  'create-port': ['POST ports', 'The port carries our mark: the next list finds it, and CleanUnusedPorts deletes it.'],
  'tag-port': ['PUT tags', 'The port is complete but for its floating IP: the next pass goes on with it.'],
  'create-floating-ip': ['POST floatingips', 'It is on its port and carries our mark: the next pass tags it.'],
  'tag-floating-ip': ['PUT tags', 'All is there: the next pass has nothing to do.'],
  'assign-floating-ip': ['PUT floatingips', 'All is there: the next pass has nothing to do.'],
  'set-address-pairs': ['PUT ports', 'The next pass finds the pairs as they should be.'],
  'delete-port': ['DELETE ports', 'Its floating IP is left without a port: the next CleanUnusedPorts deletes it.'],
  'delete-floating-ip': ['DELETE floatingips', 'It is gone: the next pass has nothing to do.'],
} as const satisfies Readonly<Record<PortStep['kind'], readonly [call: string, ifItDiesHere: string]>>;

export function toStep(neutron: NeutronClient, step: PortStep): Step {
  const [call, ifItDiesHere] = ABOUT[step.kind];
  return { name: step.kind, call, ifItDiesHere, run: (signal) => send(neutron, step, signal) };
}

async function send(neutron: NeutronClient, step: PortStep, signal: AbortSignal): Promise<void> {
  switch (step.kind) {
    case 'create-port':
      return void (await neutron.createPort(step.body, { signal }));
    case 'tag-port':
      return void (await neutron.setPortTags(step.id, step.tags, { signal }));
    case 'create-floating-ip':
      return void (await neutron.createFloatingIp(step.body, { signal }));
    case 'tag-floating-ip':
      return void (await neutron.setFloatingIpTags(step.id, step.tags, { signal }));
    case 'assign-floating-ip':
      return void (await neutron.updateFloatingIp(step.id, { port_id: step.portId }, ifUnchanged(step, signal)));
    case 'set-address-pairs':
      return void (await neutron.updatePort(step.id, { allowed_address_pairs: step.pairs }, ifUnchanged(step, signal)));
    case 'delete-port':
      return neutron.deletePort(step.id, ifUnchanged(step, signal));
    case 'delete-floating-ip':
      return neutron.deleteFloatingIp(step.id, ifUnchanged(step, signal));
  }
}
