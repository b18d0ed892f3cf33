import type { Known } from '@fairlead/cloud';
import { FairleadError, type IpFamily } from '@fairlead/control';
import {
  type ArmBodies,
  type ArmRequestBody,
  type ArmId,
  type ArmTags,
  armName,
  type GatewayService,
  type GatewayServiceChange,
  hasFailed,
  matches,
  ownershipOf,
  requireRoomForTags,
  type ServiceRequest,
  sameArmId,
} from '../../arm/index.ts';
import { isOutbound, type NrpKey, nrpName, type OutboundKey } from '../engine/nrp-key.ts';
import { type InboundSpec, isInboundSpec, type OutboundSpec, type ServiceSpec } from '../engine/service-spec.ts';
import {
  FAMILIES,
  type GatewayScope,
  keepsAddresses,
  loadBalancerId,
  natGatewayId,
  ownPublicIpId,
  publicIpId,
  tagsFor,
} from '../scope.ts';
import type { InventoryKind, KnownAzure } from './inventory.ts';
import { registrationOwner } from './observed.ts';
import {
  familiesOf,
  loadBalancerBody,
  natGatewayBody,
  publicIpBody,
  registrationBody,
  serviceTypeOf,
} from './request-bodies.ts';

/** A write that makes one resource be so. */
export interface PutStep<Kind extends InventoryKind> {
  readonly kind: 'put';
  readonly resource: Kind;
  readonly id: ArmId<Kind>;
  readonly body: ArmRequestBody<ArmBodies[Kind]>;
  /** It is to be deleted after. */
  readonly isDetachment?: true;
}

/** A write to one resource. */
export type ResourceStep =
  | { readonly [Kind in InventoryKind]: PutStep<Kind> }[InventoryKind]
  | { readonly kind: 'delete'; readonly resource: InventoryKind; readonly id: ArmId<InventoryKind> };

/** What it takes to make a service be there as its spec says: before, by, and after its registration. */
export interface CreationPlan {
  readonly prepare: readonly ResourceStep[];
  readonly register: ServiceRequest | undefined;
  /**
   * The public address of a family that a Service no longer has, or that an operator's own has taken the place of; an
   * egress gateway keeps those it has.
   */
  readonly tidyUp: readonly ResourceStep[];
}

/** What it takes to take a service down, in this order. */
export interface DeletionPlan {
  readonly unregister: ServiceRequest | undefined;
  readonly remove: readonly ResourceStep[];
}

/**
 * The writes by which what is known to exist becomes what the spec says; none for what is so already. Throws a terminal
 * error when a name is taken by something that is not ours.
 */
export function planCreation(azure: KnownAzure, spec: ServiceSpec): CreationPlan {
  const families = familiesOf(spec);
  const isOwn = (family: IpFamily) => ownPublicIpId(azure.scope, spec.key, family) !== undefined;
  const addresses = families.flatMap((family) => (isOwn(family) ? [] : putPublicIp(azure, spec, family)));
  const balancer = isInboundSpec(spec) ? putLoadBalancer(azure, spec) : putNatGateway(azure, spec);
  return {
    prepare: [...addresses, ...balancer],
    register: registration(azure, spec),
    tidyUp: removalsExcept(
      azure,
      spec.key,
      isInboundSpec(spec) ? families : FAMILIES.filter((family) => !isOwn(family)),
    ),
  };
}

/** How many write calls a plan takes; registrations of many services share one, which counts here as one for each. */
export function writesOfCreation({ prepare, register, tidyUp }: CreationPlan): number {
  return prepare.length + tidyUp.length + (register === undefined ? 0 : 1);
}

/** The writes that take down what is known to exist of the service and is ours. */
export function planDeletion(azure: KnownAzure, key: NrpKey): DeletionPlan {
  return { unregister: planUnregistration(azure, key), remove: planRemoval(azure, key) };
}

