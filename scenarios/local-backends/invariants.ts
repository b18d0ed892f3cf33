import type { Service } from '@fairlead/kube';
import type { Invariant } from '@fairlead/sim';
import { markIn, serviceMark } from './azure-view.ts';
import { FINALIZER, familyOfPool, isTouched, ownAddresses } from './expectations.ts';
import { OTHERS_SERVICE, shopServices, type World } from './world.ts';

/** Longer than a write is on its way. */
const ARRIVES_WITHIN_MILLISECONDS = 15_000;

export function invariantsOf(world: World): readonly Invariant[] {
  const pools = new PoolContents(world);
  const rules = new RuleGuard(world);
  const shown = new ShownServices(world);
  const held = new HeldServices(world);
  return [
    { name: 'the updater keeps to its rules', check: () => world.watch.check() },
    { name: 'what others have stays', check: () => world.foreign.check() },
    { name: "nobody's change is overwritten", check: () => world.azure.emulator.overwrites[0] },
    { name: 'held while it exists outside', check: () => held.check() },
    { name: 'no pool goes back in time', check: () => pools.check() },
    { name: 'no client gets in that should not', check: () => rules.check() },
    { name: 'Services are as they should be', check: () => shown.check() },
  ];
}

/** What the pools hold, and whether each change of it makes sense. */
class PoolContents {
  readonly #world: World;
  #checked = '';
  #held: ReadonlyMap<string, string> = new Map();

  constructor(world: World) {
    this.#world = world;
  }

  check(): string | undefined {
    const { azure, history, named } = this.#world;
    if (this.#checked === azure.version) return undefined;
    this.#checked = azure.version;
    const before = this.#held;
    const held = new Map<string, string>();
    this.#held = held;
    for (const { loadBalancer, name, mark, entries } of azure.ownPools) {
      const addresses = ownAddresses(entries);
      const pool = `${loadBalancer}/${name}`;
      held.set(pool, addresses.join());
      if (before.get(pool) === addresses.join()) continue;
      const service = named.get(mark)?.name ?? '';
      if (!history.explains(name, service, familyOfPool(name), addresses)) {
        return `${pool} gets [${addresses.join()}], which was not right, or not any more`;
      }
    }
    return undefined;
  }
}

/** Nothing of a Service is in Azure that no finalizer of ours holds. */
class HeldServices {
  readonly #world: World;
  #checked = '';

  constructor(world: World) {
    this.#world = world;
  }

  check(): string | undefined {
    const { azure, kube } = this.#world;
    const version = `${azure.version} ${kube.resourceVersion}`;
    if (this.#checked === version) return undefined;
    this.#checked = version;
    const free = new Map(
      shopServices(this.#world)
        .filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER) !== true)
        .map(({ metadata }) => [serviceMark(metadata.uid ?? ''), metadata.name]),
    );
    if (free.size === 0) return undefined;
    for (const name of azure.ownNames) {
      const service = free.get(markIn(name) ?? '');
      if (service !== undefined) return `${name} is in Azure, and no finalizer of ours holds ${service}`;
    }
    return undefined;
  }
}

/** A rule that lets in is there only when the security group says who may come. */
class RuleGuard {
  readonly #world: World;
  #checked = '';
  #known: ReadonlySet<string> = new Set();

  constructor(world: World) {
    this.#world = world;
  }

  check(): string | undefined {
    const { azure } = this.#world;
    if (this.#checked === azure.version) return undefined;
    this.#checked = azure.version;
    const known = new Set<string>();
    const before = this.#known;
    this.#known = known;
    for (const { name: loadBalancer, properties } of azure.loadBalancers) {
      for (const rule of properties.loadBalancingRules ?? []) {
        const mark = markIn(rule.name);
        known.add(`${loadBalancer}/${rule.name}`);
        if (mark === undefined || before.has(`${loadBalancer}/${rule.name}`)) continue;
        const frontend = properties.frontendIPConfigurations?.find(
          ({ id }) => id === rule.properties.frontendIPConfiguration.id,
        );
        const { publicIPAddress, privateIPAddress } = frontend?.properties ?? {};
        const held = azure.publicIps.find(({ id }) => id === publicIPAddress?.id);
        const address = publicIPAddress === undefined ? privateIPAddress : held?.properties.ipAddress;
        const missing = this.#missing(mark, address, publicIPAddress !== undefined);
        if (missing !== undefined) return `${rule.name} lets in to ${address} without a rule that ${missing}`;
      }
    }
    return undefined;
  }

  #missing(mark: string, address: string | undefined, isPublic: boolean): string | undefined {
    const { azure, onceOpen } = this.#world;
    const guards = azure.securityRules.filter(
      ({ name, properties }) => markIn(name) === mark && properties.destinationAddressPrefix === address,
    );
    if (isPublic && guards.length === 0) return 'says who may come';
    const isRestricted = !onceOpen.has(mark);
    if (isRestricted && !guards.some(({ properties }) => properties.access === 'Deny')) return 'keeps others out';
    return undefined;
  }
}

/** Services that show an address are held, and those of another class are left alone. */
class ShownServices {
  readonly #world: World;
  #checked = 0;

  constructor(world: World) {
    this.#world = world;
  }

  check(): string | undefined {
    const { kube, simulation, watch } = this.#world;
    if (simulation.clock.monotonic() > watch.lastServiceWriteAt + ARRIVES_WITHIN_MILLISECONDS) return undefined;
    if (this.#checked === kube.resourceVersion) return undefined;
    this.#checked = kube.resourceVersion;
    for (const service of shopServices(this.#world)) {
      const broken = this.#broken(service);
      if (broken !== undefined) return `${service.metadata.name} ${broken}`;
    }
    return undefined;
  }

  #broken(service: Service): string | undefined {
    if (service.metadata.name === OTHERS_SERVICE) {
      return isTouched(service) ? 'is of another class, and was touched' : undefined;
    }
    const shown = (service.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
    if (shown.length === 0) return undefined;
    const { finalizers = [], uid = '' } = service.metadata;
    if (!finalizers.includes(FINALIZER)) return 'shows an address, and no finalizer of ours holds it';
    this.#world.addresses.see(serviceMark(uid), shown);
    return undefined;
  }
}
