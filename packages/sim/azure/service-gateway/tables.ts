import type { JsonObject } from '../../json.ts';
import type { ResourceStore } from '../resources/store.ts';
import { type Addresses, type LocationTable, locationChanges } from './locations.ts';
import { type GatewayService, referencesOf, renderService, type ServiceTable, serviceChanges } from './services.ts';

/** What a service gateway knows: its services, and which addresses take part in them, and where. */
export class GatewayTables {
  readonly #gatewayId: string;
  readonly #store: ResourceStore;
  readonly #services = new Map<string, GatewayService>();
  readonly #locations = new Map<string, Addresses>();
  /** How many addresses name a service: asked at each deletion, so not counted then. */
  readonly #uses = new Map<string, number>();

  constructor(gatewayId: string, store: ResourceStore) {
    this.#gatewayId = gatewayId;
    this.#store = store;
  }

  get services(): ServiceTable {
    return this.#services;
  }

  get locations(): LocationTable {
    return this.#locations;
  }

  updateServices(request: JsonObject): void {
    const isMapped = (key: string) => (this.#uses.get(key) ?? 0) > 0;
    for (const [key, service] of serviceChanges(request, this.#services, this.#store, isMapped)) {
      if (service === undefined) this.forgetService(key);
      else this.putService(service);
    }
  }

  updateAddressLocations(request: JsonObject): void {
    for (const [location, addresses] of locationChanges(request, this.#locations, this.#services)) {
      this.#count(this.#locations.get(location), -1);
      this.#count(addresses, 1);
      if (addresses === undefined) this.#locations.delete(location);
      else this.#locations.set(location, addresses);
    }
  }

  /** Without questions: for what Azure itself registers. */
  putService(service: GatewayService): void {
    const key = service.name.toLowerCase();
    this.#services.set(key, service);
    this.#store.references.set(this.#source(key), referencesOf(this.#gatewayId, service));
  }

  /** Without questions, too; the name in lower case. */
  forgetService(key: string): void {
    this.#services.delete(key);
    this.#store.references.delete(this.#source(key));
  }

  clear(): void {
    for (const key of this.#services.keys()) this.forgetService(key);
    this.#locations.clear();
    this.#uses.clear();
  }

  /** As Azure lists them, in a stable order, with the key that pages go by. */
  listServices(): readonly (readonly [string, JsonObject])[] {
    return byKey([...this.#services].map(([key, service]) => [key, renderService(service)]));
  }

  listLocations(): readonly (readonly [string, JsonObject])[] {
    return byKey([...this.#locations].map(([location, addresses]) => [location, this.#render(location, addresses)]));
  }

  #render(addressLocation: string, addresses: Addresses): JsonObject {
    const rendered = [...addresses].map(([address, keys]) => ({
      address,
      services: keys.map((key) => this.#services.get(key)?.name ?? key),
    }));
    return { addressLocation, addresses: rendered };
  }

  #source(key: string): string {
    return `${this.#gatewayId.toLowerCase()}/services/${key}`;
  }

  #count(addresses: Addresses | undefined, by: 1 | -1): void {
    for (const keys of addresses?.values() ?? []) {
      for (const key of keys) this.#uses.set(key, (this.#uses.get(key) ?? 0) + by);
    }
  }
}

function byKey<Value>(entries: readonly (readonly [string, Value])[]): readonly (readonly [string, Value])[] {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}
