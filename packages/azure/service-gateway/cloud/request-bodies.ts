import type { IpFamily } from '@fairlead/control';
import {
  type AddressLocationChange,
  type ArmRequestBody,
  type ArmTags,
  childArmId,
  type GatewayServiceChange,
  type LoadBalancer,
  type LoadBalancerProperties,
  type NatGateway,
  type PublicIpAddress,
  type ServiceGateway,
  type ServiceType,
  type UpdateAddressLocationsRequest,
  withTags,
} from '../../arm/index.ts';
import type { AddressEntry } from '../engine/address-table.ts';
import type { AddressUpdate } from '../engine/difftracker.ts';
import { isOutbound, LONGEST_EGRESS_NAME, type NrpKey, nrpName } from '../engine/nrp-key.ts';
import {
  type InboundPort,
  type InboundSpec,
  isInboundSpec,
  type OutboundSpec,
  type ServiceSpec,
} from '../engine/service-spec.ts';
import {
  backendPoolId,
  type GatewayScope,
  loadBalancerId,
  natGatewayId,
  ownPublicIpId,
  publicIpId,
  tagsFor,
} from '../scope.ts';

const FRONTEND = 'frontend';

/** A gateway that is whole: it needs an address of its own in the nodes' subnet, to which their traffic is led. */
export function gatewayBody({
  networkId,
  subnetId,
}: GatewayScope): Pick<Required<ServiceGateway>, 'sku' | 'properties'> {
  return {
    sku: { name: 'Standard', tier: 'Regional' },
    properties: {
      virtualNetwork: { id: networkId },
      routeTargetAddress: { subnet: { id: subnetId }, privateIPAllocationMethod: 'Dynamic' },
    },
  };
}

/** What others have set on an address that is there stays on it. */
export function publicIpBody(
  scope: GatewayScope,
  spec: ServiceSpec,
  family: IpFamily,
  there: PublicIpAddress | undefined,
): ArmRequestBody<PublicIpAddress> {
  const asked = isInboundSpec(spec) ? spec.addressTags : {};
  const wanted = {
    // Our marks come last: nobody's tag takes their place.
    tags: withTags(withTags(there?.tags ?? {}, asked), tagsFor(scope, spec)),
    sku: { name: 'StandardV2' },
    properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: family },
  } as const;
  if (there === undefined) return { location: scope.location, ...wanted };
  const { id: _id, name: _name, etag: _etag, ...kept } = there;
  return {
    ...kept,
    ...wanted,
    sku: { ...kept.sku, ...wanted.sku },
    properties: { ...kept.properties, ...wanted.properties },
  };
}

export function loadBalancerBody(
  scope: GatewayScope,
  spec: InboundSpec,
  otherTags: ArmTags,
): ArmRequestBody<LoadBalancer> {
  const { key, family, ports } = spec;
  return {
    location: scope.location,
    tags: { ...otherTags, ...tagsFor(scope, spec) },
    sku: { name: 'Service' },
    properties: {
      scope: 'Public',
      frontendIPConfigurations: [
        { name: FRONTEND, properties: { publicIPAddress: { id: publicIpId(scope, key, family) } } },
      ],
      backendAddressPools: [{ name: nrpName(key), properties: {} }],
      loadBalancingRules: ports.map((port) => loadBalancingRule(scope, spec, port)),
    },
  };
}

export function natGatewayBody(
  scope: GatewayScope,
  spec: OutboundSpec,
  otherTags: ArmTags,
): ArmRequestBody<NatGateway> {
  const { key, families } = spec;
  const addresses = (family: IpFamily) => [{ id: ownPublicIpId(scope, key, family) ?? publicIpId(scope, key, family) }];
  return {
    location: scope.location,
    tags: { ...otherTags, ...tagsFor(scope, spec) },
    sku: { name: 'StandardV2' },
    properties: {
      ...(families.includes('IPv4') ? { publicIpAddresses: addresses('IPv4') } : {}),
      ...(families.includes('IPv6') ? { publicIpAddressesV6: addresses('IPv6') } : {}),
      serviceGateway: { id: scope.gatewayId },
    },
  };
}

/** How the gateway is told of a service. Both references are always sent: an absent one would stay as it was. */
export function registrationBody(scope: GatewayScope, spec: ServiceSpec): GatewayServiceChange {
  const { key } = spec;
  if (isInboundSpec(spec)) {
    const pool = { id: backendPoolId(scope, key), name: nrpName(key) };
    const properties = { virtualNetwork: { id: scope.networkId } };
    return {
      name: nrpName(key),
      properties: {
        serviceType: 'Inbound',
        isDefault: false,
        loadBalancerBackendPools: [{ ...pool, properties }],
        publicNatGatewayId: null,
      },
    };
  }
  return {
    name: nrpName(key),
    properties: {
      serviceType: 'Outbound',
      isDefault: spec.isDefault,
      loadBalancerBackendPools: null,
      publicNatGatewayId: natGatewayId(scope, spec.key),
    },
  };
}

export function serviceTypeOf(key: NrpKey): ServiceType {
  return isOutbound(key) ? 'Outbound' : 'Inbound';
}

/** The families a service has public addresses of. */
export function familiesOf(spec: ServiceSpec): readonly IpFamily[] {
  return isInboundSpec(spec) ? [spec.family] : spec.families;
}

type Rule = NonNullable<LoadBalancerProperties['loadBalancingRules']>[number];

function loadBalancingRule(scope: GatewayScope, spec: InboundSpec, { protocol, port, targetPort }: InboundPort): Rule {
  const { key, idleTimeoutMinutes } = spec;
  const loadBalancer = loadBalancerId(scope, key);
  return {
    name: `rule-${protocol.toLowerCase()}-${port}`,
    properties: {
      protocol: protocol === 'TCP' ? 'Tcp' : 'Udp',
      frontendPort: port,
      backendPort: targetPort,
      frontendIPConfiguration: { id: childArmId('frontendIPConfigurations', loadBalancer, FRONTEND) },
      backendAddressPool: { id: backendPoolId(scope, key) },
      idleTimeoutInMinutes: idleTimeoutMinutes,
      enableFloatingIP: false,
      // Azure knows resets for TCP only.
      enableTcpReset: protocol === 'TCP',
    },
  };
}

/** The request for these updates: each location once, with all its addresses in it. */
export function toLocationRequest(updates: readonly AddressUpdate[]): UpdateAddressLocationsRequest {
  const byLocation = Map.groupBy(updates, ({ entry }) => entry.location);
  return {
    action: 'PartialUpdate',
    addressLocations: [...byLocation].map(
      ([addressLocation, updatesThere]): AddressLocationChange => ({
        addressLocation,
        addressUpdateAction: 'PartialUpdate',
        addresses: updatesThere.map(({ entry, services }) => ({
          address: entry.address,
          services: services.map(nrpName),
        })),
      }),
    ),
  };
}

/** What a location, an address and a name take beside their own text. */
const LOCATION_OVERHEAD = 80;
const ADDRESS_OVERHEAD = 32;
const NAME_OVERHEAD = 3;

/** How much of a request an entry takes at most: as if its location were written for it alone. */
export function sizeInRequest({ location, address, inbound, nrp }: AddressEntry): number {
  let names = LONGEST_EGRESS_NAME;
  // The key of a service is longer than its name.
  for (const key of inbound) names += key.length + NAME_OVERHEAD;
  for (const key of nrp) names += key.length + NAME_OVERHEAD;
  return LOCATION_OVERHEAD + location.length + ADDRESS_OVERHEAD + address.length + names;
}
