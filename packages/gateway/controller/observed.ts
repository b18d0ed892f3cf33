import { parseIpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { Allocator } from './allocation.ts';
import { l4PortsOf, recordedL2Ports, recordedL4Ports } from './desired.ts';
import type { L2PortId, L4Port } from './l2-port.ts';

/**
 * What a Service is seen with. What its annotation records and what its status shows differ when a leader died between
 * the two writes, or somebody else wrote one of them; until they agree again nobody else may have either.
 */
export interface SeenHolding {
  /** Surest first: recorded and shown, recorded only, shown only. */
  readonly l2Ports: readonly [readonly L2PortId[], readonly L2PortId[], readonly L2PortId[]];
  readonly l4Ports: readonly L4Port[];
}

export function seenHolding(service: Service, allocator: Allocator): SeenHolding {
  const recorded = recordedL2Ports(service);
  const addresses = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => parseIpAddress(ip ?? '') ?? []);
  const shown = addresses.flatMap(({ address }) => allocator.at(address)?.id ?? []);
  const l4Ports = recordedL4Ports(service);
  return {
    l2Ports: [
      recorded.filter((id) => shown.includes(id)),
      recorded.filter((id) => !shown.includes(id)),
      shown.filter((id) => !recorded.includes(id)),
    ],
    l4Ports: l4Ports.length === 0 ? l4PortsOf(service) : l4Ports,
  };
}
