import { familyOf, type IpAddress, type IpFamily, parseIpAddress } from '@fairlead/control';
import type { FloatingIp, Port } from '../client/index.ts';
import { isMarkedOurs, poolOf } from './owner.ts';
import type { PortScope } from './pool.ts';

/** What is there, ours and that of others. */
export interface Observed {
  readonly ports: readonly Port[];
  readonly floatingIps: readonly FloatingIp[];
}

/** A port of ours with its one address. */
export interface OwnPort {
  readonly port: Port;
  readonly pool: string;
  readonly family: IpFamily;
  /** What the agents program. */
  readonly fixedAddress: IpAddress;
  /** Of whoever made it: a user may have given one to our port. */
  readonly floatingIp: FloatingIp | undefined;
  /** What the status shows: the floating IP where there is one. */
  readonly address: IpAddress;
}

/** The ports that are ours, in the order of their ids. */
export function ownPorts(scope: PortScope, { ports, floatingIps }: Observed): readonly OwnPort[] {
  const byPort = new Map(floatingIps.flatMap((one) => (one.port_id === null ? [] : [[one.port_id, one] as const])));
  return ports
    .filter((port) => isMarkedOurs(scope, port))
    .flatMap((port) => {
      const fixedAddress = parseIpAddress(port.fixed_ips[0]?.ip_address ?? '')?.address;
      const pool = poolOf(port);
      if (fixedAddress === undefined || pool === undefined) return [];
      const floatingIp = byPort.get(port.id);
      const address = parseIpAddress(floatingIp?.floating_ip_address ?? '')?.address ?? fixedAddress;
      return [{ port, pool, family: familyOf(fixedAddress), fixedAddress, floatingIp, address }];
    })
    .toSorted((left, right) => (left.port.id < right.port.id ? -1 : 1));
}
