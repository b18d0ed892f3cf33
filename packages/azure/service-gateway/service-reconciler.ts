import { type Clock, type IpAddress, parseIpAddress } from '@fairlead/control';
import {
  type EventRecorder,
  isNotFound,
  type KubeClient,
  type Leadership,
  leasedWrite,
  OwnWrites,
  type Service,
  services,
  type WriteOptions,
} from '@fairlead/kube';
import {
  type ClaimedService,
  type ClaimRules,
  claimService,
  clearServiceStatus,
  type ForeignService,
  recordOnService,
  writeServiceStatus,
} from '@fairlead/service';
import type { ClusterFeed, Told, WantedService } from './cluster-feed.ts';
import { desiredStatus } from './desired-status.ts';
import { type Desired, desiredFor, likelyFamily } from './desired.ts';
import type { Engine } from './engine.ts';
import { FIELD_MANAGER } from './gateway-scope.ts';
import { carriesRefusal, mayCarryRefusal, withdrawRefusal } from './refusal-withdrawal.ts';
import type { Repository } from './repository.ts';
import type { InboundKey } from './service-key.ts';
import { holdWithFinalizers, letGoOfFinalizers } from './service-writes.ts';

export interface ServiceReconcilerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly leadership: Leadership;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly rules: ClaimRules;
  readonly services: { get(name: string): Service | undefined };
  readonly engine: Engine;
  readonly repository: Repository;
  readonly feed: ClusterFeed;
  /** The code of what an operation for the service last failed with. */
  readonly lastFailure: (key: InboundKey) => string | undefined;
}

/** Everything that is written to a Service: finalizers first, then status, and finalizers again when all is gone. */
export class ServiceReconciler {
  readonly #options: ServiceReconcilerOptions;
  readonly #ownWrites = new OwnWrites<Service>();

  constructor(options: ServiceReconcilerOptions) {
    this.#options = options;
  }

  /** Brings the Service, by `namespace/name`, to what is wanted of it; writes only what differs. */
  async reconcile(name: string, signal: AbortSignal): Promise<void> {
    const { services: cache, rules, feed } = this.#options;
    const service = this.#ownWrites.latest(name, cache.get(name));
    if (service === undefined) {
      feed.onVanished(name);
      return;
    }
    const desired = desiredFor(service, rules);
    feed.forgetOthers(name, desired.kind === 'foreign' ? undefined : desired.key);
    switch (desired.kind) {
      case 'foreign':
        if (feed.isReleased(desired.key)) feed.forget(desired.key);
        return this.#withdrawRefusal(desired.claim, signal);
      case 'release':
        return this.#release(name, desired, signal);
      case 'refused':
        return this.#publish(desired, feed.tell(name, desired), signal);
      case 'serve': {
        const held = await this.#hold(desired, signal);
        if (held.kind === 'serve') return this.#publish(held, feed.tell(name, held), signal);
      }
    }
  }

  /** A Service that was refused before it was held: nobody else takes back what we said of it. */
  async #withdrawRefusal(claim: ForeignService, signal: AbortSignal): Promise<void> {
    const { client, rules } = this.#options;
    if (!mayCarryRefusal(claim)) return;
    const service = await client.find(services, claim.service.metadata, { signal });
    const present = service === undefined ? undefined : claimService(service, rules);
    if (present?.state !== 'foreign' || !carriesRefusal(present)) return;
    try {
      this.#ownWrites.note(await withdrawRefusal(client, present, this.#writing(signal)));
    } catch (error) {
      // It is gone, and what we said of it with it.
      if (!isNotFound(error)) throw error;
    }
  }

  /** Before anything exists outside, the Service is held. */
  async #hold(desired: Extract<Desired, { kind: 'serve' }>, signal: AbortSignal): Promise<Desired> {
    const { client, rules, events } = this.#options;
    const held = await holdWithFinalizers(client, desired.claim, this.#writing(signal));
    if (held === desired.claim.service) return desired;
    this.#ownWrites.note(held);
    recordOnService(events, held, 'EnsuringLoadBalancer', 'A public address and a load balancer are being made.');
    return desiredFor(held, rules);
  }

  async #release(name: string, desired: Extract<Desired, { kind: 'release' }>, signal: AbortSignal): Promise<void> {
    const { client, events, feed, rules } = this.#options;
    feed.release(name, desired.key);
    if (!feed.isReleased(desired.key)) return;
    try {
      const cleared = await clearServiceStatus(client, desired.claim, this.#writing(signal));
      this.#ownWrites.note(cleared);
      const claim = claimService(cleared, rules);
      if (claim.state !== 'release') return;
      this.#ownWrites.note(await letGoOfFinalizers(client, claim, this.#writing(signal)));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#ownWrites.noteGone(desired.claim.service);
    }
    const note = `Nothing of it is left in Azure, because ${desired.claim.sentence}.`;
    recordOnService(events, desired.claim.service, 'DeletedLoadBalancer', note);
    feed.forget(desired.key);
  }

  async #publish({ claim, key }: WantedService, told: Told, signal: AbortSignal): Promise<void> {
    const { client, clock, engine, events } = this.#options;
    if (told.ignored !== undefined) recordOnService(events, claim.service, 'EndpointsIgnored', told.ignored);
    const address = this.#addressOf(claim, key);
    const status = desiredStatus(engine.state(key), address, told.refusal, this.#options.lastFailure(key));
    if (status === undefined) return;
    const written = await writeServiceStatus(client, claim, status, clock, this.#writing(signal));
    if (written === claim.service) return;
    this.#ownWrites.note(written);
    if (told.refusal === undefined) return;
    recordOnService(
      events,
      written,
      'LoadBalancerRefused',
      `Not served (${told.refusal.code}): ${told.refusal.message}`,
    );
  }

  /** While Azure's word about the address is awaited, the one that is shown stays: it may be reachable all the time. */
  #addressOf({ service }: ClaimedService, key: InboundKey): IpAddress | undefined {
    const { repository } = this.#options;
    const family = likelyFamily(service);
    return repository.isAddressInDoubt(key, family) ? shownAddress(service) : repository.knownAddress(key, family);
  }

  #writing(signal: AbortSignal): WriteOptions {
    return leasedWrite(this.#options.leadership, FIELD_MANAGER, signal);
  }
}

function shownAddress({ status }: Service): IpAddress | undefined {
  return parseIpAddress(status?.loadBalancer?.ingress?.[0]?.ip ?? '')?.address;
}
