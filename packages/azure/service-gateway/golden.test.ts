import { codeOf, messageOf, VirtualClock } from '@fairlead/control';
import { GoldenFolder } from '@fairlead/control/testing';
import {
  type EndpointSlice,
  endpointSlices,
  keyText,
  nodes,
  type Pod,
  pods,
  type Service,
  services,
} from '@fairlead/kube';
import { documentsOf } from '@fairlead/kube/testing';
import { gatherEndpoints, gatherHosts } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { Inventory } from './cloud/inventory.ts';
import { planCreation, planDeletion } from './cloud/plan.ts';
import { gatewayRules, desiredFor, nrpKeyOf, serve } from './cluster/desired.ts';
import { type EgressPolicy, egressRequest } from './cluster/egress-pod.ts';
import { NodeDirectory } from './cluster/node-directory.ts';
import { egressName, outboundKey } from './engine/nrp-key.ts';
import type { ServiceSpec } from './engine/service-spec.ts';
import { scope } from './testing/azure-bench.ts';

const NOW = Date.UTC(2026, 0, 3);
const POLICY: EgressPolicy = new Map([[egressName('vault'), new Set(['bank'])]]);
const nothingThere = () => new Inventory(new VirtualClock());

/** What each Service and pod comes to in Azure, as long as nothing is there yet. */
function translate(documents: readonly unknown[]): unknown {
  const directory = new NodeDirectory();
  for (const node of documentsOf(nodes, documents)) directory.set(node);
  const slices = documentsOf(endpointSlices, documents);
  return {
    services: documentsOf(services, documents).map((service) => ({
      service: keyText(service.metadata),
      ...inbound(
        service,
        slices.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service.metadata.name),
        directory,
      ),
    })),
    pods: documentsOf(pods, documents).map((pod) => ({ pod: keyText(pod.metadata), ...outbound(pod, directory) })),
  };
}

function inbound(service: Service, slices: readonly EndpointSlice[], nodes: NodeDirectory): object {
  const desired = desiredFor(service, gatewayRules(undefined));
  if (desired.kind === 'unreadable') throw desired.error;
  if (desired.kind === 'refuse') return { refused: desired.refusal.code, because: desired.refusal.message };
  if (desired.kind === 'release')
    return { release: planDeletion({ scope, inventory: nothingThere() }, nrpKeyOf(service)) };
  if (desired.kind === 'foreign') return { foreign: desired.claim.sentence };
  const { spec, located, ignored } = serve(desired.wanted, gatherEndpoints(slices), gatherHosts(slices), nodes);
  return {
    ...created(spec),
    locations: Object.fromEntries(located.endpoints),
    ...(ignored === undefined ? {} : { ignored }),
  };
}

function outbound(pod: Pod, nodes: NodeDirectory): object {
  const request = egressRequest(pod, POLICY, NOW);
  if (request.kind === 'gone') return { gone: request.addresses };
  if (request.kind === 'unreadable') throw request.error;
  if (request.kind === 'refused') return { refused: codeOf(request.error), because: messageOf(request.error) };
  const addressKeys = request.addresses.flatMap((address) => nodes.addressKeyOf(address, request.nodeName) ?? []);
  return {
    ...created({ key: outboundKey(request.name), families: ['IPv4', 'IPv6'], isDefault: false }),
    locations: Object.fromEntries(addressKeys.map(({ address, location }) => [address, location])),
  };
}

function created(spec: ServiceSpec): object {
  const { prepare, register } = planCreation({ scope, inventory: nothingThere() }, spec);
  return {
    prepare: prepare.map((step) => ({
      call: `${step.kind} ${step.id}`,
      ...('body' in step ? { body: step.body } : {}),
    })),
    register,
  };
}

describe('what Services and pods come to in Azure', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, translate);
    expect(actual).toBe(expected);
  });
});
