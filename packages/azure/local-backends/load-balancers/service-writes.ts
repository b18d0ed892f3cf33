import type { IpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { type DesiredServiceStatus, programmed, type Refusal, refused, shownAddresses } from '@fairlead/service';
import type { WantedService } from './desired.ts';
import type { KnownAddresses } from './security-rules.ts';

/** In the order of the families. */
export function servedAddresses({ families }: WantedService, addresses: KnownAddresses): readonly IpAddress[] {
  return families.flatMap((family) => addresses[family] ?? []);
}

export function servedStatus(addresses: readonly IpAddress[]): DesiredServiceStatus {
  return { ingress: addresses.map((address) => ({ address, mode: 'VIP' })), programmed: programmed(addresses) };
}

/** A Service that was served before keeps what it has, address included. */
export function refusedStatus(service: Service, refusal: Refusal): DesiredServiceStatus {
  const ingress = shownAddresses(service).map((address) => ({ address, mode: 'VIP' }) as const);
  return { ingress, programmed: refused(refusal) };
}
