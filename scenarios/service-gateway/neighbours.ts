import type { ArmEmulator } from '@fairlead/sim/azure';
import { CLOUD } from '../azure.ts';
import { objectAt } from './arm-body.ts';
import { GATEWAY, loadBalancerId, NETWORK, natGatewayId, OUR_TAGS, publicIpId, SUBNET } from './site.ts';

type Tags = Readonly<Record<string, string>>;

const OTHER_CLUSTER: Tags = { ...OUR_TAGS, 'fairlead-cluster': 'cluster-2' };
const OTHER_PART: Tags = { ...OUR_TAGS, 'fairlead-part': 'azure-local' };

/**
 * Egress gateways of others, by whose names pods of ours may ask for one, too: of another cluster, and one whose NAT
 * gateway has another name.
 */
const TAKEN_EGRESSES: readonly string[] = ['red', 'violet'];
/** An inbound service of another program; an address that it has may also be an endpoint of ours. */
const TAKEN_SERVICE = 'shopfront';
const THEIR_SERVICES: readonly string[] = [TAKEN_SERVICE, ...TAKEN_EGRESSES];
const SHARED_LOCATION = '10.0.0.1';

const ADDRESSES: Readonly<Record<string, Tags>> = {
  'spare-pip': {},
  'local-pip': OTHER_PART,
  'shopfront-pip': {},
  'red-pip': OTHER_CLUSTER,
  'grey-pip': {},
};
const IDS: readonly string[] = [
  ...Object.keys(ADDRESSES).map(publicIpId),
  loadBalancerId(TAKEN_SERVICE),
  natGatewayId('red'),
  natGatewayId('grey'),
];

/** Others who have resources in our group, and, once they have moved in, services in our gateway. */
export class Neighbours {
  readonly #azure: ArmEmulator;
  /** Id -> the version that only its owner may change. */
  readonly #etags = new Map<string, unknown>();
  readonly #subnet: string;
  /** Whether they have services in the gateway. */
  #isIn = false;
  #services: readonly unknown[] = [];
  #places: readonly string[] = [];

  constructor(azure: ArmEmulator) {
    this.#azure = azure;
    for (const [name, tags] of Object.entries(ADDRESSES)) putAddress(azure, name, tags);
    putLoadBalancer(azure, TAKEN_SERVICE, {});
    putNatGateway(azure, 'red', OTHER_CLUSTER, undefined);
    putNatGateway(azure, 'grey', {}, undefined);
    this.#subnet = this.#subnetText();
    this.#remember();
  }

  /**
   * `isBusy`: whether traffic leaves through the egress gateway of the other cluster. No leader that does not know yet of
   * this may write to the address that they share.
   */
  moveIn(isBusy: boolean, sharedAddress: string): void {
    const azure = this.#azure;
    putNatGateway(azure, 'red', OTHER_CLUSTER, GATEWAY);
    registerInbound(azure, TAKEN_SERVICE);
    registerOutbound(azure, 'red');
    registerOutbound(azure, 'violet', 'grey');
    putPlace(azure, sharedAddress, SHARED_LOCATION, TAKEN_SERVICE);
    putPlace(azure, '10.9.0.1', '10.0.0.9', TAKEN_SERVICE);
    if (isBusy) {
      putPlace(azure, '10.9.0.2', '10.0.0.9', 'red');
      putPlace(azure, '10.9.0.3', SHARED_LOCATION, 'red');
    }
    this.#isIn = true;
    this.#remember();
  }

