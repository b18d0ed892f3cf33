export { type OpenStackProblem, OpenStackError, problemIn } from './api/errors.ts';
export { openStackMetrics } from './api/metrics.ts';
export {
  type Filter,
  type DeleteOptions,
  ifUnchanged,
  ResourceApi,
  type ResourceKind,
  type UpdateOptions,
} from './api/resource-api.ts';
export { type CallOptions, OpenStackSession, type SessionOptions } from './api/session.ts';
export { type ApiVersion, offersVersion } from './api/versions.ts';
export type { OpenStackCloud } from './configuration/cloud.ts';
export { parseCloudEntry } from './configuration/cloud-entry.ts';
export type { ServiceType } from './keystone/catalog.ts';
export { NeutronClient } from './neutron/neutron-client.ts';
export type * from './neutron/types.ts';
export { type OctaviaFeature, octaviaFeatures } from './octavia/features.ts';
export { type BatchOptions, OctaviaClient } from './octavia/octavia-client.ts';
export { type Provisioning, provisioningOf } from './octavia/provisioning.ts';
export type * from './octavia/requests.ts';
export type {
  Flavor,
  HealthMonitor,
  Listener,
  LoadBalancer,
  LoadBalancerStatusTree,
  Member,
  OctaviaProvider,
  OctaviaQuota,
  Pool,
  PopulatedLoadBalancer,
} from './octavia/types.ts';
