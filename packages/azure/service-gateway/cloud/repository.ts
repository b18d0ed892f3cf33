import { isNotFound, type Known } from '@fairlead/cloud';
import { type Clock, FairleadError, type IpAddress, type IpFamily } from '@fairlead/control';
import {
  type ArmClient,
  type ArmId,
  armName,
  type CallOptions,
  clusterTags,
  type GatewayService,
  isUnderWay,
  type ServiceGateway,
  type ServiceRequest,
  sameArmId,
} from '../../arm/index.ts';
import type { AddressUpdate } from '../engine/difftracker.ts';
import { isOutbound, type NrpKey } from '../engine/nrp-key.ts';
import { FAMILIES, type GatewayScope, loadBalancerId, natGatewayId, ownPublicIpId, publicIpId } from '../scope.ts';
import { AzureRefusals } from './azure-refusals.ts';
import { assignedAddress, type Inventory, type InventoryKind, type Listing } from './inventory.ts';
import type { PutStep, ResourceStep } from './plan.ts';
import { gatewayBody, toLocationRequest } from './request-bodies.ts';

export const UPDATE_SERVICES = 'POST updateServices';
export const UPDATE_LOCATIONS = 'POST updateAddressLocations';

/** All calls to Azure, and what is known from their answers. */
export class Repository {
  readonly scope: GatewayScope;
  readonly inventory: Inventory;
  readonly #client: ArmClient;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #refusals: AzureRefusals;

  constructor(
    client: ArmClient,
    scope: GatewayScope,
    inventory: Inventory,
    clock: Pick<Clock, 'monotonic'>,
    refusals = new AzureRefusals(clock),
  ) {
    this.#client = client;
    this.#refusals = refusals;
    this.scope = scope;
    this.inventory = inventory;
    this.#clock = clock;
  }

  async findGateway(options: CallOptions): Promise<ServiceGateway | undefined> {
    return this.#client.find(this.scope.gatewayId, options);
  }

  async createGateway(options: CallOptions): Promise<void> {
    const { gatewayId, location } = this.scope;
    const body = { location, tags: clusterTags(this.scope), ...gatewayBody(this.scope) };
    await this.#client.put(gatewayId, body, { ...options, answer: 'accepted' });
  }

  /**
   * Has Azure try again what it failed at, or complete what is not whole: the gateway as it is, with what it lacks,
   * unless it changed since.
   */
  async repeatGateway(gateway: ServiceGateway, options: CallOptions): Promise<void> {
    const { id, name: _, etag, ...there } = gateway;
    const { sku, properties } = gatewayBody(this.scope);
    const body = { ...there, sku: { ...sku, ...there.sku }, properties: { ...properties, ...there.properties } };
    const condition = etag === undefined ? {} : { ifMatch: etag };
    await this.#client.put(id, body, { ...options, ...condition, answer: 'accepted' });
  }

  async getSubnet(options: CallOptions) {
    return this.#client.get(this.scope.subnetId, options);
  }

  /** Only if the subnet is still as it was read: it belongs to others, too. */
  async attachToSubnet(subnet: Awaited<ReturnType<Repository['getSubnet']>>, options: CallOptions): Promise<void> {
    const { gatewayId, subnetId } = this.scope;
    const { id: _, name: _name, etag, ...rest } = subnet;
    const body = { ...rest, properties: { ...subnet.properties, serviceGateway: { id: gatewayId } } };
    const condition = etag === undefined ? {} : { ifMatch: etag };
    await this.#client.put(subnetId, body, { ...options, ...condition, answer: 'accepted' });
  }

  /** Lists everything; complete, or it rejects. `hasGateway` is false when the gateway is known not to be there. */
  async list(options: CallOptions, hasGateway = true): Promise<Listing> {
    const { group, gatewayId } = this.scope;
    const begunAt = this.#clock.monotonic();
    const [services, locations, publicIPAddresses, loadBalancers, natGateways] = await Promise.all([
      hasGateway ? this.#client.listServices(gatewayId, options) : [],
      hasGateway ? this.#client.listAddressLocations(gatewayId, options) : [],
      this.#client.list('publicIPAddresses', group, options),
      this.#client.list('loadBalancers', group, options),
      this.#client.list('natGateways', group, options),
    ]);
    return { begunAt, services, locations, publicIPAddresses, loadBalancers, natGateways };
  }

