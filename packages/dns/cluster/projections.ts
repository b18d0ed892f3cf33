import { SERVICE_NAME, type ServiceImport, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import type { EndpointSlice, ObjectMeta } from '@fairlead/kube';

/* What the caches keep: nothing that the zone is not made of. */

export function keptImport({ metadata, spec }: ServiceImport): ServiceImport {
  const { labels, annotations } = metadata;
  const kept = { ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) };
  if (spec === undefined) return { metadata: { ...identity(metadata), ...kept }, spec };
  const { type, ports, ips } = spec;
  return { metadata: { ...identity(metadata), ...kept }, spec: { type, ports, ...(ips !== undefined && { ips }) } };
}

export function keptSlice({ metadata, addressType, endpoints, ports }: EndpointSlice): EndpointSlice {
  const { [SERVICE_NAME]: service = '', [SOURCE_CLUSTER]: cluster = '' } = metadata.labels ?? {};
  return {
    metadata: { ...identity(metadata), labels: { [SERVICE_NAME]: service, [SOURCE_CLUSTER]: cluster } },
    addressType,
    endpoints: (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .map(({ addresses, hostname }) => ({ addresses, ...(hostname !== undefined && { hostname }) })),
    ports: ports ?? [],
  };
}

function identity({ namespace, name, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
