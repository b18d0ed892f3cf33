export { type OpenStackProblem, OpenStackError, problemIn } from './api/errors.ts';
export { openStackMetrics } from './api/metrics.ts';
export { type Filter, ResourceApi, type ResourceKind, type UpdateOptions } from './api/resource-api.ts';
export { type CallOptions, OpenStackSession, type SessionOptions } from './api/session.ts';
export { type ApiVersion, offersVersion } from './api/versions.ts';
export type { OpenStackCloud } from './configuration/cloud.ts';
export type { ServiceType } from './keystone/catalog.ts';
export { NeutronClient } from './neutron/neutron-client.ts';
export type * from './neutron/types.ts';