  async perform(step: ResourceStep, options: CallOptions): Promise<void> {
    if (step.kind === 'delete') {
      const remove = () => this.#client.delete(step.id, options);
      await this.#refusals.run(`DELETE ${step.resource}`, () =>
        this.inventory.changing(step.resource, step.id, remove),
      );
      this.inventory.set(step.resource, step.id, { state: 'absent' });
      return;
    }
    await this.#put(step, options);
  }

  /** Reads what of the service is not known, or was listed while Azure was still at work on it. */
  async readUnknown(key: NrpKey, options: CallOptions): Promise<void> {
    for (const family of FAMILIES) {
      await this.#resolve('publicIPAddresses', publicIpId(this.scope, key, family), options);
    }
    if (isOutbound(key)) await this.#resolve('natGateways', natGatewayId(this.scope, key), options);
    else await this.#resolve('loadBalancers', loadBalancerId(this.scope, key), options);
  }

  /** Azure says that something of the service is missing: nothing of it is taken for granted any more. */
  markUnknown(key: NrpKey): void {
    for (const family of FAMILIES) this.#markUnknown('publicIPAddresses', publicIpId(this.scope, key, family));
    if (isOutbound(key)) this.#markUnknown('natGateways', natGatewayId(this.scope, key));
    else this.#markUnknown('loadBalancers', loadBalancerId(this.scope, key));
  }

  /** The public address of a Service; read again while Azure has not assigned it. */
  async publicAddress(key: NrpKey, family: IpFamily, options: CallOptions): Promise<IpAddress> {
    const id = publicIpId(this.scope, key, family);
    let assigned = assignedAddress(this.inventory.find('publicIPAddresses', id));
    if (assigned === undefined) {
      await this.#read('publicIPAddresses', id, options);
      assigned = assignedAddress(this.inventory.find('publicIPAddresses', id));
    }
    if (assigned !== undefined) return assigned.address;
    throw new FairleadError('Azure has not assigned the public address yet', {
      verdict: 'retriable',
      code: 'address-not-assigned',
    });
  }

  /** Whether a write to the public address was not answered in a way that tells what became of it. */
  isAddressUnknown(key: NrpKey, family: IpFamily): boolean {
    return this.inventory.find('publicIPAddresses', publicIpId(this.scope, key, family)).state === 'unknown';
  }

  /** The public address as far as it is known. */
  knownAddress(key: NrpKey, family: IpFamily): IpAddress | undefined {
    const id = ownPublicIpId(this.scope, key, family) ?? publicIpId(this.scope, key, family);
    const known = this.inventory.find('publicIPAddresses', id);
    // An operator's own may be in another resource group, which is not listed.
    const isIt = known.state === 'present' && sameArmId(known.body.id, id);
    return isIt ? assignedAddress(known)?.address : undefined;
  }

  /** Of both families. */
  knownAddresses(key: NrpKey): readonly IpAddress[] {
    return FAMILIES.flatMap((family) => this.knownAddress(key, family) ?? []);
  }

  /** Registers and unregisters services: all of them, or none. */
  async updateServices(requests: readonly ServiceRequest[], options: CallOptions): Promise<void> {
    const names = requests.map(({ service }) => service.name);
    const body = { action: 'PartialUpdate', serviceRequests: requests } as const;
    const update = () => this.#client.updateServices(this.scope.gatewayId, body, options);
    const registering = () => this.inventory.changingRegistrations(names, update);
    await this.#refusals.run(UPDATE_SERVICES, registering).catch(throwGatewayError);
    for (const request of requests) {
      const known: Known<GatewayService> = request.isDelete
        ? { state: 'absent' }
        : { state: 'present', body: registered(request) };
      this.inventory.setRegistration(request.service.name, known);
    }
  }

  /** Puts addresses under services: all of them, or none. */
  async updateAddressLocations(updates: readonly AddressUpdate[], options: CallOptions): Promise<void> {
    const body = toLocationRequest(updates);
    const update = () => this.#client.updateAddressLocations(this.scope.gatewayId, body, options);
    await this.#refusals.run(UPDATE_LOCATIONS, update).catch(throwGatewayError);
  }

  /** Whether Azure refuses such calls whatever is in them: the next one asks whether that is over. */
  isRefused(call: typeof UPDATE_SERVICES | typeof UPDATE_LOCATIONS): boolean {
    return this.#refusals.isBlocked(call);
  }

  /** Azure refuses such calls whatever is in them, as under a policy; gives the error with which all Services wait. */
  refusesAll(call: typeof UPDATE_SERVICES | typeof UPDATE_LOCATIONS, error: unknown): FairleadError {
    return this.#refusals.block(call, error);
  }

  /**
   * Reads what these writes change and whose ETag is not known, because Azure was still at work when it answered last.
   * True when they have to be planned again.
   */
  async readBeforeUpdate(steps: readonly ResourceStep[], options: CallOptions): Promise<boolean> {
    let hasRead = false;
    for (const step of steps) {
      if (step.kind !== 'put') continue;
      const known = this.inventory.find<InventoryKind>(step.resource, step.id);
      if (known.state !== 'present' || etagOf(known) !== undefined) continue;
      await this.#read<InventoryKind>(step.resource, step.id, options);
      hasRead = true;
    }
    return hasRead;
  }

  /** What another program wrote since it was read is never overwritten: after a 412 it is unknown, and read again. */
  async #put<Kind extends InventoryKind>({ resource, id, body }: PutStep<Kind>, options: CallOptions): Promise<void> {
    // Of what Azure sets itself, only the public address is needed.
    const isAddress = resource === 'publicIPAddresses';
    const etag = etagOf(this.inventory.find(resource, id));
    const condition = etag === undefined ? {} : { ifMatch: etag };
    const put = () =>
      this.#client.put(id, body, { ...options, ...condition, answer: isAddress ? 'final' : 'accepted' });
    const changing = () => this.inventory.changing(resource, id, put);
    const answered = await this.#refusals.run(`PUT ${resource}`, changing);
    this.inventory.set(resource, id, { state: 'present', body: isAddress ? answered : settled(answered) });
  }

  #markUnknown<Kind extends InventoryKind>(kind: Kind, id: ArmId<Kind>): void {
    if (this.inventory.find(kind, id).state === 'present') this.inventory.set(kind, id, { state: 'unknown' });
  }

  async #resolve<Kind extends InventoryKind>(kind: Kind, id: ArmId<Kind>, options: CallOptions): Promise<void> {
    const known = this.inventory.find<InventoryKind>(kind, id);
    const isUnknown = known.state === 'unknown' || (known.state === 'present' && isUnderWay(known.body));
    if (isUnknown) await this.#read(kind, id, options);
  }

  async #read<Kind extends InventoryKind>(kind: Kind, id: ArmId<Kind>, options: CallOptions): Promise<void> {
    const body = await this.#client.find(id, options);
    // How it ends is not told by how it is meanwhile: it may fail yet.
    if (body !== undefined && isUnderWay(body)) throw underWay(kind, armName(id));
    this.inventory.set(kind, id, body === undefined ? { state: 'absent' } : { state: 'present', body });
  }
}

