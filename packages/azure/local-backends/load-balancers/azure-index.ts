import { parseIpAddress } from '@fairlead/control';
import { type ArmId, armIdKey, type Frontend, holds, type SecurityRule } from '../../arm/index.ts';
import type { ServiceMark } from '../names.ts';
import type { AzureSite } from '../site.ts';
import { nameFor } from './child-resources.ts';
import { type PartOwner, partOwner, servicesIn } from './load-balancer-body.ts';
import type { ObservedAzure } from './observed.ts';
import type { KnownAddresses, WantedRule } from './security-rules.ts';
import type { Intention, Present } from './target.ts';

/** What is in Azure, arranged so that a plan for many Services takes no longer than reading it once. */
export class AzureIndex {
  readonly observed: ObservedAzure;
  readonly ownerOf: PartOwner;
  readonly #site: AzureSite;
  /** Service -> the load balancers that have something of it. */
  readonly #places = new Map<ServiceMark, Set<string>>();
  /** `loadBalancer/name`, in lower case -> frontend */
  readonly #frontends = new Map<string, Frontend>();
  /** Public addresses that a frontend holds. */
  readonly #held = new Set<string>();
  /** Name in lower case -> rule */
  readonly #rules: ReadonlyMap<string, SecurityRule>;

  constructor(site: AzureSite, observed: ObservedAzure, intentions: readonly Intention[]) {
    this.#site = site;
    this.observed = observed;
    const adopted = intentions.flatMap(({ mark, adopted: pools }) =>
      Object.values(pools).map((name) => [name.toLowerCase(), mark] as const),
    );
    this.ownerOf = partOwner(site, new Map(adopted));
    for (const [name, loadBalancer] of observed.loadBalancers) {
      for (const mark of servicesIn(loadBalancer, this.ownerOf)) {
        const places = this.#places.get(mark);
        if (places === undefined) this.#places.set(mark, new Set([name]));
        else places.add(name);
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

  /** Where the Service can be reached, by family, as far as it is known. */
  addressesOf({ wanted, loadBalancer }: Present): KnownAddresses {
    const found = wanted.families.flatMap((family) => {
      const name = nameFor(this.#site, wanted, family).toLowerCase();
      const text =
        wanted.scope === 'public'
          ? this.observed.publicIps.get(name)?.properties.ipAddress
          : this.#frontends.get(`${loadBalancer.toLowerCase()}/${name}`)?.properties.privateIPAddress;
      const address = parseIpAddress(text ?? '')?.address;
      return address === undefined ? [] : [[family, address] as const];
    });
    return Object.fromEntries(found);
  }

  knowsAllAddressesOf(intention: Present): boolean {
    const addresses = this.addressesOf(intention);
    return intention.wanted.families.every((family) => addresses[family] !== undefined);
  }

  /** Whether a load balancer has anything of the Service; `except` is not asked. */
  isAnywhere(mark: ServiceMark, except?: string): boolean {
    return [...(this.#places.get(mark) ?? [])].some((name) => name !== except?.toLowerCase());
  }

  isHeld(publicIp: ArmId<'publicIPAddresses'>): boolean {
    return this.#held.has(armIdKey(publicIp));
  }

  hasSecurityRules(wanted: readonly WantedRule[]): boolean {
    return wanted.every((rule) => holds(this.#rules.get(rule.name.toLowerCase()), rule));
  }
}
