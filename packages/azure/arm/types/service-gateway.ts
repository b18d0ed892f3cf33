import type { ArmId } from '../arm-id.ts';
import type { AllocationMethod } from './public-ip-address.ts';
import type { ArmReference, TrackedArmResource } from './resource.ts';

export interface RouteTargetAddress {
  readonly subnet?: ArmReference<'subnets'>;
  readonly privateIPAddress?: string;
  readonly privateIPAllocationMethod?: AllocationMethod;
}

export interface ServiceGatewayProperties {
  readonly virtualNetwork: ArmReference<'virtualNetworks'>;
  readonly routeTargetAddress?: RouteTargetAddress;
  readonly routeTargetAddressV6?: RouteTargetAddress;
}

export interface ServiceGateway extends TrackedArmResource<'serviceGateways', ServiceGatewayProperties> {
  readonly sku?: { readonly name: 'Standard'; readonly tier?: 'Regional' };
}

/** `FullUpdate` replaces everything at its level, `PartialUpdate` only what it names. */
export type UpdateAction = 'PartialUpdate' | 'FullUpdate';

export type ServiceType = 'Inbound' | 'Outbound' | 'InboundOutbound';

export interface BackendPoolReference extends ArmReference<'backendAddressPools'> {
  readonly name?: string;
  readonly properties?: { readonly virtualNetwork?: ArmReference<'virtualNetworks'> };
}

/** A service as the gateway lists it. */
export interface GatewayService {
  readonly name: string;
  readonly properties: {
    readonly serviceType: ServiceType;
    /** The one that traffic takes which no address is mapped for. */
    readonly isDefault?: boolean;
    readonly loadBalancerBackendPools?: readonly BackendPoolReference[];
    readonly publicNatGatewayId?: ArmId<'natGateways'>;
  };
}

/** An absent field stays as it is; only an explicit null clears it. */
export interface GatewayServiceChange {
  readonly name: string;
  readonly properties: {
    readonly serviceType: ServiceType;
    readonly isDefault?: boolean;
    readonly loadBalancerBackendPools?: readonly BackendPoolReference[] | null;
    readonly publicNatGatewayId?: ArmId<'natGateways'> | null;
  };
}

/** The type is sent with a deletion too: Azure looks at it. */
export type ServiceRequest =
  | { readonly isDelete: false; readonly service: GatewayServiceChange }
  | {
      readonly isDelete: true;
      readonly service: { readonly name: string; readonly properties: { readonly serviceType: ServiceType } };
    };

export interface UpdateServicesRequest {
  readonly action: UpdateAction;
  /** Each service at most once. Refused as a whole when one of them is. */
  readonly serviceRequests: readonly ServiceRequest[];
}

/** An address and the services it takes part in. Without services, an update removes it. */
export interface LocatedAddress {
  readonly address: string;
  readonly services: readonly string[];
}

/** What is at one node, as the gateway lists it. */
export interface AddressLocation {
  readonly addressLocation: string;
  readonly addresses: readonly LocatedAddress[];
}

/** A change to what is at one node: `PartialUpdate` without addresses removes the location. */
export interface AddressLocationChange extends AddressLocation {
  readonly addressUpdateAction: UpdateAction;
}

export interface UpdateAddressLocationsRequest {
  readonly action: UpdateAction;
  /** Each location at most once. Refused as a whole when one of them is. */
  readonly addressLocations: readonly AddressLocationChange[];
}
