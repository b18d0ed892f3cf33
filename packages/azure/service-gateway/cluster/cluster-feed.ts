import {
  type CacheChange,
  type Controller,
  type EndpointSlice,
  hasFinalizer,
  type Node,
  type Service,
  type SharedCache,
} from '@fairlead/kube';
import {
  type ClaimedReading,
  EndpointIndex,
  readClaimed,
  type ServiceKey,
  serviceKey,
  shownAddresses,
  toServiceKey,
} from '@fairlead/service';
import type { Engine } from '../engine/engine.ts';
import { DEFAULT_OUTBOUND_KEY, type InboundKey, isOutbound, type NrpKey } from '../engine/nrp-key.ts';
import { failureOf } from '../engine/retry-policy.ts';
import { defaultOutboundSpec, sameSpec } from '../engine/service-spec.ts';
import { isWanted } from '../engine/service-state.ts';
import type { ClusterIntake } from '../initialization.ts';
import {
  type ClaimedDesired,
  type Desired,
  desiredFor,
  type GatewayRules,
  type LoadBalancerRequest,
  type LocatedEndpoints,
  likelyFamily,
  locate,
  nrpKeyOf,
  type ServedService,
  serve,
} from './desired.ts';
import type { NodeDirectory } from './node-directory.ts';
import type { PodFeed } from './pod-feed.ts';

/** What came of submitting a Service to the engine, with the endpoints that it has. */
export type SubmitResult = ClaimedReading<ServedService>;

interface KnownService {
  readonly key: InboundKey;
  readonly claim: ClaimedDesired['claim'];
  /** What is asked for, and what the engine was last told; none while it cannot be served. */
  readonly served: Pick<ServedService, 'request' | 'spec'> | undefined;
}

export interface ClusterFeedOptions {
  readonly engine: Engine;
  readonly rules: GatewayRules;
  readonly services: Pick<SharedCache<Service>, 'list' | 'get'>;
  readonly nodes: NodeDirectory;
  readonly pods: PodFeed;
  /** The Services that the engine was told of; kept here. */
  readonly names: Map<NrpKey, ServiceKey>;
  /** Where Services are reconciled. */
  readonly queue: Pick<Controller, 'add'>;
}

const WATCHER = 'service ';

/**
 * Tells the engine what the cluster wants. Endpoints go straight from the watch into the engine; a Service goes through
 * a queue first, for it has to be held by a finalizer before anything exists outside.
 */
export class ClusterFeed implements ClusterIntake {
  readonly #options: ClusterFeedOptions;
  readonly #endpoints = new EndpointIndex();
  /** `namespace/name` -> what the engine was told of it. */
  readonly #known = new Map<ServiceKey, KnownService>();
  /** Services of which nothing is left outside, and that were not submitted since. */
  readonly #released = new Set<NrpKey>();
  #isLive = false;

  constructor(options: ClusterFeedOptions) {
    this.#options = options;
  }

