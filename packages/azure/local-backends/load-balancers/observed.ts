import { FairleadError, type IpAddress, type IpFamily, parseIpAddress } from '@fairlead/control';
import { byAge, type Service } from '@fairlead/kube';
import {
  type ArmClient,
  type ArmId,
  armIdKey,
  annotationText,
  armName,
  azureAnnotations,
  type CallOptions,
  type Frontend,
  type LoadBalancer,
  matches,
  type NetworkSecurityGroup,
  type SecurityRule,
} from '../../arm/index.ts';
import type { ServiceMark } from '../names.ts';
import { type AzureSite, loadBalancerId } from '../site.ts';
import { nameFor } from './request-bodies/child-resources.ts';
import { type ChildOwner, childOwner, servicesIn, usesPool } from './request-bodies/load-balancer-body.ts';
import { AZURE_LOCAL_CLASS, recordedLoadBalancer, type WantedService } from './desired.ts';
import {
  type ObservedAddresses,
  type PublicAddress,
  publicAddressOf,
  type ReadGroup,
} from './request-bodies/public-addresses.ts';
import type { WantedRule } from './request-bodies/security-rules.ts';
import type { PresentTarget, Target } from './target.ts';

/** What is in Azure, as far as it matters here. */
export interface ObservedAzure extends ObservedAddresses {
  /** Those that were looked for and are there, by name in lower case. */
  readonly loadBalancers: ReadonlyMap<string, LoadBalancer>;
  /** Undefined where the configuration names none. */
  readonly securityGroup: NetworkSecurityGroup | undefined;
}

/** For whom Azure is read. */
export interface ObservedFor {
  /** Those whose load balancers matter. */
  readonly placed: readonly Service[];
  /** Those whose addresses do. */
  readonly addressed: readonly Service[];
}

/**
 * Reads it all, in as many calls as there are load balancers and two, and one for each other resource group that Services
 * take addresses from, up to a limit. Rejects when any of it cannot be read. Owners of Services can write anything into
 * what is recorded on them, so that a load balancer which the configuration does not name is looked for by one list of
 * all, however many of them there are; and a resource group that cannot be read concerns only those who name it.
 */
export async function observe(
  client: Pick<ArmClient, 'find' | 'list'>,
  site: AzureSite,
  { placed, addressed }: ObservedFor,
  signal: AbortSignal,
): Promise<ObservedAzure> {
  // Who waited at the throttle gate would do so with both locks: it is better tried again when the gate opens.
  const call = { signal, throttle: 'refuse' } as const;
  const configured = new Set(site.loadBalancers.map(({ name }) => name.toLowerCase()));
  const recorded = placed.flatMap((service) => recordedLoadBalancer(service) ?? []);
  const others = new Set(recorded.map((name) => name.toLowerCase()).filter((name) => !configured.has(name)));
  const [found, left, publicIps, publicIpsElsewhere, securityGroup] = await Promise.all([
    Promise.all(site.loadBalancers.map(({ name }) => client.find(loadBalancerId(site, name), call))),
    others.size === 0 ? [] : client.list('loadBalancers', site.group, call),
    client.list('publicIPAddresses', site.group, call),
    readElsewhere(client, site, addressed, call),
    readSecurityGroup(client, site, call),
  ]);
  return {
    loadBalancers: byName([
      ...found.filter((body) => body !== undefined),
      ...left.filter(({ name }) => others.has(name.toLowerCase())),
    ]),
    publicIps: byName(publicIps),
    publicIpsElsewhere,
    securityGroup,
  };
}

/** Names as Azure takes them; a dot at the end would make it another path. */
const GROUP_NAME = /^[-\w.()]{0,89}[-\w()]$/;
/** In one look: owners of Services can name as many as they like. */
const MOST_GROUPS = 20;

/**
 * The other resource groups that Services of our class name, in lower case. Namespaces take turns, each with those of its
 * oldest Services first, so that the owners of one leave room for those of others.
 */
function addressGroups({ group }: AzureSite, services: readonly Service[]): readonly string[] {
  const own = group.resourceGroup.toLowerCase();
  const ofNamespaces = Map.groupBy(services.toSorted(byAge), ({ metadata }) => metadata.namespace).values();
  const turns = [...ofNamespaces].flatMap((list) => {
    const named = new Set(list.flatMap((service) => namedGroup(service) ?? []));
    const readable = [...named].filter((name) => GROUP_NAME.test(name) && name !== own);
    return readable.map((name, turn) => ({ name, turn }));
  });
  return [...new Set(turns.toSorted((left, right) => left.turn - right.turn).map(({ name }) => name))];
}

function namedGroup(service: Service): string | undefined {
  const isOurs = service.spec.loadBalancerClass === AZURE_LOCAL_CLASS || recordedLoadBalancer(service) !== undefined;
  return isOurs ? annotationText(service, azureAnnotations.addressGroup)?.toLowerCase() : undefined;
}