function underWay(kind: InventoryKind, name: string): FairleadError {
  return new FairleadError(`Azure is still at work on ${kind}/${name}, which was begun before`, {
    verdict: 'retriable',
    code: 'still-under-way',
  });
}

/** An ETag that stands for none: it is not told before Azure is done. */
const NO_ETAG = '';

/** What Azure accepted is what is there once it is done; but then it has another ETag. */
function settled<Body extends { readonly etag?: string; readonly properties: Provisioned }>(body: Body): Body {
  if (body.properties.provisioningState === 'Succeeded') return body;
  return { ...body, etag: NO_ETAG, properties: { ...body.properties, provisioningState: 'Succeeded' } };
}

function etagOf(known: Known<{ readonly etag?: string }>): string | undefined {
  return known.state === 'present' ? known.body.etag || undefined : undefined;
}

interface Provisioned {
  readonly provisioningState?: string;
}

function registered({ service }: ServiceRequest & { readonly isDelete: false }): GatewayService {
  const { serviceType, isDefault, loadBalancerBackendPools, publicNatGatewayId } = service.properties;
  return {
    name: service.name,
    properties: {
      serviceType,
      ...(isDefault === undefined ? {} : { isDefault }),
      ...(loadBalancerBackendPools ? { loadBalancerBackendPools } : {}),
      ...(publicNatGatewayId ? { publicNatGatewayId } : {}),
    },
  };
}

/** That the gateway is not there is no service's fault: it is made again, and then the batch is sent again. */
function throwGatewayError(error: unknown): never {
  if (!isNotFound(error)) throw error;
  throw new FairleadError('the service gateway is not there', {
    verdict: 'retriable',
    code: 'gateway-missing',
    cause: error,
  });
}
