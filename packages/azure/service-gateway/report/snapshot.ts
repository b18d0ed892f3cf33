import { type Clock, codeOf, messageOf, seededRandom } from '@fairlead/control';
import {
  endpointSlices,
  hasFinalizer,
  keyText,
  nodes as nodeResource,
  type Pod,
  pods as podResource,
  services as serviceResource,
} from '@fairlead/kube';
import type { ReadEnvironment } from '@fairlead/part';
import { type ServiceKey, toServiceKey } from '@fairlead/service';
import { type ArmClient, sameArmId } from '../../arm/index.ts';
import { ensureDefaultOutboundServiceExists } from '../cloud/gateway-setup.ts';
import { Inventory } from '../cloud/inventory.ts';
import { findOrphans, type Orphans } from '../cloud/leftovers.ts';
import { loadObserved } from '../cloud/observed.ts';
import { Repository } from '../cloud/repository.ts';
import { ClusterFeed } from '../cluster/cluster-feed.ts';
import { gatewayRules, type Desired, desiredFor } from '../cluster/desired.ts';
import { egressRequest, isOver, POD_FINALIZER } from '../cluster/egress-pod.ts';
import { NodeDirectory } from '../cluster/node-directory.ts';
import { PodFeed } from '../cluster/pod-feed.ts';
import { egressPolicy, type ServiceGatewayConfiguration } from '../configuration.ts';
import { DiffTracker } from '../engine/difftracker.ts';
import { Engine } from '../engine/engine.ts';
import { EGRESS_LABEL, type NrpKey, type PodUid, podUid } from '../engine/nrp-key.ts';
import type { GatewayScope } from '../scope.ts';

/** Cluster and Azure at one moment, and what a leader that started now would make of them. Reads only. */
export interface Snapshot {
  readonly clock: Clock;
  readonly repository: Repository;
  /** Knows all that is wanted and all that is there; nothing is carried out. */
  readonly engine: Engine;
  readonly services: ReadonlyMap<string, Desired>;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly refusedPods: ReadonlyMap<PodUid, string>;
  /** Pods with the label that are held and want no gateway any more. */
  readonly podsToRelease: readonly Pod[];
  readonly names: ReadonlyMap<NrpKey, ServiceKey>;
  readonly orphans: Orphans;
  /** What the leader would know of at once, and wait for before it is ready. */
  readonly awaited: ReadonlySet<NrpKey>;
  readonly gatewayExists: boolean;
  readonly isAttached: boolean;
}

export interface SnapshotOptions {
  readonly environment: ReadEnvironment;
  readonly azure: ArmClient;
  readonly scope: GatewayScope;
  readonly configuration: ServiceGatewayConfiguration;
}

export async function takeSnapshot({ environment, azure, scope, configuration }: SnapshotOptions): Promise<Snapshot> {
  const { client, clock, signal, defaultClass } = environment;
  const options = { signal };
  const [allServices, allSlices, allNodes, allPods] = await Promise.all([
    client.list(serviceResource, options),
    client.list(endpointSlices, options),
    client.list(nodeResource, options),
    client.list(podResource, { ...options, labelSelector: EGRESS_LABEL }),
  ]);
  const repository = new Repository(azure, scope, new Inventory(clock), clock);
  const gatewayExists = (await repository.findGateway(options)) !== undefined;
  const attached = (await repository.getSubnet(options)).properties.serviceGateway?.id ?? '';
  const listing = await repository.list(options, gatewayExists);

  const engine = new Engine(new DiffTracker(clock), clock, seededRandom(1));
  const queue = { add() {} };
  const policy = egressPolicy(configuration);
  const isToRelease = (pod: Pod) => hasFinalizer(pod, POD_FINALIZER) && isOver(egressRequest(pod, policy, clock.now()));
  const nodes = new NodeDirectory();
  const pods = new PodFeed({
    engine,
    nodes,
    clock,
    policy,
    pods: { list: () => allPods.items },
    queue,
  });
  const byName = new Map(allServices.items.map((service) => [keyText(service.metadata), service]));
  const rules = gatewayRules(defaultClass, configuration.annotations);
  const names = new Map<NrpKey, ServiceKey>();
  const cache = { list: () => allServices.items, get: (name: string) => byName.get(name) };
  const feed = new ClusterFeed({
    engine,
    rules,
    nodes,
    pods,
    services: cache,
    names,
    queue,
  });
  for (const after of allNodes.items) nodes.set(after);
  for (const after of allSlices.items) {
    feed.onSlice({ type: 'add', key: keyText(after.metadata), after, initial: true });
  }

  const wanted = feed.wantedServices();
  const registered = await loadObserved(listing, repository, engine.tracker, (key) => wanted.has(key), clock);
  feed.begin();
  const awaited = new Set(engine.states.keys());
  const services = new Map([...byName].map(([name, service]) => [name, desiredFor(service, rules)]));
  for (const [name, desired] of services) {
    if (desired.kind !== 'foreign' && desired.kind !== 'release') feed.submit(toServiceKey(name), desired);
  }
  ensureDefaultOutboundServiceExists(engine, registered, configuration.defaultOutbound ? nodes : undefined);
  const isWanted = (key: NrpKey) => engine.tracker.wanted.has(key) || engine.state(key) !== undefined;
  return {
    clock,
    repository,
    engine,
    services,
    pods: new Map(allPods.items.map((pod) => [keyText(pod.metadata), pod])),
    refusedPods: refusedPods(engine),
    podsToRelease: allPods.items.filter(isToRelease),
    names,
    orphans: findOrphans(repository, registered.ours, isWanted),
    awaited,
    gatewayExists,
    isAttached: sameArmId(attached, scope.gatewayId),
  };
}

/** As a leader would tell them. */
function refusedPods({ effects }: Engine): ReadonlyMap<PodUid, string> {
  const refused = new Map<PodUid, string>();
  for (const effect of effects.take()) {
    if (effect.kind !== 'pod-refused') continue;
    const { pod, error } = effect;
    refused.set(podUid(pod.metadata.uid ?? ''), `${codeOf(error)}: ${messageOf(error)}`);
  }
  return refused;
}
