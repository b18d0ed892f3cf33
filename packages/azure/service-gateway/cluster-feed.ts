import { type FairleadError, findFairleadError } from '@fairlead/control';
import { type CacheChange, type EndpointSlice, hasFinalizer, type Node, type Service } from '@fairlead/kube';
import { type ClaimRules, EndpointIndex } from '@fairlead/service';
import {
  type Desired,
  desiredFor,
  keyOfService,
  type LocatedEndpoints,
  likelyFamily,
  locate,
  serve,
} from './desired.ts';
import type { Engine } from './engine.ts';
import type { ClusterIntake } from './initialization.ts';
import type { NodeDirectory } from './node-directory.ts';
import type { PodFeed } from './pod-feed.ts';
import type { WorldListing } from './repository.ts';
import { type InboundKey, isOutbound, type ServiceKey } from './service-key.ts';
import { type InboundSpec, sameSpec } from './service-spec.ts';

export type WantedService = Extract<Desired, { kind: 'serve' | 'refused' }>;

/** What came of telling the engine of a Service. */
export interface Told {
  /** Why it cannot be served as it asks. */
  readonly refusal: FairleadError | undefined;
  /** Endpoints that were left out, in plain words. */
  readonly ignored: string | undefined;
}

interface KnownService {
  readonly desired: WantedService;
  /** As the engine was last told; none while it is refused. */
  readonly spec: InboundSpec | undefined;
}

export interface ClusterFeedOptions {
  readonly engine: Engine;
  readonly rules: ClaimRules;
  /** The cache of Services. */
  readonly services: {
    list(): readonly Service[];
    get(name: string): Service | undefined;
  };
  readonly nodes: NodeDirectory;
  readonly pods: PodFeed;
  /** The Service has to be looked at again, by `namespace/name`. */
  readonly lookAgain: (name: string) => void;
  /** Something that we hold is gone without having been let go. */
  readonly onVanished: (what: string) => void;
}

const ASKER = 'service ';

/**
 * Tells the engine what the cluster wants. Endpoints go straight from the watch into the engine; a Service goes through
 * a queue first, for it has to be held by a finalizer before anything exists outside.
 */
export class ClusterFeed implements ClusterIntake {
  readonly #options: ClusterFeedOptions;
  readonly #endpoints = new EndpointIndex();
  /** `namespace/name` -> what the engine was told of it. */
  readonly #known = new Map<string, KnownService>();
  readonly #names = new Map<ServiceKey, string>();
  /** Services of which nothing is left outside, and that nobody has asked for since. */
  readonly #released = new Set<ServiceKey>();
  #isLive = false;

  constructor(options: ClusterFeedOptions) {
    this.#options = options;
  }

  /** `namespace/name` of a Service that the engine was told of. */
  nameOf(key: ServiceKey): string | undefined {
    return this.#names.get(key);
  }

