import { type IpAddress, LastTold } from '@fairlead/control';
import { hasFinalizer, ObjectWriter, type Service, type SharedCache, services } from '@fairlead/kube';
import type { LeaderEnvironment } from '@fairlead/part';
import {
  announceUnserved,
  type ClaimedService,
  holdWrites,
  recordOnService,
  releaseWrites,
  type ServiceKey,
  type ServiceToRelease,
  shownAddresses,
  statusWrites,
} from '@fairlead/service';
import type { Repository } from '../cloud/repository.ts';
import type { Engine } from '../engine/engine.ts';
import type { NrpKey } from '../engine/nrp-key.ts';
import { FIELD_MANAGER } from '../scope.ts';
import type { ClusterFeed, SubmitResult } from './cluster-feed.ts';
import {
  type ClaimedDesired,
  desiredFor,
  desiredStatus,
  type GatewayRules,
  likelyFamily,
  nrpKeyOf,
} from './desired.ts';

export interface ServiceReconcilerOptions {
  readonly environment: LeaderEnvironment;
  readonly rules: GatewayRules;
  readonly services: Pick<SharedCache<Service>, 'get'>;
  readonly engine: Engine;
  readonly repository: Repository;
  readonly feed: ClusterFeed;
}

/** Everything that is written to a Service: finalizers first, then status, and finalizers again when all is gone. */
export class ServiceReconciler {
  readonly #options: ServiceReconcilerOptions;
  readonly #writer: ObjectWriter<Service>;
  /** The annotations that owners of Services were told of: told once, not with every change of an endpoint. */
  readonly #told = new LastTold<NrpKey>();

  constructor(options: ServiceReconcilerOptions) {
    this.#options = options;
    this.#writer = new ObjectWriter<Service>({
      ...options.environment,
      resource: services,
      fieldManager: FIELD_MANAGER,
    });
  }

  /** Brings the Service to what is wanted of it; writes only what differs. */
  async reconcile(name: ServiceKey, signal: AbortSignal): Promise<void> {
    const { services: cache, rules, feed } = this.#options;
    const service = this.#writer.latest(name, cache.get(name));
    if (service === undefined) {
      feed.onVanished(name);
      return;
    }
    const desired = desiredFor(service, rules);
    const key = nrpKeyOf(service);
    feed.forgetOthers(name, desired.kind === 'foreign' ? undefined : key);
    switch (desired.kind) {
      case 'foreign':
        if (feed.isReleased(key)) feed.forget(key);
        return;
      case 'release':
        return this.#release(name, desired.claim, signal);
      case 'unreadable':
        // What it has stays, and follows its endpoints.
        if (hasFinalizer(service, rules.finalizer)) feed.submit(name, desired);
        throw desired.error;
      case 'serve':
      case 'refuse': {
        const held = await this.#hold(desired, signal);
        if (held !== undefined) await this.#publish(held, feed.submit(name, held), signal);
      }
    }
  }

  /** Before anything is told or exists outside, the Service is held. Undefined when it is another by then. */
  async #hold(desired: ClaimedDesired, signal: AbortSignal): Promise<ClaimedDesired | undefined> {
    const { environment, rules } = this.#options;
    const writes = holdWrites(desired.claim);
    if (writes.length === 0) return desired;
    const service = await this.#writer.write(desired.claim.service, writes, signal);
    if (service === undefined) return undefined;
    if (desired.kind === 'serve') {
      const note = 'A public address and a load balancer are being made.';
      recordOnService(environment.events, service, 'EnsuringLoadBalancer', note);
    }
    const held = desiredFor(service, rules);
    return held.kind === 'serve' || held.kind === 'refuse' ? held : undefined;
  }

  async #release(name: ServiceKey, claim: ServiceToRelease, signal: AbortSignal): Promise<void> {
    const { environment, feed } = this.#options;
    const key = nrpKeyOf(claim.service);
    feed.release(name, key);
    if (!feed.isReleased(key)) return;
    await this.#writer.write(claim.service, releaseWrites(claim), signal);
    announceUnserved(environment.events, { kind: 'release', claim });
    feed.forget(key);
    this.#told.forget(key);
  }

  async #publish({ claim }: ClaimedDesired, result: SubmitResult, signal: AbortSignal): Promise<void> {
    const { engine, environment } = this.#options;
    const { clock, events } = environment;
    const { service } = claim;
    if (result.kind === 'unreadable') throw result.error;
    const refusal = result.kind === 'refuse' ? result.refusal : undefined;
    if (result.kind === 'serve' && result.wanted.ignored !== undefined) {
      recordOnService(events, service, 'EndpointsIgnored', result.wanted.ignored);
    }
    this.#tellIgnored(service, result.kind === 'serve' ? result.wanted.request.ignoredAnnotations : []);
    const status = desiredStatus(service, engine.state(nrpKeyOf(service)), this.#addressOf(claim), refusal);
    const writes = status === undefined ? [] : statusWrites(claim, status, clock);
    await this.#writer.write(service, writes, signal);
    if (writes.length > 0 && refusal !== undefined) announceUnserved(events, { kind: 'refuse', claim, refusal });
  }

  #tellIgnored(service: Service, annotations: readonly string[]): void {
    const text = annotations.join(', ');
    if (!this.#told.isNews(nrpKeyOf(service), text)) return;
    const note = `It is served without what it asks for by ${text}: this load balancer has no such thing.`;
    recordOnService(this.#options.environment.events, service, 'AnnotationsIgnored', note);
  }

  /** While Azure's word about the address is awaited, the one that is shown stays: it may be reachable all the time. */
  #addressOf({ service }: ClaimedService): IpAddress | undefined {
    const { repository } = this.#options;
    const [key, family] = [nrpKeyOf(service), likelyFamily(service)];
    return repository.isAddressUnknown(key, family) ? shownAddresses(service)[0] : repository.knownAddress(key, family);
  }
}
