import { renderTable } from '@fairlead/control';
import { keyText, type Service } from '@fairlead/kube';
import { type L2Port, l4PortText } from '../addresses/l2-port.ts';

/** The addresses of the pools, as Services show them: a line for each Service on one, with the ports it has there. */
export function addressLines(l2Ports: readonly L2Port[], services: readonly Service[]): readonly string[] {
  const rows = l2Ports.flatMap(({ ingress, pool }) => {
    const users = services.flatMap((service) => userOf(service, ingress) ?? []);
    return users.length === 0
      ? [[pool, ingress, '', 'free']]
      : users.map(({ ports, name }) => [pool, ingress, ports, name]);
  });
  return renderTable([['POOL', 'ADDRESS', 'PORTS', 'SERVICE'], ...rows]);
}

/** A Service on an address; a port with an error was not given to it. */
function userOf(
  { metadata, status }: Service,
  address: string,
): { readonly ports: string; readonly name: string } | undefined {
  const shown = status?.loadBalancer?.ingress?.find(({ ip }) => ip === address);
  if (shown === undefined) return undefined;
  const ports = (shown.ports ?? []).filter(({ error }) => error === undefined).map(l4PortText);
  return { ports: ports.join(','), name: keyText(metadata) };
}
