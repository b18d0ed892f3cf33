import type { ConfigMap, Secret } from '../types/configuration.ts';
import type { CustomResourceDefinition } from '../types/custom-resource-definition.ts';
import type { EndpointSlice, Endpoints } from '../types/endpoints.ts';
import type { KubeEvent } from '../types/event.ts';
import type { Lease } from '../types/lease.ts';
import type { Namespace } from '../types/namespace.ts';
import type { Node } from '../types/node.ts';
import type { Pod } from '../types/pod.ts';
import type { Service } from '../types/service.ts';
import type { Resource } from './resource.ts';

/* The resources of Kubernetes' own API that are used here, for the calls of the client and for caches. */

const core = { group: '', version: 'v1' } as const;

export const services: Resource<Service> = { ...core, plural: 'services', kind: 'Service', namespaced: true };
export const endpoints: Resource<Endpoints> = { ...core, plural: 'endpoints', kind: 'Endpoints', namespaced: true };
export const pods: Resource<Pod> = { ...core, plural: 'pods', kind: 'Pod', namespaced: true };
export const nodes: Resource<Node> = { ...core, plural: 'nodes', kind: 'Node', namespaced: false };
export const namespaces: Resource<Namespace> = { ...core, plural: 'namespaces', kind: 'Namespace', namespaced: false };
export const configMaps: Resource<ConfigMap> = { ...core, plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
export const secrets: Resource<Secret> = { ...core, plural: 'secrets', kind: 'Secret', namespaced: true };

export const endpointSlices: Resource<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
};

/** Those of `events.k8s.io`: the older ones of the core group are the same objects. */
export const events: Resource<KubeEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};

export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

export const customResourceDefinitions: Resource<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