  onService(name: string): void {
    if (this.#isLive) this.#options.lookAgain(name);
  }

  onSlice(change: CacheChange<EndpointSlice>): void {
    const names =
      change.type === 'delete' ? this.#endpoints.delete(change.before.metadata) : this.#endpoints.set(change.after);
    if (this.#isLive) for (const name of names) this.#updateEndpoints(name);
  }

  onNode(change: CacheChange<Node>): void {
    const { nodes, pods } = this.#options;
    const before = nodes.families;
    const askers = change.type === 'delete' ? nodes.delete(change.key) : nodes.set(change.after);
    if (!this.#isLive) return;
    for (const asker of askers) {
      if (asker.startsWith(ASKER)) this.#updateEndpoints(asker.slice(ASKER.length));
      else pods.onNode(asker);
    }
    if (nodes.families.length !== before.length) pods.onFamilies();
  }

  wantedServices(): ReadonlySet<ServiceKey> {
    const wanted = new Set<ServiceKey>(this.#options.pods.wantedEgresses());
    for (const { desired } of this.#all()) {
      if (desired.kind === 'serve' || desired.kind === 'refused') wanted.add(desired.key);
    }
    return wanted;
  }

  begin(listing: WorldListing): void {
    const { engine, pods, lookAgain } = this.#options;
    this.#isLive = true;
    const all = [...this.#all()];
    for (const { name, desired } of all) {
      if (desired.kind === 'release') this.release(name, desired.key);
      if (desired.kind !== 'serve' && desired.kind !== 'refused') continue;
      engine.tracker.wanted.set(desired.key, true);
      const { service, rules } = desired.claim;
      // What exists outside goes on being served; what does not waits until the Service is held.
      if (engine.tracker.existing.has(desired.key) || hasFinalizer(service, rules.finalizer)) this.tell(name, desired);
    }
    pods.begin(listing);
    for (const { name } of all) lookAgain(name);
  }

  /** Tells the engine what the Service wants, with the endpoints it has now. */
  tell(name: string, desired: WantedService): Told {
    const { engine } = this.#options;
    const { key } = desired;
    this.#names.set(key, name);
    this.#released.delete(key);
    try {
      if (desired.kind === 'refused') throw desired.error;
      const { metadata } = desired.claim.service;
      const gathered = this.#endpoints.endpoints(metadata);
      const hosts = this.#endpoints.hosts(metadata);
      const { spec, located, ignored } = serve(desired.wish, gathered, hosts, this.#options.nodes);
      this.#known.set(name, { desired, spec });
      engine.addService(spec);
      this.#apply(name, key, located);
      return { refusal: undefined, ignored };
    } catch (error) {
      const refusal = findFairleadError(error);
      if (refusal === undefined) throw error;
      this.#known.set(name, { desired, spec: undefined });
      engine.refuseService(key, refusal, wasServed(desired.claim.service));
      this.#applyRefused(name, desired);
      return { refusal, ignored: undefined };
    }
  }

  /** Nothing of the Service is wanted outside any more. */
  release(name: string, key: InboundKey): void {
    const { engine, nodes } = this.#options;
    this.#known.delete(name);
    this.#names.set(key, name);
    nodes.ask(`${ASKER}${name}`, new Set());
    if (!this.#released.has(key)) engine.deleteService(key);
  }

  /** The name stands for another Service now, or for one that is not ours: what the one before had is taken down. */
  forgetOthers(name: string, current: InboundKey | undefined): void {
    const known = this.#known.get(name);
    if (known !== undefined && known.desired.key !== current) this.release(name, known.desired.key);
  }

  /** There is no Service of this name any more, although we have not let it go. */
  onVanished(name: string): void {
    const { engine, nodes, onVanished } = this.#options;
    const known = this.#known.get(name);
    if (known === undefined) return;
    this.#known.delete(name);
    nodes.ask(`${ASKER}${name}`, new Set());
    engine.abandonService(known.desired.key);
    onVanished(`Service ${name}`);
  }

  /** The engine has taken down everything of the service. */
  onGone(key: ServiceKey): void {
    const name = this.#names.get(key);
    if (name === undefined || isOutbound(key)) return;
    const service = this.#options.services.get(name);
    if (service === undefined || keyOfService(service) !== key) {
      this.forget(key);
      return;
    }
    this.#released.add(key);
    this.#options.lookAgain(name);
  }

  isReleased(key: ServiceKey): boolean {
    return this.#released.has(key);
  }

  /** Nobody will ask about the service again. */
  forget(key: ServiceKey): void {
    this.#released.delete(key);
    this.#names.delete(key);
  }

  #updateEndpoints(name: string): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    const { desired, spec } = known;
    if (desired.kind === 'refused' || spec === undefined) {
      this.#applyRefused(name, desired);
      return;
    }
    const { metadata } = desired.claim.service;
    try {
      const hosts = this.#endpoints.hosts(metadata);
      const served = serve(desired.wish, this.#endpoints.endpoints(metadata), hosts, this.#options.nodes);
      this.#apply(name, desired.key, served.located);
      // A named port means another number now, or endpoints are left out: the Service's owner is to know.
      if (!sameSpec(served.spec, spec) || served.ignored !== undefined) this.#options.lookAgain(name);
    } catch {
      this.#options.lookAgain(name);
    }
  }

  /** A Service that is refused may be served nevertheless, as it was before. */
  #applyRefused(name: string, { key, claim: { service } }: WantedService): void {
    const hosts = this.#endpoints.hosts(service.metadata);
    this.#apply(name, key, locate(likelyFamily(service), hosts, this.#options.nodes));
  }

  #apply(name: string, key: InboundKey, { endpoints, nodes }: LocatedEndpoints): void {
    this.#options.nodes.ask(`${ASKER}${name}`, nodes);
    this.#options.engine.updateEndpoints(key, endpoints);
  }

  *#all(): Generator<{ readonly name: string; readonly desired: Desired }> {
    const { services, rules } = this.#options;
    for (const service of services.list()) {
      const { namespace = '', name } = service.metadata;
      yield { name: `${namespace}/${name}`, desired: desiredFor(service, rules) };
    }
  }
}

/** A Service that shows an address was reachable there; one that was registered, and no more, was not. */
function wasServed({ status }: Service): boolean {
  return (status?.loadBalancer?.ingress ?? []).length > 0;
}
