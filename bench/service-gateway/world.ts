/**
 * The world that both sides of the bench have before they are measured: Services with as many addresses each, spread
 * over nodes, all of it in step with Azure. The peer makes the same one; see its world.go.
 */
import { type IpAddress, requireIpAddress } from '@fairlead/control';

export const ADDRESSES_PER_SERVICE = 25;
const ADDRESSES_PER_NODE = 100;

/** Address -> node IP: what the engine takes as the endpoints of a Service. */
type Endpoints = ReadonlyMap<IpAddress, IpAddress>;

export class BenchWorld {
  readonly services: number;
  readonly #addresses: number;
  /** Service -> the pod that took the place of its first one. */
  readonly #replacements = new Map<number, number>();

  constructor(addresses: number) {
    this.#addresses = addresses;
    this.services = addresses / ADDRESSES_PER_SERVICE;
  }

  uid(service: number): string {
    return `5e4f1ce0-0000-4000-8000-${service.toString(16).padStart(12, '0')}`;
  }

  endpoints(service: number): Endpoints {
    const first = service * ADDRESSES_PER_SERVICE;
    const pods = Array.from({ length: ADDRESSES_PER_SERVICE }, (_, index) => first + index);
    pods[0] = this.#replacements.get(service) ?? first;
    return new Map(pods.map((pod) => [this.#address(pod), this.#node(pod)]));
  }

  /** One pod of the Service is replaced by another, on another node: one address goes, one comes. */
  replacePod(service: number, change: number): void {
    this.#replacements.set(service, this.#addresses + change);
  }

  #address(pod: number): IpAddress {
    return requireIpAddress(`10.${64 + (pod >> 16)}.${(pod >> 8) & 255}.${pod & 255}`);
  }

  #node(pod: number): IpAddress {
    const node = pod % (this.#addresses / ADDRESSES_PER_NODE);
    return requireIpAddress(`10.0.${node >> 8}.${node & 255}`);
  }
}
