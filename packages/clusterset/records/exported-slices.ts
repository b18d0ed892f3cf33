import type { Endpoint, EndpointPort, EndpointSlice, IpFamily, Service } from '@fairlead/kube';
import { familyOf, parseIpAddress, picked } from '@fairlead/control';
import { isBacked, isHeadless } from './local-export.ts';
import { suffixFor } from './names.ts';

/** An EndpointSlice as a cluster exports it, whatever it is called where it lies. */
export interface ExportedSlice {
  /** Tells the slices of one cluster and Service apart. */
  readonly suffix: string;
  readonly addressType: IpFamily;
  readonly endpoints: readonly Endpoint[];
  readonly ports: readonly EndpointPort[];
}

/**
 * The VIP of each family, or nothing where no pod backs the Service there; for a headless Service one slice for each
 * of its own, so that a pod that comes or goes changes one.
 */
export function exportedSlices(service: Service, slices: readonly EndpointSlice[]): readonly ExportedSlice[] {
  return isHeadless(service)
    ? slices.flatMap((slice) => podSlice(slice, exportedEndpoint))
    : vipSlices(service, slices);
}

function vipSlices({ spec }: Service, slices: readonly EndpointSlice[]): readonly ExportedSlice[] {
  const ports = (spec.ports ?? []).map(({ name = '', protocol = 'TCP', port, appProtocol }) => ({
    name,
    protocol,
    port,
    ...(appProtocol !== undefined && { appProtocol }),
  }));
  return (spec.clusterIPs ?? []).flatMap((vip): readonly ExportedSlice[] => {
    const address = parseIpAddress(vip)?.address;
    if (address === undefined) return [];
    const addressType = familyOf(address);
    const endpoints = isBacked(slices, addressType) ? [{ addresses: [address], conditions: { ready: true } }] : [];
    return [{ suffix: addressType.toLowerCase(), addressType, endpoints, ports }];
  });
}

/** A slice of pods, with what `copy` takes of each of them; none where it has names instead of addresses. */
export function podSlice(
  { metadata, addressType, endpoints, ports }: EndpointSlice,
  copy: (endpoint: Endpoint) => Endpoint,
): readonly ExportedSlice[] {
  if (addressType === 'FQDN') return [];
  const copied = (endpoints ?? []).map(copy);
  return [{ suffix: suffixFor(metadata.name), addressType, endpoints: copied, ports: ports ?? [] }];
}

/** Nodes and Pods mean nothing in another cluster, or others; host names and zones do. */
export function exportedEndpoint(endpoint: Endpoint): Endpoint {
  return { addresses: endpoint.addresses, ...picked(endpoint, ['conditions', 'hostname', 'zone']) };
}
