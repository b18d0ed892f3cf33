import { type JsonObject, objectOf, textOf, valueAt } from '../../json.ts';
import type { RootKind } from '../requests/target.ts';

/** What Azure puts in place of what a body leaves out, as its recorded answers and its documentation have it. */
interface Defaults {
  readonly sku?: JsonObject;
  readonly properties: JsonObject;
}

const REGIONAL: JsonObject = { tier: 'Regional' };
const DEFAULTS: Readonly<Record<RootKind, Defaults>> = {
  serviceGateways: { sku: { name: 'Standard', ...REGIONAL }, properties: { services: [] } },
  publicIPAddresses: {
    sku: { name: 'Basic', ...REGIONAL },
    properties: {
      publicIPAddressVersion: 'IPv4',
      publicIPAllocationMethod: 'Dynamic',
      idleTimeoutInMinutes: 4,
      ipTags: [],
    },
  },
  loadBalancers: {
    sku: REGIONAL,
    properties: {
      frontendIPConfigurations: [],
      backendAddressPools: [],
      loadBalancingRules: [],
      probes: [],
      inboundNatRules: [],
      outboundRules: [],
      inboundNatPools: [],
    },
  },
  natGateways: { sku: REGIONAL, properties: { idleTimeoutInMinutes: 4, type: 'Public' } },
  networkSecurityGroups: { properties: { securityRules: [] } },
  virtualNetworks: {
    properties: {
      privateEndpointVNetPolicies: 'Disabled',
      subnets: [],
      virtualNetworkPeerings: [],
      enableDdosProtection: false,
    },
  },
};

const SECURITY_RULE: JsonObject = {
  sourcePortRanges: [],
  destinationPortRanges: [],
  sourceAddressPrefixes: [],
  destinationAddressPrefixes: [],
};
/** Of the parts in these lists among a resource's properties. */
const OF_PARTS: Readonly<Record<string, JsonObject>> = {
  subnets: {
    delegations: [],
    privateEndpointNetworkPolicies: 'Disabled',
    privateLinkServiceNetworkPolicies: 'Enabled',
  },
  frontendIPConfigurations: { privateIPAllocationMethod: 'Dynamic' },
  backendAddressPools: { loadBalancerBackendAddresses: [] },
  loadBalancingRules: {
    idleTimeoutInMinutes: 4,
    enableFloatingIP: false,
    enableTcpReset: false,
    disableOutboundSnat: false,
    loadDistribution: 'Default',
  },
  probes: { intervalInSeconds: 15, numberOfProbes: 2, probeThreshold: 1 },
  securityRules: SECURITY_RULE,
};

const PROTECTED: JsonObject = { ddosSettings: { protectionMode: 'VirtualNetworkInherited' } };

/** The body of a resource with everything in it that the client left to Azure. */
export function filledIn(kind: RootKind, body: JsonObject): JsonObject {
  const { sku, properties } = DEFAULTS[kind];
  const isProtected = kind === 'publicIPAddresses' && (textOf(valueAt(body, 'sku', 'name')) || 'Basic') !== 'Basic';
  return {
    ...body,
    ...(sku === undefined ? {} : { sku: { ...sku, ...objectOf(body['sku']) } }),
    properties: { ...properties, ...(isProtected ? PROTECTED : {}), ...objectOf(body['properties']) },
  };
}

/** The same for the properties of a part. */
export function filledInPart(list: string, properties: JsonObject): JsonObject {
  const filled: JsonObject = { ...OF_PARTS[list], ...properties };
  const pool = filled['backendAddressPool'];
  if (list !== 'loadBalancingRules' || pool === undefined || filled['backendAddressPools'] !== undefined) return filled;
  return { ...filled, backendAddressPools: [pool] };
}

type DefaultRule = readonly [name: string, description: string, change: JsonObject];

const ALL = '*';
const RULES: readonly DefaultRule[] = [
  [
    'AllowVnetInBound',
    'Allow inbound traffic from all VMs in VNET',
    rule('Inbound', 65_000, 'Allow', 'VirtualNetwork', 'VirtualNetwork'),
  ],
  [
    'AllowAzureLoadBalancerInBound',
    'Allow inbound traffic from azure load balancer',
    rule('Inbound', 65_001, 'Allow', 'AzureLoadBalancer', ALL),
  ],
  ['DenyAllInBound', 'Deny all inbound traffic', rule('Inbound', 65_500, 'Deny', ALL, ALL)],
  [
    'AllowVnetOutBound',
    'Allow outbound traffic from all VMs to all VMs in VNET',
    rule('Outbound', 65_000, 'Allow', 'VirtualNetwork', 'VirtualNetwork'),
  ],
  [
    'AllowInternetOutBound',
    'Allow outbound traffic from all VMs to Internet',
    rule('Outbound', 65_001, 'Allow', ALL, 'Internet'),
  ],
  ['DenyAllOutBound', 'Deny all outbound traffic', rule('Outbound', 65_500, 'Deny', ALL, ALL)],
];

/** The rules that every security group has below its own. */
export const DEFAULT_SECURITY_RULES: readonly JsonObject[] = RULES.map(([name, description, properties]) => ({
  name,
  properties: { description, ...properties },
}));

function rule(direction: string, priority: number, access: string, from: string, to: string): JsonObject {
  const ports = { protocol: ALL, sourcePortRange: ALL, destinationPortRange: ALL };
  const prefixes = { sourceAddressPrefix: from, destinationAddressPrefix: to };
  return { ...ports, ...prefixes, access, priority, direction, ...SECURITY_RULE };
}