  onSlice(change: CacheChange<EndpointSlice>): void {
    const names =
      change.type === 'delete' ? this.#endpoints.delete(change.before.metadata) : this.#endpoints.set(change.after);
    if (this.#isLive) for (const name of names) this.#updateEndpoints(toServiceKey(name));
  }

  onNode(change: CacheChange<Node>): void {
    const { nodes, pods } = this.#options;
    const before = nodes.families;
    const watchers = change.type === 'delete' ? nodes.delete(change.key) : nodes.set(change.after);
    if (!this.#isLive) return;
    for (const watcher of watchers) {
      if (watcher.startsWith(WATCHER)) this.#updateEndpoints(toServiceKey(watcher.slice(WATCHER.length)));
      else pods.onNode(watcher);
    }
    if (nodes.families.join() !== before.join()) this.#onFamilies();
  }

  /** Nodes have got another family: gateways need an address of it, the default one included where it is ours. */
  #onFamilies(): void {
    const { engine, nodes, pods } = this.#options;
    pods.onFamilies();
    if (isWanted(engine.state(DEFAULT_OUTBOUND_KEY))) engine.addService(defaultOutboundSpec(nodes.families));
  }

  wantedServices(): ReadonlySet<NrpKey> {
    const wanted = new Set<NrpKey>(this.#options.pods.wantedEgresses());
    for (const { claim } of this.#all()) if (claim.state === 'claimed') wanted.add(nrpKeyOf(claim.service));
    return wanted;
  }

  begin(): void {
    const { engine, pods } = this.#options;
    this.#isLive = true;
    for (const desired of this.#all()) {
      const { service, rules } = desired.claim;
      const [name, key] = [serviceKey(service.metadata), nrpKeyOf(service)];
      if (desired.kind === 'release') this.release(name, key);
      if (desired.kind === 'release' || desired.kind === 'foreign') continue;
      engine.tracker.wanted.set(key, true);
      // What exists outside goes on being served; what does not waits until the Service is held.
      if (engine.tracker.existing.has(key) || hasFinalizer(service, rules.finalizer)) this.submit(name, desired);
    }
    pods.begin();
  }

  /** Tells the engine what the Service wants, with the endpoints it has now. */
  submit(name: ServiceKey, desired: ClaimedDesired): SubmitResult {
    const { engine, names } = this.#options;
    const { claim } = desired;
    const key = nrpKeyOf(claim.service);
    names.set(key, name);
    this.#released.delete(key);
    const reading = desired.kind === 'serve' ? this.#serve(claim, desired.wanted) : desired;
    if (reading.kind === 'serve') {
      const { request, spec, located } = reading.wanted;
      this.#known.set(name, { key, claim, served: { request, spec } });
      engine.addService(spec);
      this.#apply(name, key, located);
    } else {
      const failure = reading.kind === 'refuse' ? reading.refusal : failureOf(reading.error);
      const known = { key, claim, served: undefined };
      this.#known.set(name, known);
      // A Service that shows an address was reachable there; one that was registered, and no more, was not.
      engine.refuseService(key, failure, shownAddresses(claim.service).length > 0);
      this.#applyUnserved(name, known);
    }
    return reading;
  }

  /** Nothing of the Service is wanted outside any more. */
  release(name: ServiceKey, key: InboundKey): void {
    const { engine, nodes, names } = this.#options;
    this.#known.delete(name);
    names.set(key, name);
    nodes.watch(`${WATCHER}${name}`, new Set());
    if (!this.#released.has(key)) engine.deleteService(key);
  }

  /** The name stands for another Service now, or for one that is not ours: what the one before had is taken down. */
  forgetOthers(name: ServiceKey, current: InboundKey | undefined): void {
    const known = this.#known.get(name);
    if (known !== undefined && known.key !== current) this.release(name, known.key);
  }

  /** There is no Service of this name any more, although we have not let it go. */
  onVanished(name: ServiceKey): void {
    const { engine, nodes } = this.#options;
    const known = this.#known.get(name);
    if (known === undefined) return;
    this.#known.delete(name);
    nodes.watch(`${WATCHER}${name}`, new Set());
    engine.abandonService(known.key);
    engine.effects.push({ kind: 'drift-suspected', why: `Service ${name} is gone without having been let go` });
  }

  /** The engine has taken down everything of the service. */
  onGone(key: NrpKey): void {
    const { names, services, queue } = this.#options;
    const name = names.get(key);
    if (name === undefined || isOutbound(key)) return;
    const service = services.get(name);
    if (service === undefined || nrpKeyOf(service) !== key) {
      this.forget(key);
      return;
    }
    this.#released.add(key);
    queue.add(name);
  }

  isReleased(key: NrpKey): boolean {
    return this.#released.has(key);
  }

  /** The Service is not ours any more, and nothing of it is left to tell of. */
  forget(key: NrpKey): void {
    this.#released.delete(key);
    this.#options.names.delete(key);
  }

  #updateEndpoints(name: ServiceKey): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    if (known.served === undefined) {
      this.#applyUnserved(name, known);
      return;
    }
    const { request, spec } = known.served;
    const reading = this.#serve(known.claim, request);
    if (reading.kind === 'serve') this.#apply(name, known.key, reading.wanted.located);
    // A named port means another number now, or endpoints are left out: the Service's owner is to know.
    const isNews = reading.kind !== 'serve' || reading.wanted.ignored !== undefined;
    if (isNews || !sameSpec(reading.wanted.spec, spec)) this.#options.queue.add(name);
  }

  #serve(claim: KnownService['claim'], request: LoadBalancerRequest): SubmitResult {
    const { metadata } = claim.service;
    return readClaimed(claim, () =>
      serve(request, this.#endpoints.endpoints(metadata), this.#endpoints.hosts(metadata), this.#options.nodes),
    );
  }

  /** A Service that is refused, or cannot be read, may be served nevertheless, as it was before. */
  #applyUnserved(name: ServiceKey, { key, claim }: KnownService): void {
    const { service } = claim;
    const hosts = () => this.#endpoints.hosts(service.metadata);
    const located = readClaimed(claim, () => locate(likelyFamily(service), hosts(), this.#options.nodes));
    if (located.kind === 'serve') this.#apply(name, key, located.wanted);
  }

  #apply(name: ServiceKey, key: InboundKey, { endpoints, nodes }: LocatedEndpoints): void {
    this.#options.nodes.watch(`${WATCHER}${name}`, nodes);
    this.#options.engine.updateEndpoints(key, endpoints);
  }

  *#all(): Generator<Desired> {
    const { services, rules } = this.#options;
    for (const service of services.list()) yield desiredFor(service, rules);
  }
}