async function readElsewhere(
  client: Pick<ArmClient, 'list'>,
  site: AzureSite,
  services: readonly Service[],
  call: CallOptions,
): Promise<ReadonlyMap<string, ReadGroup>> {
  const read = async (resourceGroup: string, index: number): Promise<readonly [string, ReadGroup]> => {
    if (index >= MOST_GROUPS) return [resourceGroup, { kind: 'unread', error: tooManyGroups(resourceGroup) }];
    try {
      const addresses = await client.list('publicIPAddresses', { ...site.group, resourceGroup }, call);
      return [resourceGroup, { kind: 'read', addresses }];
    } catch (error) {
      call.signal?.throwIfAborted();
      return [resourceGroup, { kind: 'unread', error }];
    }
  };
  return new Map(await Promise.all(addressGroups(site, services).map(read)));
}

function tooManyGroups(name: string): FairleadError {
  const message = `the resource group ${name} was not looked into: Services name more than ${MOST_GROUPS} at once`;
  return new FairleadError(message, { verdict: 'retriable', code: 'too-many-resource-groups' });
}

async function readSecurityGroup(
  client: Pick<ArmClient, 'find'>,
  { securityGroupId }: AzureSite,
  call: CallOptions,
): Promise<NetworkSecurityGroup | undefined> {
  if (securityGroupId === undefined) return undefined;
  const group = await client.find(securityGroupId, call);
  if (group !== undefined) return group;
  const name = armName(securityGroupId);
  throw new FairleadError(
    `the security group ${name} of the cloud configuration is not there: create it, or correct securityGroupName`,
    { verdict: 'terminal', code: 'security-group-missing' },
  );
}

function byName<Resource extends { readonly name: string }>(resources: readonly Resource[]): Map<string, Resource> {
  return new Map(resources.map((resource) => [resource.name.toLowerCase(), resource]));
}

/** What is in Azure, arranged so that a plan for many Services takes no longer than reading it once. */
export class AzureIndex {
  readonly observed: ObservedAzure;
  readonly ownerOf: ChildOwner;
  readonly #site: AzureSite;
  /** Service -> the load balancers that have something of it. */
  readonly #foundOn = new Map<ServiceMark, Set<string>>();
  /** `loadBalancer/name`, in lower case -> frontend */
  readonly #frontends = new Map<string, Frontend>();
  /** Public addresses that a frontend holds. */
  readonly #held = new Set<string>();
  /** Name in lower case -> rule */
  readonly #rules: ReadonlyMap<string, SecurityRule>;

  constructor(site: AzureSite, observed: ObservedAzure, targets: readonly Target[]) {
    this.#site = site;
    this.observed = observed;
    const all = [...observed.loadBalancers.values()];
    const adopted = targets.flatMap(({ kind, mark, adopted: pools }) =>
      Object.values(pools)
        .filter((name) => kind === 'present' || all.some((one) => usesPool(site, one, name, mark)))
        .map((name) => [name.toLowerCase(), mark] as const),
    );
    this.ownerOf = childOwner(site, new Map(adopted));
    for (const [name, loadBalancer] of observed.loadBalancers) {
      for (const mark of servicesIn(loadBalancer, this.ownerOf)) {
        const names = this.#foundOn.get(mark);
        if (names === undefined) this.#foundOn.set(mark, new Set([name]));
        else names.add(name);
      }
      for (const frontend of loadBalancer.properties.frontendIPConfigurations ?? []) {
        this.#frontends.set(`${name}/${frontend.name.toLowerCase()}`, frontend);
        const { publicIPAddress } = frontend.properties;
        if (publicIPAddress !== undefined) this.#held.add(armIdKey(publicIPAddress.id));
      }
    }
    const rules = observed.securityGroup?.properties.securityRules ?? [];
    this.#rules = new Map(rules.map((rule) => [rule.name.toLowerCase(), rule]));
  }

  /** Where the Service can be reached, in the order of its families, as far as it is known. */
  addressesOf({ wanted, loadBalancer }: PresentTarget): readonly IpAddress[] {
    return wanted.families.flatMap((family) => {
      const name = nameFor(this.#site, wanted, family).toLowerCase();
      const publicIp = wanted.scope === 'public' ? this.publicAddressOf(wanted, family) : undefined;
      const text =
        publicIp === undefined
          ? this.#frontends.get(`${loadBalancer.toLowerCase()}/${name}`)?.properties.privateIPAddress
          : publicIp.kind === 'missing'
            ? undefined
            : publicIp.there?.properties.ipAddress;
      return parseIpAddress(text ?? '')?.address ?? [];
    });
  }

  publicAddressOf(wanted: WantedService, family: IpFamily): PublicAddress {
    return publicAddressOf(this.#site, this.observed, wanted, family);
  }

  knowsAllAddressesOf(target: PresentTarget): boolean {
    return this.addressesOf(target).length === target.wanted.families.length;
  }

  /** Whether a load balancer has anything of the Service; `except` is not asked. */
  isAnywhere(mark: ServiceMark, except?: string): boolean {
    return [...(this.#foundOn.get(mark) ?? [])].some((name) => name !== except?.toLowerCase());
  }

  isHeld(publicIp: ArmId<'publicIPAddresses'>): boolean {
    return this.#held.has(armIdKey(publicIp));
  }

  hasSecurityRules(wanted: readonly WantedRule[]): boolean {
    return wanted.every((rule) => matches(this.#rules.get(rule.name.toLowerCase()), rule));
  }
}