  /** Whether pods of ours cannot have an egress gateway of this name. */
  hasTaken(egress: string): boolean {
    return egress === 'red' || (this.#isIn && TAKEN_EGRESSES.includes(egress));
  }

  /** Whether a service of the gateway, by its name there, is theirs. */
  ownsService(name: string): boolean {
    return this.#isIn && THEIR_SERVICES.includes(name);
  }

  ownsResource(id: string): boolean {
    return this.#etags.has(id.toLowerCase());
  }

  /** What of theirs is no longer as it was. */
  disturbed(): string | undefined {
    for (const [id, etag] of this.#etags) {
      const found = this.#azure.resource(id)?.['etag'];
      if (found !== etag) return `${id} is another's, and was ${found === undefined ? 'deleted' : 'changed'}`;
    }
    if (this.#subnetText() !== this.#subnet) return `the subnet is not as it was: ${this.#subnetText()}`;
    if (!this.#isIn) return undefined;
    const services = this.#registered();
    const lost = this.#services.findIndex((service, index) => service !== services[index]);
    if (lost >= 0) return `service ${THEIR_SERVICES[lost]} of the gateway is another's, and was changed`;
    const places = this.#placesOfTheirs();
    if (places.join() === this.#places.join()) return undefined;
    return `addresses of others were ${this.#places.join(', ')}, and are ${places.join(', ')}`;
  }

  #remember(): void {
    for (const id of IDS) this.#etags.set(id.toLowerCase(), this.#azure.resource(id)?.['etag']);
    this.#services = this.#registered();
    this.#places = this.#placesOfTheirs();
  }

  #registered(): readonly unknown[] {
    const { services } = this.#azure.gateway(GATEWAY);
    return THEIR_SERVICES.map((name) => services.get(name));
  }

  #placesOfTheirs(): readonly string[] {
    const places: string[] = [];
    for (const [location, addresses] of this.#azure.gateway(GATEWAY).locations) {
      for (const [address, names] of addresses) {
        for (const name of names) if (THEIR_SERVICES.includes(name)) places.push(`${address}@${location}=${name}`);
      }
    }
    return places.sort();
  }

  /** The subnet is shared: all of it but the reference to the gateway is another's. */
  #subnetText(): string {
    const subnet = objectAt(this.#azure.byHand({ method: 'GET', path: SUBNET }), 'properties');
    const { serviceGateway: _, provisioningState: _state, ...others } = subnet;
    const sorted = (_key: string, value: unknown) => (Array.isArray(value) ? value.toSorted(byText) : value);
    return JSON.stringify(Object.entries(others).toSorted(byText), sorted);
  }
}

/** What a former life of ours has left behind, with our marks on it, for Services and pods that are no more. */
export function makeLeftovers(azure: ArmEmulator, where: 'outside the gateway' | 'in the gateway'): void {
  if (where === 'outside the gateway') {
    putAddress(azure, `${uidOf(1)}-pip`, tagsOfService(uidOf(1)));
    putAddress(azure, `${uidOf(2)}-pip`, tagsOfService(uidOf(2)));
    putLoadBalancer(azure, uidOf(2), tagsOfService(uidOf(2)));
    return;
  }
  putAddress(azure, `${uidOf(3)}-pip`, tagsOfService(uidOf(3)));
  putLoadBalancer(azure, uidOf(3), tagsOfService(uidOf(3)));
  registerInbound(azure, uidOf(3));
  putPlace(azure, '10.1.0.2', '10.0.0.2', uidOf(3));
  const egressTags = { ...OUR_TAGS, 'fairlead-egress': 'former' };
  putAddress(azure, 'former-pip', egressTags);
  putNatGateway(azure, 'former', egressTags, GATEWAY);
  registerOutbound(azure, 'former');
  putPlace(azure, '10.2.0.9', '10.0.0.2', 'former');
}

const uidOf = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
const tagsOfService = (uid: string): Tags => ({ ...OUR_TAGS, 'fairlead-service': uid });

export function putGateway(azure: ArmEmulator): void {
  const properties = { virtualNetwork: { id: NETWORK } };
  azure.byHand({ method: 'PUT', path: GATEWAY, body: { location: CLOUD.location, properties } });
}

function putAddress(azure: ArmEmulator, name: string, tags: Tags): void {
  const body = {
    location: CLOUD.location,
    tags,
    sku: { name: 'StandardV2' },
    properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' },
  };
  azure.byHand({ method: 'PUT', path: publicIpId(name), body });
}

function putLoadBalancer(azure: ArmEmulator, name: string, tags: Tags): void {
  const publicIPAddress = { id: publicIpId(`${name}-pip`) };
  const properties = {
    frontendIPConfigurations: [{ name: 'frontend', properties: { publicIPAddress } }],
    backendAddressPools: [{ name, properties: {} }],
  };
  const body = { location: CLOUD.location, tags, sku: { name: 'Service' }, properties };
  azure.byHand({ method: 'PUT', path: loadBalancerId(name), body });
}

function putNatGateway(azure: ArmEmulator, name: string, tags: Tags, gateway: string | undefined): void {
  const properties = {
    publicIpAddresses: [{ id: publicIpId(`${name}-pip`) }],
    ...(gateway === undefined ? {} : { serviceGateway: { id: gateway } }),
  };
  const body = { location: CLOUD.location, tags, sku: { name: 'StandardV2' }, properties };
  azure.byHand({ method: 'PUT', path: natGatewayId(name), body });
}

function registerInbound(azure: ArmEmulator, name: string): void {
  const pool = { id: `${loadBalancerId(name)}/backendAddressPools/${name}`, name };
  register(azure, name, { serviceType: 'Inbound', loadBalancerBackendPools: [pool] });
}

function registerOutbound(azure: ArmEmulator, name: string, natGateway = name): void {
  register(azure, name, { serviceType: 'Outbound', publicNatGatewayId: natGatewayId(natGateway) });
}

function register(
  azure: ArmEmulator,
  name: string,
  properties: { readonly [name: string]: string | readonly Tags[] },
): void {
  const serviceRequests = [{ isDelete: false, service: { name, properties } }];
  azure.byHand({
    method: 'POST',
    path: `${GATEWAY}/updateServices`,
    body: { action: 'PartialUpdate', serviceRequests },
  });
}

/** Beside what is there already. */
function putPlace(azure: ArmEmulator, address: string, addressLocation: string, service: string): void {
  const present = azure.gateway(GATEWAY).locations.get(addressLocation)?.get(address) ?? [];
  const addresses = [{ address, services: [...present, service] }];
  const addressLocations = [{ addressLocation, addressUpdateAction: 'PartialUpdate', addresses }];
  const body = { action: 'PartialUpdate', addressLocations };
  azure.byHand({ method: 'POST', path: `${GATEWAY}/updateAddressLocations`, body });
}

/** Azure keeps no order in its lists. */
function byText(left: unknown, right: unknown): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}
