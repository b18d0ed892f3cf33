import type { ServiceImport } from '@fairlead/clusterset/mcs';
import { parseIpAddress } from '@fairlead/control';
import type { Protocol } from '@fairlead/kube';

/** A port under which a Service, or one endpoint, can be asked for by SRV. */
export interface ServedPort {
  /** Empty for the only one, which needs no name. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

type ImportSpec = ServiceImport['spec'];

/** Of one ServiceImport: no reply has room for more. */
const MOST_PORTS = 1_000;
/** Controllers write one for each family; a user who writes the import may have named any number. */
const MOST_ADDRESSES = 16;

/** The ports that a ServiceImport names, and what was left out. */
export function importedPorts({ ports }: ImportSpec) {
  const all = ports ?? [];
  return { ports: portsOf(all.slice(0, MOST_PORTS)), leftOut: beyond('ports', all.length, MOST_PORTS) };
}

/** The addresses that a ServiceImport names, and what was left out. */
export function importedAddresses({ ips = [] }: ImportSpec) {
  const addresses = ips.slice(0, MOST_ADDRESSES).flatMap((text) => parseIpAddress(text) ?? []);
  return { addresses, leftOut: beyond('addresses', ips.length, MOST_ADDRESSES) };
}

function beyond(what: string, count: number, most: number): readonly string[] {
  return count > most ? [`${count - most} ${what} of the ServiceImport: they are more than ${most}`] : [];
}

/** What has no number, or one that is none, cannot be told by SRV. */
export function portsOf(
  ports: readonly { readonly name?: string; readonly protocol?: Protocol; readonly port?: number }[],
): readonly ServedPort[] {
  return ports.flatMap(({ name = '', protocol = 'TCP', port }) => (isPort(port) ? [{ name, protocol, port }] : []));
}

function isPort(port: number | undefined): port is number {
  return port !== undefined && Number.isInteger(port) && port > 0 && port <= 65_535;
}

export function distinctPorts(ports: readonly ServedPort[]): readonly ServedPort[] {
  const byKey = new Map(ports.map((port) => [portKey(port), port]));
  return [...byKey].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, port]) => port);
}

export function portKey({ name, protocol, port }: ServedPort): string {
  return `${name} ${protocol} ${port}`;
}
