import { FairleadError, type IpFamily, verdictOf } from '@fairlead/control';
import {
  type ArmId,
  type ArmRequestBody,
  armName,
  hasFailed,
  matches,
  ownershipOf,
  type PublicIpAddress,
  sameArmId,
  serviceTags,
} from '../../../arm/index.ts';
import { type AzureSite, publicIpId, serviceOfTags } from '../../site.ts';
import { nameFor } from './child-resources.ts';
import type { WantedService } from '../desired.ts';

/** On an address of ours: the DNS label that it has from us, and not from an operator. */
const LABEL_TAG = 'fairlead-dns-label';

/** All public addresses that were read. */
export interface ObservedAddresses {
  /** All of the resource group, ours or not, by name in lower case. */
  readonly publicIps: ReadonlyMap<string, PublicIpAddress>;
  /** Those of other resource groups that Services name, by the group in lower case. */
  readonly publicIpsElsewhere: ReadonlyMap<string, ReadGroup>;
}

/** What is in another resource group, or why that is not known. */
export type ReadGroup =
  | { readonly kind: 'read'; readonly addresses: readonly PublicIpAddress[] }
  | { readonly kind: 'unread'; readonly error: unknown };

/** The public address of one family of a Service: `own` is one that the user has made, and nobody else may change. */
export type PublicAddress =
  | { readonly kind: 'made'; readonly id: ArmId<'publicIPAddresses'>; readonly there: PublicIpAddress | undefined }
  | { readonly kind: 'own'; readonly id: ArmId<'publicIPAddresses'>; readonly there: PublicIpAddress }
  /** `error`: why it could not be looked for. */
  | { readonly kind: 'missing'; readonly what: string; readonly error?: unknown };

export function publicAddressOf(
  site: AzureSite,
  { publicIps, publicIpsElsewhere }: ObservedAddresses,
  wanted: WantedService,
  family: IpFamily,
): PublicAddress {
  const own = wanted.ownAddresses[family];
  if (own === undefined) {
    const name = nameFor(site, wanted, family);
    return { kind: 'made', id: publicIpId(site, name), there: publicIps.get(name.toLowerCase()) };
  }
  const group = (wanted.addressGroup ?? site.group.resourceGroup).toLowerCase();
  const isHere = group === site.group.resourceGroup.toLowerCase();
  const elsewhere = isHere ? undefined : publicIpsElsewhere.get(group);
  const candidates = isHere ? [...publicIps.values()] : elsewhere?.kind === 'read' ? elsewhere.addresses : [];
  const there = candidates.find(({ name, properties }) =>
    'name' in own ? name.toLowerCase() === own.name.toLowerCase() : properties.ipAddress === own.address,
  );
  if (there !== undefined) return { kind: 'own', id: there.id, there };
  const what = `${'name' in own ? own.name : own.address} in the resource group ${group}`;
  return elsewhere?.kind === 'unread' ? { kind: 'missing', what, error: elsewhere.error } : { kind: 'missing', what };
}

/** What is to be written of it; undefined: nothing. Throws a terminal error for one that cannot be used. */
export function publicIpChange(
  site: AzureSite,
  wanted: WantedService,
  family: IpFamily,
  address: PublicAddress,
): ArmRequestBody<PublicIpAddress> | undefined {
  if (address.kind === 'missing') {
    if (address.error !== undefined && verdictOf(address.error) === 'retriable') throw address.error;
    const message = `there is no public IP address ${address.what}, or it cannot be read: make it, or correct the Service`;
    throw unfit('address-missing', message);
  }
  if (address.kind === 'own') {
    requireFit(site, wanted, family, address.there);
    return undefined;
  }
  const { there } = address;
  const body = publicIpBody(site, wanted, family, there);
  const isLabelLeft = wanted.dnsLabel === undefined && there?.tags?.[LABEL_TAG] !== undefined;
  return there !== undefined && matches(there, body) && !isLabelLeft && !hasFailed(there) ? undefined : body;
}

