import { type EndpointSlice, keyText, type ObjectKey, SERVICE_NAME_LABEL } from '@fairlead/kube';
import { type EndpointHost, type GatheredEndpoints, gatherEndpoints, gatherHosts } from './endpoints.ts';

/** What is known of one Service; the gathered forms are made when asked for and dropped when a slice changes. */
interface ServiceEntry {
  /** Slice key -> slice. */
  readonly slices: Map<string, EndpointSlice>;
  endpoints?: GatheredEndpoints | undefined;
  hosts?: readonly EndpointHost[] | undefined;
}

const NO_ENDPOINTS: GatheredEndpoints = { ports: [], problems: [] };
const NO_HOSTS: readonly EndpointHost[] = [];

/**
 * The slices of every Service, as a watch reports them. A change costs the gathering of the one Service it
 * belongs to, on the next question about it; all others keep what was gathered before.
 */
export class EndpointIndex {
  /** Service key -> what is known of it; none without slices. */
  readonly #services = new Map<string, ServiceEntry>();
  /** Slice key -> the key of the Service that it was last seen under. */
  readonly #serviceOfSlice = new Map<string, string>();

  /** Takes a new or changed slice. Returns the keys of the Services it affects: two, when it changed hands. */
  set(slice: EndpointSlice): readonly string[] {
    const sliceKey = keyText(slice.metadata);
    const before = this.#serviceOfSlice.get(sliceKey);
    const after = serviceKeyOf(slice);
    if (before !== undefined && before === after && this.#isKnown(before, sliceKey, slice)) return [];
    if (before !== undefined && before !== after) this.#remove(before, sliceKey);
    if (after !== undefined) this.#add(after, sliceKey, slice);
    return [...new Set([before, after])].filter((key) => key !== undefined);
  }

  /** Forgets a slice. Returns the keys of the Services that affects. */
  delete(slice: ObjectKey): readonly string[] {
    const sliceKey = keyText(slice);
    const before = this.#serviceOfSlice.get(sliceKey);
    if (before === undefined) return [];
    this.#remove(before, sliceKey);
    return [before];
  }

  /** The endpoints behind a Service, for each of its ports. */
  endpoints(service: ObjectKey): GatheredEndpoints {
    const entry = this.#services.get(keyText(service));
    if (entry === undefined) return NO_ENDPOINTS;
    entry.endpoints ??= gatherEndpoints(entry.slices.values());
    return entry.endpoints;
  }

  /** The addresses behind a Service, whatever the port. */
  hosts(service: ObjectKey): readonly EndpointHost[] {
    const entry = this.#services.get(keyText(service));
    if (entry === undefined) return NO_HOSTS;
    entry.hosts ??= gatherHosts(entry.slices.values());
    return entry.hosts;
  }

  /** A relist reports everything once more: what has the same version has not changed. */
  #isKnown(serviceKey: string, sliceKey: string, slice: EndpointSlice): boolean {
    const { resourceVersion } = slice.metadata;
    const known = this.#services.get(serviceKey)?.slices.get(sliceKey);
    return resourceVersion !== undefined && known?.metadata.resourceVersion === resourceVersion;
  }

  #add(serviceKey: string, sliceKey: string, slice: EndpointSlice): void {
    const slices = this.#services.get(serviceKey)?.slices ?? new Map<string, EndpointSlice>();
    slices.set(sliceKey, slice);
    this.#services.set(serviceKey, { slices });
    this.#serviceOfSlice.set(sliceKey, serviceKey);
  }

  #remove(serviceKey: string, sliceKey: string): void {
    this.#serviceOfSlice.delete(sliceKey);
    const slices = this.#services.get(serviceKey)?.slices;
    if (slices === undefined) return;
    slices.delete(sliceKey);
    if (slices.size === 0) this.#services.delete(serviceKey);
    else this.#services.set(serviceKey, { slices });
  }
}

/** The Service a slice says it belongs to; its owner reference does not matter, as to kube-proxy. */
function serviceKeyOf(slice: EndpointSlice): string | undefined {
  const name = slice.metadata.labels?.[SERVICE_NAME_LABEL];
  if (name === undefined || name === '') return undefined;
  const { namespace } = slice.metadata;
  return keyText(namespace === undefined ? { name } : { namespace, name });
}
