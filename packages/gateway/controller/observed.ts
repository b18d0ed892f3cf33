import type { Service } from '@fairlead/kube';
import { shownAddresses } from '@fairlead/service';
import type { Allocator } from './addresses/allocation.ts';
import type { L2PortId, L4Port } from './addresses/l2-port.ts';
import { recordedL2Ports, recordedL4Ports } from './desired.ts';

/**
 * What a Service is seen with. What its annotation records and what its status shows differ when a leader died between
 * the two writes, or another client wrote one of them; until they agree again no other Service may have either.
 */
export interface SeenHolding {
  /** Surest first: recorded and shown, recorded only, shown only. */
  readonly l2Ports: readonly [readonly L2PortId[], readonly L2PortId[], readonly L2PortId[]];
  readonly l4Ports: readonly L4Port[];
}

/** `ownPorts` are the ports that the Service asks for: what it has where no record says otherwise. */
export function seenHolding(service: Service, ownPorts: readonly L4Port[], allocator: Allocator): SeenHolding {
  const recorded = recordedL2Ports(service);
  const shown = shownAddresses(service).flatMap((address) => allocator.at(address)?.id ?? []);
  const l4Ports = recordedL4Ports(service);
  return {
    l2Ports: [
      recorded.filter((id) => shown.includes(id)),
      recorded.filter((id) => !shown.includes(id)),
      shown.filter((id) => !recorded.includes(id)),
    ],
    l4Ports: l4Ports.length === 0 ? ownPorts : l4Ports,
  };
}
