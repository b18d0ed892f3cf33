import type { BackendPool, LoadBalancer } from './load-balancer.ts';
import type { NatGateway } from './nat-gateway.ts';
import type { NetworkSecurityGroup } from './network-security-group.ts';
import type { PublicIpAddress } from './public-ip-address.ts';
import type { ServiceGateway } from './service-gateway.ts';
import type { Subnet } from './subnet.ts';

/** What stands at an id of each kind. */
export interface ArmBodies {
  readonly serviceGateways: ServiceGateway;
  readonly publicIPAddresses: PublicIpAddress;
  readonly loadBalancers: LoadBalancer;
  readonly backendAddressPools: BackendPool;
  readonly natGateways: NatGateway;
  readonly networkSecurityGroups: NetworkSecurityGroup;
  readonly subnets: Subnet;
}

export * from './load-balancer.ts';
export * from './nat-gateway.ts';
export * from './network-security-group.ts';
export * from './public-ip-address.ts';
export * from './resource.ts';
export * from './service-gateway.ts';
export * from './subnet.ts';
