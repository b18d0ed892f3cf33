import { SERVICE_NAME, type ServiceImport, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { picked } from '@fairlead/control';
import type { EndpointSlice, ObjectMeta } from '@fairlead/kube';

/* What the caches keep: nothing that the zone is not made of. */

export function keptImport({ metadata, spec }: ServiceImport): ServiceImport {
  const kept = { ...identity(metadata), ...picked(metadata, ['labels', 'annotations']) };
  if (spec === undefined) return { metadata: kept, spec };
  return { metadata: kept, spec: { type: spec.type, ports: spec.ports, ...picked(spec, ['ips']) } };
}

export function keptSlice({ metadata, addressType, endpoints, ports }: EndpointSlice): EndpointSlice {
  const { [SERVICE_NAME]: service = '', [SOURCE_CLUSTER]: cluster = '' } = metadata.labels ?? {};
  return {
    metadata: { ...identity(metadata), labels: { [SERVICE_NAME]: service, [SOURCE_CLUSTER]: cluster } },
    addressType,
    endpoints: (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .map((one) => ({ addresses: one.addresses, ...picked(one, ['hostname']) })),
    ports: ports ?? [],
  };
}

function identity(metadata: ObjectMeta): ObjectMeta {
  return { name: metadata.name, ...picked(metadata, ['namespace', 'uid', 'resourceVersion']) };
}
