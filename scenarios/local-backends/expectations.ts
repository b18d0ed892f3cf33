import type { LoadBalancer } from '@fairlead/azure/arm';
import { silentLogger } from '@fairlead/control';
import { findCondition, type IpFamily, keyText, type Service } from '@fairlead/kube';
import type { PlannedChange } from '@fairlead/part';
import type { Call } from '@fairlead/sim';
import { isOwnEntry, markIn, serviceMark } from './azure-view.ts';
import {
  CLASS,
  hasOwnAddress,
  isInternal,
  PLACE,
  partOver,
  placesFor,
  OWN_HOLDER,
  resourceLock,
  shopServices,
  type World,
} from './world.ts';

export const FINALIZER = 'fairlead.dev/azure-local';
const PROGRAMMED = 'fairlead.dev/Programmed';
/** Longer than a call that got no answer is repeated. */
const QUIET_MILLISECONDS = 60_000;

/**
 * Who holds the lock of the Azure resources. One of another that ran out is nobody's: who has nothing to do does not
 * take it. Ours is never left to run out.
 */
function lockHolder(world: World): string {
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = resourceLock(world)?.spec ?? {};
  const isOver = world.simulation.clock.now() > Date.parse(renewTime) + leaseDurationSeconds * 1_000;
  return isOver && holderIdentity !== OWN_HOLDER ? '' : holderIdentity;
}

/** What is not as the cluster's objects say it should be, worked out without the help of the part; or what it says. */
export async function unfinished(world: World): Promise<string | undefined> {
  const { editor, azure, simulation, watch } = world;
  const { clock } = simulation;
  if (clock.monotonic() - watch.lastWriteAt < QUIET_MILLISECONDS) return 'something was written a moment ago';
  const holder = lockHolder(world);
  // Once at rest, it still compares.
  if (holder !== '' && !watch.hasRested) return `${holder} is at work, or died at it`;
  for (const service of shopServices(world)) {
    const missing = missingFor(world, service);
    if (missing !== undefined) return `${service.metadata.name}: ${missing}`;
  }
  const givenUp = shopServices(world).filter((service) => isGivenUp(world, service));
  const { signal } = new AbortController();
  azure.emulator.assertConsistent();
  const part = partOver(world, azure.emulator);
  const plan = await part.plan({ client: editor, clock, logger: silentLogger, signal });
  const names = givenUp.map(({ metadata }) => keyText(metadata));
  const isLeftToOthers = (change: PlannedChange) =>
    names.length > 0 && (change.subject.startsWith('backend pool ') || putsPoolRight(world, names, change));
  const [first] = plan.changes.filter((change) => change.writes > 0 && !isLeftToOthers(change));
  if (first === undefined) {
    watch.hasRested = true;
    return undefined;
  }
  return `the plan is not empty: ${first.subject}: ${first.action}, ${first.detail}`;
}

/** A pool that Azure accepted and failed at is put right by a write of its load balancer, for all who are on it. */
function putsPoolRight({ azure }: World, givenUp: readonly string[], { subject, detail }: PlannedChange): boolean {
  const [, name = ''] = /^load balancer (.+)$/.exec(subject) ?? [];
  const [, concerned = ''] = /^for (.+)$/.exec(detail) ?? [];
  const hasFailed = azure.loadBalancer(name)?.properties.provisioningState === 'Failed';
  return hasFailed && concerned.split(', ').some((one) => givenUp.includes(one));
}

function missingFor(world: World, service: Service): string | undefined {
  if (service.metadata.deletionTimestamp !== undefined) return 'it is still being deleted';
  if (!isOurs(service)) return undefined;
  const programmed = findCondition(service, PROGRAMMED)?.status;
  const [stale] = stalePools(world, service);
  if (stale !== undefined && !isGivenUp(world, service)) return `its pool ${stale.pool} ${stale.why}`;
  if (placesFor(world, service).length === 0 || service.spec.externalTrafficPolicy !== 'Local') {
    return programmed === 'False' ? undefined : 'it cannot be served, and is not told so';
  }
  if (programmed !== 'True') return 'it is not told that it is served';
  return misplaced(world, service) ?? misguarded(world, service);
}

/**
 * The updater has told that it gives up, as it does without a word from Azure that it could go by: then only a change of
 * endpoints, a comparison or another leader puts the pool right.
 */
function isGivenUp({ settings, watch }: World, { metadata }: Service): boolean {
  return settings.comparisonIntervalSeconds === 0 && watch.givenUp.has(serviceMark(metadata.uid ?? ''));
}

