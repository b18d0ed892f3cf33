import type { IpAddress } from '@fairlead/control';
import type { Place, ServiceList } from './places.ts';
import type { InboundKey, OutboundKey } from './service-key.ts';

/** Node IP -> address -> services. */
export type LocationView = ReadonlyMap<IpAddress, ReadonlyMap<IpAddress, ServiceList>>;

/** What Kubernetes wants. */
export interface K8sResources {
  readonly services: ReadonlySet<InboundKey>;
  readonly egresses: ReadonlySet<OutboundKey>;
  readonly nodes: LocationView;
}

/** What is there. */
export interface NRPResources {
  readonly loadBalancers: ReadonlySet<InboundKey>;
  readonly natGateways: ReadonlySet<OutboundKey>;
  readonly locations: LocationView;
}

/** One side of the places; those without a service are left out. */
export function locationView(places: Iterable<Place>, servicesOf: (place: Place) => ServiceList): LocationView {
  const view = new Map<IpAddress, Map<IpAddress, ServiceList>>();
  for (const place of places) {
    const services = servicesOf(place);
    if (services.length === 0) continue;
    const addresses = view.get(place.location) ?? new Map<IpAddress, ServiceList>();
    view.set(place.location, addresses.set(place.address, services));
  }
  return view;
}
