import { endpointSlices, nodes, services } from '@fairlead/kube';
import type { ReadEnvironment } from '@fairlead/part';
import type { ServiceKey, ServiceWrite } from '@fairlead/service';
import type { OpenedAzure } from '../../arm/index.ts';
import { BackendTracker } from '../backend-pools/backend-tracker.ts';
import { infoThere, poolsOutOfStep } from '../backend-pools/pool-registry.ts';
import type { LocalBackendsConfiguration } from '../configuration.ts';
import { localServiceInfo } from '../load-balancers/request-bodies/child-resources.ts';
import { desiredOptions, recordedLoadBalancer } from '../load-balancers/desired.ts';
import { servicesInAzure } from '../load-balancers/leftovers.ts';
import { AzureIndex, type ObservedAzure, observe } from '../load-balancers/observed.ts';
import { decide, detachedTargetOf, type Outcome, targetOf } from '../load-balancers/outcome.ts';
import { type AzureWrite, callOf } from '../load-balancers/plan.ts';
import { writesAfterAzure, writesBeforeAzure } from '../load-balancers/service-writes.ts';
import { leftover, type PresentTarget, type Target } from '../load-balancers/target.ts';
import { type AzureSite, readSite } from '../site.ts';
import { dryRun, withAllAddresses } from './dry-run.ts';

/** The cluster and Azure at one moment, and what a leader that started now would write. */
export interface Snapshot {
  readonly site: AzureSite;
  readonly backends: BackendTracker;
  readonly observed: ObservedAzure;
  readonly index: AzureIndex;
  readonly outcomes: ReadonlyMap<ServiceKey, Outcome>;
  readonly leftovers: readonly Target[];
  /** How many Services of this cluster have anything in Azure. */
  readonly inAzure: number;
  /** In order, for leftovers and Services alike. */
  readonly azureWrites: readonly AzureWrite[];
  /** To each Service, before and after what is written to Azure for it. */
  readonly serviceWrites: ReadonlyMap<ServiceKey, Record<'before' | 'after', readonly ServiceWrite[]>>;
}

/** Reads everything, and decides as a leader would. */
export async function takeSnapshot(
  { client: arm, cloud }: Pick<OpenedAzure, 'client' | 'cloud'>,
  configuration: LocalBackendsConfiguration,
  { client, clock, signal, defaultClass }: ReadEnvironment,
): Promise<Snapshot> {
  const site = await readSite(client, cloud, configuration, signal);
  const [{ items: cluster }, { items: slices }, { items: machines }] = await Promise.all([
    client.list(services, { signal }),
    client.list(endpointSlices, { signal }),
    client.list(nodes, { signal }),
  ]);
  const backends = new BackendTracker();
  for (const node of machines) backends.setNode(node);
  for (const slice of slices) backends.setSlice(slice);
  const observed = await observe(arm, site, { placed: cluster, addressed: cluster }, signal);
  const { loadBalancers } = observed;
  const options = desiredOptions(site, defaultClass);
  const outcomes = decide({ site, options, services: cluster, cluster, loadBalancers });
  for (const [key, outcome] of outcomes) {
    const info = infoOf(site, key, outcome, observed);
    if (info !== undefined) backends.follow(info);
  }
  const there = servicesInAzure(site, observed, cluster, options.rules);
  const leftovers = there.leftovers.map(leftover);
  const targets = [...outcomes].flatMap(([key, outcome]) => targetOf(key, outcome) ?? []);
  const movers = [...outcomes].flatMap(([key, outcome]) => detachedTargetOf(key, outcome) ?? []);
  // A leader sweeps first, has Services leave where they must not stay, and then works on all of them at once.
  const azureWrites: AzureWrite[] = [];
  let after = withAllAddresses(observed);
  for (const stage of [leftovers, movers, targets]) {
    const run = dryRun({ site, targets: stage, observed: after, backends });
    azureWrites.push(...run.writes);
    after = run.observed;
  }
  const indexAfter = new AzureIndex(site, after, targets);
  const serviceWrites = [...outcomes].map(([key, outcome]) => {
    const addresses = outcome.kind === 'serve' ? indexAfter.addressesOf(outcome.target) : [];
    const writes = { before: writesBeforeAzure(outcome), after: writesAfterAzure(outcome, addresses, clock) };
    return [key, writes] as const;
  });
  return {
    site,
    backends,
    observed,
    index: new AzureIndex(site, observed, targets),
    outcomes,
    leftovers,
    inAzure: there.all.length,
    azureWrites,
    serviceWrites: new Map(serviceWrites),
  };
}

/** What the Service has or gets, as far as a leader has its pools follow its endpoints. */
function infoOf(site: AzureSite, key: ServiceKey, outcome: Outcome, { loadBalancers }: ObservedAzure) {
  if (outcome.kind === 'serve') return localServiceInfo(site, outcome.target);
  const { service } = outcome.claim;
  const body = loadBalancers.get(recordedLoadBalancer(service)?.toLowerCase() ?? '');
  return outcome.kind === 'refuse' && body !== undefined ? infoThere(site, key, service, body) : undefined;
}

/** What is written to Azure for this Service alone, or for others, too. */
export function azureWritesFor({ azureWrites }: Snapshot, subject: Target['subject']): readonly AzureWrite[] {
  return azureWrites.filter(({ subjects }) => subjects.includes(subject));
}

/** All that a leader has still to write for the Service, by name and in order. */
export function pendingFor(snapshot: Snapshot, key: ServiceKey): readonly { readonly name: string }[] {
  const { before = [], after = [] } = snapshot.serviceWrites.get(key) ?? {};
  return [...before, ...azureWritesFor(snapshot, key).map((write) => ({ name: callOf(write) })), ...after];
}

/** Pools of the Service that are there and do not have the nodes that serve it, by name. */
export function stalePools({ site, observed, backends }: Snapshot, target: PresentTarget): readonly string[] {
  const body = observed.loadBalancers.get(target.loadBalancer.toLowerCase());
  const there = new Set(body?.properties.backendAddressPools?.map(({ name }) => name.toLowerCase()));
  return poolsOutOfStep(localServiceInfo(site, target), body, backends)
    .map(({ name }) => name)
    .filter((name) => there.has(name.toLowerCase()));
}
