import { familyOf, type IpAddress, type IpFamily, parseIpAddress } from '@fairlead/control';
import type { FloatingIp, Port } from '../client/index.ts';
import { isNamed, poolNaming } from './named.ts';
import { isMarkedOurs, poolOf } from './owner.ts';
import type { PortScope } from './pool.ts';

/** What is there, ours and that of others. */
export interface Observed {
  readonly ports: readonly Port[];
  readonly floatingIps: readonly FloatingIp[];
}

/** A port of ours, or of a user for us, with its one address. */
export interface OwnPort {
  readonly port: Port;
  /** A user made it: it stays as it is. */
  readonly isOfUser: boolean;
  /** It, or its floating IP, is named: it stays also while no Service is on it. */
  readonly stays: boolean;
  readonly pool: string;
  readonly family: IpFamily;
  /** What the agents program. */
  readonly fixedAddress: IpAddress;
  /** Ours, or one that a user has put on our port. */
  readonly floatingIp: FloatingIp | undefined;
  /** What the status shows: the floating IP where there is one. */
  readonly address: IpAddress;
}

/** Those that users made for us first, then those that are ours, each in the order of their ids. */
export function ownPorts(scope: PortScope, { ports, floatingIps }: Observed): readonly OwnPort[] {
  const byPort = Map.groupBy(floatingIps, ({ port_id }) => port_id);
  return ports
    .flatMap((port) => {
      const fixedAddress = parseIpAddress(port.fixed_ips[0]?.ip_address ?? '')?.address;
      const naming = poolNaming(scope, port);
      const pool = isMarkedOurs(scope, port) ? poolOf(port) : naming;
      if (fixedAddress === undefined || pool === undefined) return [];
      // A user may give the port more addresses, and a floating IP to each.
      const isItsOwn = ({ fixed_ip_address: leadsTo }: FloatingIp) =>
        leadsTo === null || parseIpAddress(leadsTo)?.address === fixedAddress;
      const floatingIp = byPort.get(port.id)?.find(isItsOwn);
      const address = parseIpAddress(floatingIp?.floating_ip_address ?? '')?.address ?? fixedAddress;
      const isOfUser = naming !== undefined;
      const stays = isOfUser || (floatingIp !== undefined && isNamed(scope, floatingIp));
      return [{ port, pool, isOfUser, stays, family: familyOf(fixedAddress), fixedAddress, floatingIp, address }];
    })
    .toSorted((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
}

function orderOf({ isOfUser, port }: OwnPort): string {
  return `${isOfUser ? 0 : 1} ${port.id}`;
}
