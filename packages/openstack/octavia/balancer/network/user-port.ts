import { parseIpAddress } from '@fairlead/control';
import { refusal } from '@fairlead/service';
import type { FloatingIp, LoadBalancer, Port } from '../../../client/index.ts';
import type { DesiredVip } from '../desired.ts';
import { type BalancerOwner, isOwn, readMark } from '../marks.ts';

/** A port that a Service asks for, and what is there. */
export interface UserPort {
  readonly port: Port | undefined;
  readonly balancers: readonly LoadBalancer[];
  readonly floatingIps: readonly FloatingIp[];
  /** Of Services that are served there, be it that their load balancer is being made anew. */
  readonly serviceUids: readonly string[];
}

/**
 * A VIP on the port of a machine, a router or another Service would take its address, and its traffic, away. Octavia
 * writes nothing on a port that it is given: only its load balancers, and the floating IP that we made, tell of it.
 */
export function requireFree(
  owner: BalancerOwner,
  { portId: id, address }: Extract<DesiredVip, { kind: 'port' }>,
  { port, ...there }: UserPort,
): void {
  if (port === undefined) throw refusal('port-unknown', `it asks for the port ${id}, which does not exist`);
  const user = userOf(owner, port, there);
  if (user !== undefined) throw refusal('port-unavailable', `it asks for the port ${id}, which ${user}`);
  const has = port.fixed_ips.map(({ ip_address }) => parseIpAddress(ip_address)?.address);
  if (address === undefined || has.some((one) => one === address)) return;
  const message = `it asks for the address ${address}, and the port ${id}, which it asks for, has ${has.join(', ')}`;
  throw refusal('address-unavailable', message);
}

function userOf(
  owner: BalancerOwner,
  port: Port,
  { balancers, floatingIps, serviceUids }: Omit<UserPort, 'port'>,
): string | undefined {
  const { device_id, device_owner } = port;
  if (device_id !== '' || device_owner !== '') return `${[device_owner, device_id].join(' ').trim()} has`;
  if (readMark(port) !== undefined) return 'Fairlead made for another';
  const [balancer] = balancers;
  if (balancer !== undefined) return `the load balancer ${balancer.id} has`;
  if (serviceUids.some((uid) => uid !== owner.uid)) return 'another Service has';
  const isOfAnother = (one: FloatingIp) => readMark(one) !== undefined && !isOwn(one, owner);
  return floatingIps.some(isOfAnother) ? 'has the floating IP of another' : undefined;
}

/**
 * Nothing is made on a port between the look whether it is free and what is made there. Nobody waits for that: a tenant may
 * have many ask for one port, and they would keep others from being looked at.
 */
export class PortTurns {
  readonly #taken = new Set<string>();

  /** False where another has its turn. */
  async run(portId: string, make: () => Promise<void>): Promise<boolean> {
    if (this.#taken.has(portId)) return false;
    this.#taken.add(portId);
    try {
      await make();
    } finally {
      this.#taken.delete(portId);
    }
    return true;
  }
}
