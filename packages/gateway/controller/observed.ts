import { parseIpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { L2Port, L2PortId } from './l2-port.ts';
import { recordedL2Ports } from './desired.ts';

/**
 * The L2 ports that a Service is seen with: those its annotation records and those its status shows. They differ when
 * a leader died between the two writes, and nobody else may have either until they agree again.
 */
export function seenL2Ports(service: Service, pool: readonly L2Port[]): readonly L2PortId[] {
  const shown = (service.status?.loadBalancer?.ingress ?? []).flatMap(
    ({ ip }) => parseIpAddress(ip ?? '')?.address ?? [],
  );
  if (shown.length === 0) return recordedL2Ports(service);
  const ids = pool.filter((l2Port) => shown.includes(l2Port.address)).map((l2Port) => l2Port.id);
  return [...new Set([...recordedL2Ports(service), ...ids])];
}
