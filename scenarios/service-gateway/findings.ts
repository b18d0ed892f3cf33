import { messageOf, silentLogger } from '@fairlead/control';
import { findCondition, hasFinalizer, keyText, pods, type Service, services } from '@fairlead/kube';
import { writesOf } from '@fairlead/part';
import { listAt, objectAt, textAt } from './arm-body.ts';
import {
  FINALIZER,
  GATEWAY,
  loadBalancerId,
  natGatewayId,
  POD_FINALIZER,
  PROGRAMMED,
  publicIpId,
  SUBNET,
} from './site.ts';
import { ANY, familyOfService, isOurs, isRefused, tagsOf, uidOf, type Wanted, wantedOf } from './wanted.ts';
import type { World } from './world.ts';

const DEFAULT_EGRESS = 'default-natgw';

/** What is there and not wanted, and what is wanted and not there. */
export interface Findings {
  readonly leaked: readonly string[];
  readonly lost: readonly string[];
  /** Something is there that need not be: a leader that started now might see it otherwise. */
  readonly isTolerant: boolean;
}

/** Compares Azure, and the finalizers in the cluster, with what the cluster wants. */
export function findingsOf(world: World): Findings {
  const wanted = wantedOf(world, world.simulation.clock.now());
  return new Comparison(world, wanted).run();
}

class Comparison {
  readonly #world: World;
  readonly #wanted: Wanted;
  /** The services of the gateway that are ours, or should be. */
  readonly #registered: ReadonlySet<string>;
  readonly #leaked: string[] = [];
  readonly #lost: string[] = [];

  constructor(world: World, wanted: Wanted) {
    this.#world = world;
    this.#wanted = wanted;
    const all = [...world.azure.gateway(GATEWAY).services];
    const ours = all.filter(([name, { owner }]) => owner === 'client' && !world.neighbours.ownsService(name));
    this.#registered = new Set(ours.map(([name]) => name));
  }

  run(): Findings {
    const { served, refused, tolerated } = this.#wanted;
    const egresses = this.#egresses();
    const may = [...refused.keys(), ...tolerated];
    this.#compare('service', this.#registered, [...served.keys(), ...egresses], may);
    const balancers = [...served.keys()].map(loadBalancerId);
    this.#compare('', this.#resources('loadBalancers'), balancers, may.map(loadBalancerId));
    this.#compare('', this.#resources('natGateways'), egresses.map(natGatewayId), may.map(natGatewayId));
    this.#compareAddresses(egresses, may);
    this.#comparePlaces();
    this.#compareRules();
    this.#compareTags();
    this.#compareFinalizers();
    const subnet = objectAt(this.#world.azure.byHand({ method: 'GET', path: SUBNET }), 'properties', 'serviceGateway');
    if (textAt(subnet, 'id') !== GATEWAY) this.#lost.push('the attachment of the subnet');
    const isTolerant = [...tolerated].some((egress) => !egresses.includes(egress));
    this.#lost.push(...inconsistencies(this.#world));
    return { leaked: this.#leaked, lost: this.#lost, isTolerant };
  }

  /** With the default one, unless Azure has made it. */
  #egresses(): readonly string[] {
    const isAzures = this.#world.azure.gateway(GATEWAY).services.get(DEFAULT_EGRESS)?.owner === 'azure';
    return isAzures ? [...this.#wanted.egresses] : [...this.#wanted.egresses, DEFAULT_EGRESS];
  }

  #compare(what: string, there: Iterable<string>, must: Iterable<string>, may: Iterable<string>): void {
    const present = new Set([...there].map((name) => name.toLowerCase()));
    const needed = new Set([...must].map((name) => name.toLowerCase()));
    const allowed = new Set([...may].map((name) => name.toLowerCase()));
    for (const name of present) if (!needed.has(name) && !allowed.has(name)) this.#leaked.push(`${what} ${name}`);
    for (const name of needed) if (!present.has(name)) this.#lost.push(`${what} ${name}`);
  }

  /** The ids of all that is not another's. */
  #resources(kind: 'loadBalancers' | 'natGateways' | 'publicIPAddresses'): readonly string[] {
    const { azure, neighbours } = this.#world;
    const isAzures = azure.gateway(GATEWAY).services.get(DEFAULT_EGRESS)?.owner === 'azure';
    const ids = azure.resources(kind).map((resource) => textAt(resource, 'id'));
    return ids.filter((id) => !neighbours.ownsResource(id) && !(isAzures && id.includes(DEFAULT_EGRESS)));
  }

