import type { Clock } from '@fairlead/control';
import type { DiffTracker } from './difftracker.ts';
import { locatedServices, type RegisteredServices, registeredServices } from './nrp-state.ts';
import { type Spot, NONE } from './places.ts';
import type { Repository, WorldListing } from './repository.ts';
import type { ServiceKey } from './service-key.ts';

/** After so many addresses others get a turn. */
const SLICE = 1_000;

/**
 * Makes what is known be as it was listed, except where requests of our own know better. Gives the services of the
 * gateway, by whose they are.
 */
export async function takeOver(
  listing: WorldListing,
  repository: Repository,
  tracker: DiffTracker,
  isWanted: (key: ServiceKey) => boolean,
  clock: Clock,
): Promise<RegisteredServices> {
  const { scope, inventory } = repository;
  inventory.replaceWith(listing);
  const registered = registeredServices(scope, inventory, isWanted);
  tracker.foreign.clear();
  for (const key of registered.foreign) tracker.foreign.add(key);
  for (const key of registered.ours) tracker.existing.set(key, true);
  const listed = new Set<string>();
  for (const { spot, services } of locatedServices(inventory, listing.locations)) {
    listed.add(textOf(spot));
    tracker.restoreNrp(spot, services, listing.begunAt);
    if (listed.size % SLICE === 0) await clock.turn();
  }
  const isGone = (key: ServiceKey) => inventory.registration(key).state === 'absent';
  let seen = 0;
  for (const place of tracker.programmedPlaces()) {
    if (!listed.has(textOf(place))) tracker.restoreNrp(place, NONE, listing.begunAt);
    tracker.forgetServices(place, isGone, listing.begunAt);
    seen += 1;
    if (seen % SLICE === 0) await clock.turn();
  }
  return registered;
}

function textOf({ location, address }: Spot): string {
  return `${location} ${address}`;
}