/** The first half of a deletion. */
export function planUnregistration(azure: KnownAzure, key: NrpKey): DeletionPlan['unregister'] {
  if (!isRegisteredByUs(azure, key)) return undefined;
  return { isDelete: true, service: { name: nrpName(key), properties: { serviceType: serviceTypeOf(key) } } };
}

/** The second half of a deletion: planned when the first is done, as much may have changed by then. */
export function planRemoval(azure: KnownAzure, key: NrpKey): DeletionPlan['remove'] {
  const { scope } = azure;
  return [
    ...(isOutbound(key)
      ? [...detachment(azure, key), ...removal(azure, 'natGateways', natGatewayId(scope, key))]
      : removal(azure, 'loadBalancers', loadBalancerId(scope, key))),
    ...removalsExcept(azure, key, []),
  ];
}

/** A name that is the UID of our Service is enough; that of an egress gateway may be another's. */
function isRegisteredByUs(azure: KnownAzure, key: NrpKey): boolean {
  const known = azure.inventory.registration(key);
  if (known.state !== 'present') return known.state === 'unknown';
  const owner = registrationOwner(azure, key, known.body);
  return owner === 'ours' || (owner === 'unmarked' && !isOutbound(key));
}

export function writesOfDeletion({ unregister, remove }: DeletionPlan): number {
  return remove.length + (unregister === undefined ? 0 : 1);
}

function removalsExcept(azure: KnownAzure, key: NrpKey, families: readonly IpFamily[]): readonly ResourceStep[] {
  if (keepsAddresses(azure.scope, key)) return [];
  return FAMILIES.filter((family) => !families.includes(family)).flatMap((family) =>
    removal(azure, 'publicIPAddresses', publicIpId(azure.scope, key, family)),
  );
}

function putPublicIp({ scope, inventory }: KnownAzure, spec: ServiceSpec, family: IpFamily): readonly ResourceStep[] {
  const id = publicIpId(scope, spec.key, family);
  const known = inventory.find('publicIPAddresses', id);
  const isAttached =
    known.state === 'present' &&
    isOutbound(spec.key) &&
    sameArmId(known.body.properties.natGateway?.id ?? '', natGatewayId(scope, spec.key));
  checkOwner(scope, spec, known, 'public IP address', isAttached);
  const body = publicIpBody(scope, spec, family, known.state === 'present' ? known.body : undefined);
  if (isAsWanted(known, body)) return [];
  requireRoomForTags(armName(id), body.tags);
  return [{ kind: 'put', resource: 'publicIPAddresses', id, body }];
}

function putLoadBalancer({ scope, inventory }: KnownAzure, spec: InboundSpec): readonly ResourceStep[] {
  const id = loadBalancerId(scope, spec.key);
  const known = inventory.find('loadBalancers', id);
  checkOwner(scope, spec, known, 'load balancer', false);
  const body = loadBalancerBody(scope, spec, tagsOf(known));
  return isAsWanted(known, body) ? [] : [{ kind: 'put', resource: 'loadBalancers', id, body }];
}

function putNatGateway({ scope, inventory }: KnownAzure, spec: OutboundSpec): readonly ResourceStep[] {
  const id = natGatewayId(scope, spec.key);
  const known = inventory.find('natGateways', id);
  const serves = known.state === 'present' ? known.body.properties.serviceGateway?.id : undefined;
  checkOwner(scope, spec, known, 'NAT gateway', sameArmId(serves ?? '', scope.gatewayId));
  const body = natGatewayBody(scope, spec, tagsOf(known));
  return isAsWanted(known, body) ? [] : [{ kind: 'put', resource: 'natGateways', id, body }];
}

function registration(azure: KnownAzure, spec: ServiceSpec): ServiceRequest | undefined {
  const { scope, inventory } = azure;
  const body = registrationBody(scope, spec);
  const known = inventory.registration(spec.key);
  if (known.state === 'present') {
    if (isRegisteredAs(known.body, body)) return undefined;
    const owner = registrationOwner(azure, spec.key, known.body);
    if (owner === 'another-owner') throw registrationTaken(scope, body.name);
  }
  return { isDelete: false, service: body };
}