function publicIpBody(
  site: AzureSite,
  wanted: WantedService,
  family: IpFamily,
  there: PublicIpAddress | undefined,
): ArmRequestBody<PublicIpAddress> {
  if (there !== undefined && serviceOfTags(site, there.tags) === undefined) {
    const message = `the public IP address ${there.name} is there and is not ours: rename or remove it`;
    throw unfit('address-not-ours', message);
  }
  const { dnsLabel, uid } = wanted;
  const { [LABEL_TAG]: labelled, ...tags } = there?.tags ?? {};
  const { dnsSettings, ...properties } = there?.properties ?? {};
  // A label that an operator has set by hand stays.
  const kept = labelled === undefined && dnsSettings !== undefined ? { dnsSettings } : {};
  const labelOnly = dnsLabel === undefined ? kept : { dnsSettings: { domainNameLabel: dnsLabel } };
  const zones = there === undefined ? site.zones : there.zones;
  return {
    location: there?.location ?? site.location,
    sku: { name: 'Standard' },
    tags: { ...tags, ...serviceTags(site, uid), ...(dnsLabel === undefined ? {} : { [LABEL_TAG]: dnsLabel }) },
    ...(zones === undefined ? {} : { zones }),
    properties: {
      ...properties,
      ...labelOnly,
      ...prefixOf(wanted, family, there),
      publicIPAllocationMethod: 'Static',
      publicIPAddressVersion: family,
    },
  };
}

/** An address comes from a prefix when it is made, or never. */
function prefixOf(
  { prefixIds }: WantedService,
  family: IpFamily,
  there: PublicIpAddress | undefined,
): Pick<PublicIpAddress['properties'], 'publicIPPrefix'> {
  const id = prefixIds[family];
  if (id === undefined) return {};
  if (there === undefined) return { publicIPPrefix: { id } };
  const from = there.properties.publicIPPrefix?.id;
  if (from !== undefined && sameArmId(from, id)) return {};
  throw unfit(
    'address-of-another-prefix',
    `its address ${there.properties.ipAddress ?? there.name} is not from the prefix ${id}: ` +
      'take the annotation off, or make the Service anew',
  );
}

/** Whether the Service can have an address that is not ours to change. */
function requireFit(site: AzureSite, wanted: WantedService, family: IpFamily, there: PublicIpAddress): void {
  const { name, tags, sku, properties } = there;
  const address = `the public IP address ${name}`;
  // Also by another part, or for another cluster: it may be on its way to who it was made for.
  if (ownershipOf(site, tags) !== 'unmarked')
    throw unfit('address-not-own', `${address} was made for a Service or an egress gateway: name another`);
  const version = properties.publicIPAddressVersion ?? 'IPv4';
  if (version !== family) throw unfit('address-unfit', `${address} is of ${version}, and the Service needs ${family}`);
  if (sku.name.toLowerCase() !== 'standard')
    throw unfit('address-unfit', `${address} has the SKU ${sku.name}: it needs Standard`);
  const user = properties.ipConfiguration?.id ?? properties.natGateway?.id;
  const isOurs = user !== undefined && armName(user).toLowerCase() === nameFor(site, wanted, family).toLowerCase();
  if (user !== undefined && !isOurs) throw unfit('address-in-use', `${address} is used by ${user}: free it first`);
  // Azure would refuse the load balancer for it, and with it the changes for all others.
  const { provisioningState: state = 'Succeeded' } = properties;
  if (user === undefined && state !== 'Succeeded') {
    const message = `${address} is in the state ${state}: it is used when Azure has made it`;
    throw new FairleadError(message, { verdict: 'retriable', code: 'address-not-ready' });
  }
  const label = properties.dnsSettings?.domainNameLabel;
  if (wanted.dnsLabel !== undefined && wanted.dnsLabel !== label) {
    throw unfit('address-unfit', `${address} is your own, and has not the DNS label ${wanted.dnsLabel}: set it there`);
  }
}

function unfit(code: string, message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code });
}
