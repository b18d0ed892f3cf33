import type { IpAddress } from '@fairlead/control';
import { parseIpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { DesiredServiceStatus, IngressPoint } from '@fairlead/service';
import type { WantedService } from './desired.ts';
import type { KnownAddresses } from './security-rules.ts';

/** In the order of the families. */
export function servedAddresses({ families }: WantedService, addresses: KnownAddresses): readonly IpAddress[] {
  return families.flatMap((family) => addresses[family] ?? []);
}

export function servedStatus(addresses: readonly IpAddress[]): DesiredServiceStatus {
  return {
    ingress: addresses.map((address) => ({ address, mode: 'VIP' })),
    programmed: { status: 'True', reason: 'AddressAssigned', message: `Reachable at ${addresses.join(' and ')}.` },
  };
}

/** A Service that was served before keeps what it has, address included. */
export function refusedStatus(service: Service, code: string, message: string): DesiredServiceStatus {
  const ingress = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }): readonly IngressPoint[] => {
    const address = parseIpAddress(ip ?? '')?.address;
    return address === undefined ? [] : [{ address, mode: 'VIP' }];
  });
  return { ingress, programmed: { status: 'False', reason: reasonOf(code), message: `Refused: ${message}.` } };
}

/** `no-load-balancer` as a condition's reason: `NoLoadBalancer`. */
function reasonOf(code: string): string {
  return code
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
