import type { IpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { shownAddresses } from '@fairlead/service';
import type { Allocator } from './addresses/allocation.ts';
import type { SeenHolding } from './addresses/allocation-request.ts';
import { type L2Port, type L4Port, l4PortText } from './addresses/l2-port.ts';
import { l2PortAt } from './addresses/static-addresses.ts';
import { recordedHolding } from './desired.ts';

/**
 * What a Service is seen with, by who can have written it. Its status is ours alone to write, with the ports that were
 * given on each address; its annotations are its owner's to write as well, and count only for what a leader recorded
 * that died before it wrote the status.
 */
export interface SeenHoldings {
  /** In the status, with its ports. */
  readonly shown: SeenHolding | undefined;
  /** In the status without ports, as an older version wrote it: only the ports that the Service records and asks for. */
  readonly shownWithoutPorts: SeenHolding | undefined;
  /** Recorded, and not in the status: only the ports that the Service asks for. */
  readonly recorded: SeenHolding | undefined;
}

/** `asked` are the ports of the Service, none where it cannot be read. */
export function seenHoldings(service: Service, asked: readonly L4Port[], allocator: Allocator): SeenHoldings {
  const l2Ports = shownAddresses(service).flatMap((address) => allocator.at(address)?.id ?? []);
  const shownPorts = shownL4Ports(service);
  const record = recordedHolding(service, asked);
  const recordedTexts = new Set(record.l4Ports.map(l4PortText));
  const plausible = asked.filter((port) => recordedTexts.has(l4PortText(port)));
  // What is in no pool is kept from nobody, and costs nothing, whatever an owner writes.
  const unshown = record.l2Ports.filter((id) => !l2Ports.includes(id) && allocator.has({ id }));
  return {
    shown: shownPorts.length > 0 ? holding(l2Ports, shownPorts) : undefined,
    shownWithoutPorts: shownPorts.length > 0 ? undefined : holding(l2Ports, plausible),
    recorded: holding(unshown, plausible),
  };
}

/**
 * What a Service shows, as something to be served: until it shows something else, its gateways go on with it. An address
 * that is in no pool any more is served by the gateways of the pool that the Service would be on now.
 */
export function shownServing(
  service: Service,
  allocator: Allocator,
  pool: string | undefined,
): { readonly l2Ports: readonly L2Port[]; readonly l4Ports: readonly L4Port[] } {
  const inNoPool = (address: IpAddress) => (pool === undefined ? undefined : l2PortAt(address, pool));
  const l2Ports = shownAddresses(service).flatMap((address) => allocator.at(address) ?? inNoPool(address) ?? []);
  return { l2Ports, l4Ports: shownL4Ports(service) };
}

/** The ports of the first address, as we write them: those with an error were not given. */
function shownL4Ports({ status }: Service): readonly L4Port[] {
  const [first] = status?.loadBalancer?.ingress ?? [];
  return (first?.ports ?? []).flatMap(({ port, protocol, error }) => (error === undefined ? [{ port, protocol }] : []));
}

function holding(l2Ports: SeenHolding['l2Ports'], l4Ports: readonly L4Port[]): SeenHolding | undefined {
  return l2Ports.length === 0 || l4Ports.length === 0 ? undefined : { l2Ports, l4Ports };
}
