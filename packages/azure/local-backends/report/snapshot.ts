import { type IpAddress, serviceUid } from '@fairlead/control';
import { endpointSlices, nodes, services } from '@fairlead/kube';
import type { ReadEnvironment } from '@fairlead/part';
import type { ServiceKey } from '@fairlead/service';
import type { OpenedAzure } from '../../arm/index.ts';
import { BackendTracker } from '../backend-pools/backend-tracker.ts';
import type { LocalBackendsConfiguration } from '../configuration.ts';
import { siteOf } from '../controller.ts';
import { AzureIndex } from '../load-balancers/azure-index.ts';
import { claimRules, recordedLoadBalancer } from '../load-balancers/desired.ts';
import { removalOf, servicesThere } from '../load-balancers/leftovers.ts';
import { type ObservedAzure, observe } from '../load-balancers/observed.ts';
import { type Decision, decide, intentionFor } from '../load-balancers/outcome.ts';
import type { AzureWrite, Intention } from '../load-balancers/target.ts';
import { type ServiceMark, serviceMark } from '../names.ts';
import type { AzureSite } from '../site.ts';
import { outlook } from './dry-run.ts';

/** The cluster and Azure at one moment, and what a leader would make of them. */
export interface Survey {
  readonly site: AzureSite;
  readonly backends: BackendTracker;
  readonly observed: ObservedAzure;
  readonly index: AzureIndex;
  readonly decisions: ReadonlyMap<ServiceKey, Decision>;
  /** For each Service that concerns Azure. */
  readonly intentions: ReadonlyMap<Intention['subject'], Intention>;
  /** In order. */
  readonly writes: readonly AzureWrite[];
}

/** Reads everything, and decides as a leader would. */
export async function takeSurvey(
  { client: arm, cloud }: Pick<OpenedAzure, 'client' | 'cloud'>,
  configuration: LocalBackendsConfiguration,
  environment: ReadEnvironment,
): Promise<Survey> {
  const { client, signal, defaultClass } = environment;
  const site = await siteOf(client, cloud, configuration, signal);
  const [{ items: cluster }, { items: slices }, { items: machines }] = await Promise.all([
    client.list(services, { signal }),
    client.list(endpointSlices, { signal }),
    client.list(nodes, { signal }),
  ]);
  const backends = new BackendTracker(() => {});
  for (const node of machines) backends.setNode(node);
  for (const slice of slices) backends.setSlice(slice);
  const alsoLoadBalancers = cluster.flatMap((service) => recordedLoadBalancer(service) ?? []);
  const observed = await observe({ client: arm, site, alsoLoadBalancers, signal });
  const options = { rules: claimRules(defaultClass), hasSecurityGroup: site.securityGroupId !== undefined };
  const { loadBalancers } = observed;
  const decisions = decide({ site, options, services: cluster, cluster, loadBalancers });
  const known = [...decisions].flatMap(([key, decision]) => intentionFor(key, decision, backends) ?? []);
  const existing = marksOf(decisions);
  const leftovers = [...servicesThere(site, observed)].filter((mark) => !existing.has(mark)).map(removalOf);
  const intentions = [...known, ...leftovers];
  const isNode = (address: IpAddress) => backends.isNode(address);
  // A leader sweeps first, and then works on all Services at once.
  const swept = outlook({ site, intentions: leftovers, observed, isNode });
  const converged = outlook({ site, intentions: known, observed: swept.observed, isNode });
  return {
    site,
    backends,
    observed,
    index: new AzureIndex(site, observed, intentions),
    decisions,
    intentions: new Map(intentions.map((intention) => [intention.subject, intention])),
    writes: [...swept.writes, ...converged.writes],
  };
}

/** Of all Services that are ours, served or not. */
function marksOf(decisions: ReadonlyMap<ServiceKey, Decision>): ReadonlySet<ServiceMark> {
  return new Set(
    [...decisions.values()].flatMap(({ kind, claim }) =>
      kind === 'foreign' ? [] : [serviceMark(serviceUid(claim.service.metadata.uid ?? ''))],
    ),
  );
}