  #compareAddresses(egresses: readonly string[], may: readonly string[]): void {
    const { served, families } = this.#wanted;
    const named = (name: string, family: 'IPv4' | 'IPv6') => publicIpId(`${name}-pip${family === 'IPv6' ? '-v6' : ''}`);
    const must = [
      ...[...served].map(([uid, service]) => named(uid, familyOfService(service))),
      ...egresses.flatMap((egress) => families.map((family) => named(egress, family))),
    ];
    const optional = [
      ...may.flatMap((name) => [named(name, 'IPv4'), named(name, 'IPv6')]),
      // An egress gateway keeps the address of a family that nodes have no longer.
      ...egresses.map((egress) => named(egress, 'IPv6')),
    ];
    this.#compare('', this.#resources('publicIPAddresses'), must, optional);
  }

  #comparePlaces(): void {
    const { served, places } = this.#wanted;
    const { azure, neighbours } = this.#world;
    const { services: table, locations } = azure.gateway(GATEWAY);
    const found = new Set<string>();
    const outbound = new Set([...table].flatMap(([name, { serviceType }]) => (serviceType === 'Outbound' ? name : [])));
    const latitude = new Set([...places].flatMap(([text, place]) => (place.outbound === ANY ? text : [])));
    for (const [location, addresses] of locations) {
      for (const [address, names] of addresses) {
        const text = `${address}@${location}`;
        for (const name of names) {
          const isHeld = latitude.has(text) && outbound.has(name);
          if (!neighbours.ownsService(name) && !isHeld) found.add(`${text}=${name}`);
        }
      }
    }
    const must: string[] = [];
    const may: string[] = [];
    for (const [text, { inbound, outbound: egress }] of places) {
      for (const uid of inbound.keys()) (served.has(uid) ? must : may).push(`${text}=${uid}`);
      if (egress !== undefined && egress !== ANY) must.push(`${text}=${egress}`);
    }
    this.#compare('address', found, must, may);
  }

  #compareRules(): void {
    for (const [uid, { spec, metadata }] of this.#wanted.served) {
      const properties = objectAt(this.#world.azure.resource(loadBalancerId(uid)), 'properties');
      const there = listAt(properties, 'loadBalancingRules').map((rule) => {
        const properties = objectAt(rule, 'properties');
        const [port, targetPort] = [properties['frontendPort'], properties['backendPort']].map(Number);
        return `${textAt(properties, 'protocol').toUpperCase()} ${port} ${targetPort}`;
      });
      const must = (spec.ports ?? []).map(({ protocol, port, targetPort }) => `${protocol} ${port} ${targetPort}`);
      this.#compare(`rule of ${metadata.name}`, there, must, []);
    }
  }

  /** Tags that others, or an annotation of before, have put there may be there. */
  #compareTags(): void {
    for (const service of this.#wanted.served.values()) {
      const tags = Object.entries(objectAt(this.#world.azure.resource(addressIdOf(service)), 'tags'));
      const there = new Map(tags.map(([name, value]) => [name.toLowerCase(), value]));
      for (const [name, value] of tagsOf(service)) {
        if (there.get(name) !== value) this.#lost.push(`tag ${name}=${value} of ${service.metadata.name}`);
      }
      if (there.size < tags.length) this.#lost.push(`one spelling of each tag of ${service.metadata.name}`);
    }
  }

  #compareFinalizers(): void {
    const { objects } = this.#world;
    for (const service of objects(services)) {
      const isHeld = hasFinalizer(service, FINALIZER);
      if (isHeld && !isOurs(service)) this.#leaked.push(`the finalizer of Service ${keyText(service.metadata)}`);
      const uid = uidOf(service);
      // One that is refused is held, too: what is said of it has to be taken back when it leaves.
      if (!isHeld && (this.#wanted.served.has(uid) || this.#wanted.refused.has(uid))) {
        this.#lost.push(`the finalizer of Service ${keyText(service.metadata)}`);
      }
    }
    const wanting = new Map(this.#wanted.pods.map((pod) => [pod.uid, pod]));
    for (const pod of objects(pods)) {
      const isHeld = hasFinalizer(pod, POD_FINALIZER);
      const wish = wanting.get(uidOf(pod));
      if (isHeld && wish === undefined) this.#leaked.push(`the finalizer of pod ${pod.metadata.name}`);
      const mustBeHeld = (wish?.places.length ?? 0) > 0 && pod.metadata.deletionTimestamp === undefined;
      if (!isHeld && mustBeHeld) this.#lost.push(`the finalizer of pod ${pod.metadata.name}`);
    }
  }
}

/** Whatever names something in Azure that is not there. */
function inconsistencies({ azure }: World): readonly string[] {
  try {
    azure.assertConsistent();
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** What is still missing, once nothing goes wrong any more. */
export async function unfinished(world: World): Promise<string | undefined> {
  const { patience, azure, variant } = world;
  const { leaked, lost, isTolerant } = findingsOf(world);
  const amiss = [...lost.map((name) => `${name} is not there`), ...leaked.map((name) => `${name} is still there`)];
  const [first] = amiss;
  if (first !== undefined)
    return patience.hasSeen(amiss.join(), FOR_GOOD_MILLISECONDS[variant.comparison]) ? undefined : first;
  const status = statusAmiss(world);
  if (status !== undefined) return status;
  // What it has not heard of yet, the part does once more; and what need not be there, it may still take down.
  const writes = `${azure.log.count() - azure.log.count('GET')} writes`;
  if (!patience.hasSeen(writes, isTolerant ? ROUND_MILLISECONDS[variant.comparison] : ECHO_MILLISECONDS))
    return 'Azure is still written to';
  return isTolerant ? undefined : planned(world);
}

/** Longer than from one comparison with Azure to the next. */
const ROUND_MILLISECONDS = { often: 150_000, default: 750_000, off: 150_000 };
/** Longer than the part ever waits between two attempts: what is so for so long will stay. */
const FOR_GOOD_MILLISECONDS = { often: 480_000, default: 900_000, off: 480_000 };
/** Longer than until a call whose answer was lost is made again. */
const ECHO_MILLISECONDS = 45_000;

/** Tells what has yet to happen from what never will. */
export class Patience {
  readonly #monotonic: () => number;
  #seen = '';
  #since = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Whether it was this, and nothing else, for so long. */
  hasSeen(seen: string, milliseconds: number): boolean {
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#since = this.#monotonic();
    }
    return this.#monotonic() - this.#since >= milliseconds;
  }
}

function statusAmiss(world: World): string | undefined {
  for (const service of world.objects(services)) {
    const name = keyText(service.metadata);
    if (service.metadata.deletionTimestamp !== undefined) return `${name} is still being deleted`;
    const shown = (service.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip).join();
    const programmed = findCondition(service, PROGRAMMED);
    if (!isOurs(service)) {
      if (shown !== '' || programmed !== undefined) return `${name} is not ours, and its status says otherwise`;
      continue;
    }
    const expected = isRegistered(world, service) ? addressOf(world, service) : '';
    // One that was never served before it was refused need not show an address.
    if (shown !== expected && !(isRefused(service) && shown === ''))
      return `${name} shows ${shown || 'no address'} instead of ${expected || 'none'}`;
    const status = isRefused(service) ? 'False' : 'True';
    if (programmed?.status !== status) return `${name} should have the condition ${PROGRAMMED}=${status}`;
  }
  return undefined;
}

function isRegistered({ azure }: Pick<World, 'azure'>, service: Service): boolean {
  return azure.gateway(GATEWAY).services.has(uidOf(service));
}

function addressOf({ azure }: Pick<World, 'azure'>, service: Service): string {
  return textAt(objectAt(azure.resource(addressIdOf(service)), 'properties'), 'ipAddress');
}

function addressIdOf(service: Service): string {
  return publicIpId(`${uidOf(service)}-pip${familyOfService(service) === 'IPv6' ? '-v6' : ''}`);
}

/** A leader that started now would have nothing to do. */
async function planned({ part, editor, simulation }: World): Promise<string | undefined> {
  const clock = {
    now: () => simulation.clock.now(),
    monotonic: () => 0,
    setTimer: () => ({ cancel() {} }),
    turn: async () => {},
  };
  const { signal } = new AbortController();
  const plan = await part.plan({ client: editor, clock, logger: silentLogger, signal });
  if (writesOf(plan) === 0) return undefined;
  const first = plan.changes.find((change) => change.writes > 0);
  return `${first?.subject}: ${first?.action}, ${first?.detail}`;
}
