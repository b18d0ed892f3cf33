import type { RootKind } from '../../requests/target.ts';
import { loadBalancerRules } from './load-balancer.ts';
import { natGatewayRules } from './nat-gateway.ts';
import { networkSecurityGroupRules } from './network-security-group.ts';
import { publicIpAddressRules } from './public-ip-address.ts';
import type { KindRules } from './rules.ts';
import { serviceGatewayRules } from './service-gateway.ts';
import { virtualNetworkRules } from './virtual-network.ts';

export const kindRules: Readonly<Record<RootKind, KindRules>> = {
  serviceGateways: serviceGatewayRules,
  publicIPAddresses: publicIpAddressRules,
  loadBalancers: loadBalancerRules,
  natGateways: natGatewayRules,
  networkSecurityGroups: networkSecurityGroupRules,
  virtualNetworks: virtualNetworkRules,
};