function isOurs({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.loadBalancerClass === CLASS;
}

function familiesOf({ spec }: Service): readonly IpFamily[] {
  return spec.ipFamilies ?? ['IPv4'];
}

/** Whether the call puts a pool right that was given up. */
export function takesUpAgain(world: World, { name, subject }: Call): boolean {
  if (name !== 'PUT backendAddressPools') return false;
  const given = shopServices(world).filter((service) => isGivenUp(world, service));
  return given.flatMap((service) => stalePools(world, service)).some(({ pool }) => pool === subject);
}

/** Every pool of the Service should equal the world, also of one that is no longer served as it asks. */
function stalePools({ azure, history }: World, { metadata }: Service): readonly { pool: string; why: string }[] {
  return azure.ownPools.flatMap(({ loadBalancer, name, mark, entries }) => {
    if (mark !== serviceMark(metadata.uid ?? '')) return [];
    const held = ownAddresses(entries).join(' ');
    const wanted = history.wanted(metadata.name, familyOfPool(name)).join(' ');
    return held === wanted ? [] : [{ pool: `${loadBalancer}/${name}`, why: `has [${held}] instead of [${wanted}]` }];
  });
}

/** The addresses of the part's own entries, sorted. */
export function ownAddresses(entries: World['azure']['ownPools'][number]['entries']): readonly string[] {
  return entries
    .filter(isOwnEntry)
    .map(({ properties }) => properties.ipAddress ?? '')
    .toSorted();
}

export function familyOfPool(name: string): IpFamily {
  return name.endsWith('-v6') ? 'IPv6' : 'IPv4';
}

/** Names of the Service's parts in a load balancer, without what stands for the Service. */
function partsIn({ properties }: LoadBalancer, mark: string): Readonly<Record<string, readonly string[]>> {
  const own = (parts: readonly { readonly name: string }[] = []) =>
    parts
      .flatMap(({ name }) => (markIn(name) === mark ? [name.slice(name.indexOf(mark) + mark.length)] : []))
      .toSorted();
  return {
    frontends: own(properties.frontendIPConfigurations),
    pools: own(properties.backendAddressPools),
    probes: own(properties.probes),
    rules: own(properties.loadBalancingRules),
  };
}

function misplaced(world: World, service: Service): string | undefined {
  const { azure } = world;
  const mark = serviceMark(service.metadata.uid ?? '');
  const place = service.metadata.annotations?.[PLACE] ?? 'nowhere';
  if (!placesFor(world, service).includes(place)) return `it is recorded to be on ${place}`;
  const suffixes = familiesOf(service)
    .map((family) => (family === 'IPv6' ? '-v6' : ''))
    .toSorted();
  const rules = suffixes.flatMap((suffix) =>
    (service.spec.ports ?? []).map(({ protocol = 'TCP', port }) => `${suffix}-${protocol.toLowerCase()}-${port}`),
  );
  const everything = { frontends: suffixes, pools: suffixes, probes: suffixes, rules: rules.toSorted() };
  const nothing = { frontends: [], pools: [], probes: [], rules: [] };
  for (const loadBalancer of azure.loadBalancers) {
    const wanted = JSON.stringify(loadBalancer.name === place ? everything : nothing);
    const there = JSON.stringify(partsIn(loadBalancer, mark));
    if (there !== wanted) return `it has ${there} instead of ${wanted} on ${loadBalancer.name}`;
  }
  if (azure.loadBalancer(place) === undefined) return `its load balancer ${place} is not there`;
  const probe = azure.loadBalancer(place)?.properties.probes?.find(({ name }) => markIn(name) === mark);
  if (probe?.properties.port !== service.spec.healthCheckNodePort) return 'its probe asks at another port';
  const shown = (service.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
  const given = familiesOf(service).map((family) => addressOf(azure, service, place, family));
  if (shown.join() !== given.join()) return `it shows [${shown.join()}] instead of [${given.join()}]`;
  return service.metadata.finalizers?.includes(FINALIZER) === true ? undefined : 'no finalizer of ours holds it';
}

/** The address by which the frontend of the family is reached, or a sentence about what is wrong with it. */
function addressOf(azure: World['azure'], service: Service, place: string, family: IpFamily): string {
  const mark = serviceMark(service.metadata.uid ?? '');
  const frontend = azure
    .loadBalancer(place)
    ?.properties.frontendIPConfigurations?.find(({ name }) => markIn(name) === mark && familyOfPool(name) === family);
  const { publicIPAddress, privateIPAddress = 'no private address' } = frontend?.properties ?? {};
  if (isInternal(service)) return publicIPAddress === undefined ? privateIPAddress : 'a public address';
  const held = azure.publicIps.find(({ id }) => id === publicIPAddress?.id);
  return held?.properties.ipAddress ?? 'no public address';
}

/** Public addresses and security rules: those that the Service needs, and no others. */
function misguarded({ azure }: World, service: Service): string | undefined {
  const { uid = '' } = service.metadata;
  const families = familiesOf(service);
  const held = azure.publicIps.filter(({ tags }) => tags?.['fairlead-service'] === uid).length;
  const needed = isInternal(service) ? 0 : families.length - (hasOwnAddress(service) ? 1 : 0);
  if (held !== needed) return `it has ${held} public addresses instead of ${needed}`;
  const ranges = service.spec.loadBalancerSourceRanges ?? [];
  const protocols = new Set((service.spec.ports ?? []).map(({ protocol = 'TCP' }) => protocol.toLowerCase()));
  const shown = (service.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
  const wanted = families.flatMap((family, index) => {
    const sources = ranges.length === 0 ? ['*'] : ranges.filter((range) => range.includes(':') === (family === 'IPv6'));
    const isOpen = ranges.length === 0 && isInternal(service);
    const allowed = isOpen || sources.length === 0 ? [] : [...protocols].map((protocol) => `Allow ${protocol}`);
    const rules = ranges.length === 0 ? allowed : [...allowed, 'Deny *'];
    return rules.map((rule) => `${rule} ${shown[index]} from ${rule.startsWith('Deny') ? '*' : sources.join()}`);
  });
  const there = azure.securityRules
    .filter(({ name }) => markIn(name) === serviceMark(uid))
    .map(({ properties }) => {
      const { access, protocol, destinationAddressPrefix, sourceAddressPrefix, sourceAddressPrefixes } = properties;
      const from = sourceAddressPrefix ?? sourceAddressPrefixes?.join();
      return `${access} ${protocol.toLowerCase()} ${destinationAddressPrefix} from ${from}`;
    });
  const [left, right] = [there.toSorted().join('; '), wanted.toSorted().join('; ')];
  return left === right ? undefined : `the security group has [${left}] instead of [${right}]`;
}

/** What is left in Azure and on Services of those that are gone, or no longer ours. */
export function leaked(world: World): readonly string[] {
  const { azure } = world;
  const ours = new Map(
    shopServices(world)
      .filter(isOurs)
      .map((service) => [serviceMark(service.metadata.uid ?? ''), service]),
  );
  const isOrphan = (name: string) => {
    const mark = markIn(name);
    return mark !== undefined && !ours.has(mark);
  };
  const parts = azure.loadBalancers.flatMap(({ name: loadBalancer, properties }) =>
    [
      properties.frontendIPConfigurations,
      properties.backendAddressPools,
      properties.probes,
      properties.loadBalancingRules,
    ].flatMap((list = []) => list.filter(({ name }) => isOrphan(name)).map(({ name }) => `${loadBalancer}/${name}`)),
  );
  const rules = azure.securityRules.filter(({ name }) => isOrphan(name)).map(({ name }) => `security rule ${name}`);
  const addresses = azure.publicIps.filter(({ name }) => isOrphan(name)).map(({ name }) => `public address ${name}`);
  const empty = azure.loadBalancers.filter(isEmptyAndOurs).map(({ name }) => `load balancer ${name}, which is empty`);
  const held = shopServices(world)
    .filter((service) => !isOurs(service) && isTouched(service))
    .map(({ metadata }) => `the Service ${metadata.name}, which is not ours any more and still marked as if it were`);
  return [...parts, ...rules, ...addresses, ...empty, ...held];
}

/** What others had in Azure, and addresses that people may know by now. */
export function lost(world: World): readonly string[] {
  const foreign = world.foreign.missing();
  const moved = shopServices(world).flatMap(({ metadata, status }) => {
    const mark = serviceMark(metadata.uid ?? '');
    const first = world.addresses.of(mark);
    const shown = (status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip).join();
    if (first === undefined || world.onceNotPublic.has(mark) || first === shown) return [];
    return [`${metadata.name} was reached at ${first}, and is at ${shown} now`];
  });
  return foreign === undefined ? moved : [foreign, ...moved];
}

function isEmptyAndOurs({ tags, properties }: LoadBalancer): boolean {
  if (tags?.['fairlead-cluster'] !== 'c1') return false;
  return [properties.frontendIPConfigurations, properties.backendAddressPools, properties.loadBalancingRules].every(
    (list = []) => list.length === 0,
  );
}

/** Whether anything on it says that it is ours, be it that it was refused. */
export function isTouched(service: Service): boolean {
  const { finalizers = [], annotations = {} } = service.metadata;
  return finalizers.includes(FINALIZER) || PLACE in annotations || findCondition(service, PROGRAMMED) !== undefined;
}