/** The pool's network is not always told back, and follows from the gateway's. */
function isRegisteredAs({ properties: there }: GatewayService, { properties: wanted }: GatewayServiceChange): boolean {
  const pools = (wanted.loadBalancerBackendPools ?? []).map(({ id }) => ({ id }));
  return (
    there.serviceType === wanted.serviceType &&
    (there.isDefault ?? false) === (wanted.isDefault ?? false) &&
    sameArmId(there.publicNatGatewayId ?? '', wanted.publicNatGatewayId ?? '') &&
    matches(there.loadBalancerBackendPools, pools)
  );
}

/** A NAT gateway is not deleted while it serves a gateway, even one that does not name it any more. */
function detachment({ scope, inventory }: KnownAzure, key: OutboundKey): readonly ResourceStep[] {
  const id = natGatewayId(scope, key);
  const known = inventory.find('natGateways', id);
  if (known.state !== 'present' || ownershipOf(scope, tagsOf(known)) !== 'ours') return [];
  const { id: _id, name: _name, etag: _etag, ...there } = known.body;
  if ((there.properties.serviceGateway ?? null) === null) return [];
  const body = { ...there, properties: { ...there.properties, serviceGateway: null } };
  return [{ kind: 'put', resource: 'natGateways', id, body, isDetachment: true }];
}

function removal<Kind extends InventoryKind>(
  { scope, inventory }: KnownAzure,
  resource: Kind,
  id: ArmId<Kind>,
): readonly ResourceStep[] {
  const known = inventory.find(resource, id);
  if (known.state === 'absent') return [];
  if (known.state === 'present' && ownershipOf(scope, tagsOf(known)) !== 'ours') return [];
  return [{ kind: 'delete', resource, id }];
}

/**
 * Something of this name may be there already. What carries our mark is ours; what carries another's never is. Without
 * a mark, a name that is the UID of our Service can only be meant for it; the name of an egress gateway proves nothing,
 * unless the thing is already part of our gateway.
 */
function checkOwner(
  scope: GatewayScope,
  spec: ServiceSpec,
  known: Known<{ readonly id: ArmId; readonly tags?: ArmTags }>,
  what: string,
  isPartOfGateway: boolean,
): void {
  if (known.state !== 'present') return;
  const ownership = ownershipOf(scope, known.body.tags);
  if (ownership === 'ours' || (ownership === 'unmarked' && (isInboundSpec(spec) || isPartOfGateway))) return;
  const marks = Object.keys(tagsFor(scope, spec)).join(', ');
  const name = armName(known.body.id);
  throw new FairleadError(
    `there is a ${what} named ${name} in resource group ${scope.group.resourceGroup} that is not ours: ` +
      `choose another name, delete it, or put our tags (${marks}) on it to hand it over`,
    { verdict: 'terminal', code: 'name-taken' },
  );
}

function registrationTaken({ gatewayId }: GatewayScope, name: string): FairleadError {
  return new FairleadError(
    `the service ${name} of the service gateway ${armName(gatewayId)} is not ours: choose another name, or remove it`,
    { verdict: 'terminal', code: 'name-taken' },
  );
}

function isAsWanted(
  known: Known<{ readonly properties: { readonly provisioningState?: string } }>,
  // Azure spells regions in its own way, and no resource changes its region.
  { tags, sku, properties }: ArmRequestBody<ArmBodies[InventoryKind]>,
): boolean {
  if (known.state !== 'present' || hasFailed(known.body)) return false;
  return matches(known.body, { tags, sku, properties });
}

/** What others have tagged it with stays on it. */
function tagsOf(known: Known<{ readonly tags?: ArmTags }>): ArmTags {
  return known.state === 'present' ? (known.body.tags ?? {}) : {};
}
