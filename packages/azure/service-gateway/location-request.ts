import type { AddressLocationChange, UpdateAddressLocationsRequest } from '../arm/index.ts';
import type { AddressUpdate } from './difftracker.ts';
import type { Place } from './places.ts';
import { LONGEST_EGRESS_NAME, nrpName } from './service-key.ts';

/** The request for these updates: each location once, with all its addresses in it. */
export function toLocationRequest(updates: readonly AddressUpdate[]): UpdateAddressLocationsRequest {
  const byLocation = Map.groupBy(updates, ({ place }) => place.location);
  return {
    action: 'PartialUpdate',
    addressLocations: [...byLocation].map(
      ([addressLocation, updatesThere]): AddressLocationChange => ({
        addressLocation,
        addressUpdateAction: 'PartialUpdate',
        addresses: updatesThere.map(({ place, services }) => ({
          address: place.address,
          services: services.map(nrpName),
        })),
      }),
    ),
  };
}

/** What a location, an address and a name take beside their own text. */
const LOCATION_OVERHEAD = 80;
const ADDRESS_OVERHEAD = 32;
const NAME_OVERHEAD = 3;

/** How much of a request a place takes at most: as if its location were written for it alone. */
export function sizeInRequest({ location, address, inbound, nrp }: Place): number {
  let names = LONGEST_EGRESS_NAME;
  // The key of a service is longer than its name.
  for (const key of inbound) names += key.length + NAME_OVERHEAD;
  for (const key of nrp) names += key.length + NAME_OVERHEAD;
  return LOCATION_OVERHEAD + location.length + ADDRESS_OVERHEAD + address.length + names;
}
