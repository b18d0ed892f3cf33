export { openStackAddresses, type OpenSession } from './address-cloud.ts';
export { NeutronPorts, type NeutronPortsOptions } from './neutron-ports.ts';
export type { Observed, OwnPort } from './observed.ts';
export type { PortPool, PortScope } from './pool.ts';
