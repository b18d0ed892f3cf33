import { codeOf, findFairleadError, messageOf } from '@fairlead/control';
import {
  type EventMessage,
  type EventRecorder,
  type EventType,
  type Pod,
  pods,
  type Service,
  type SharedCache,
} from '@fairlead/kube';
import type { ClusterEvents, EventDescription } from '@fairlead/part';
import { describeServiceEvents, recordOnService, type ServiceKey, serviceNotes } from '@fairlead/service';
import { stableMessage } from '../cloud/azure-errors.ts';
import type { Refusal } from '../cloud/azure-refusals.ts';
import type { Repository } from '../cloud/repository.ts';
import { likelyFamily, nrpKeyOf } from '../cluster/desired.ts';
import type { PodFeed } from '../cluster/pod-feed.ts';
import type { AddressEntry, ServiceList } from '../engine/address-table.ts';
import type { StateChange } from '../engine/effects.ts';
import type { Engine } from '../engine/engine.ts';
import { type InboundKey, isOutbound, type NrpKey, nrpName } from '../engine/nrp-key.ts';
import type { LeftoverFailures } from './leftover-failures.ts';

/** The reasons of the Events about egress; users and their alerts go by them, so none is ever renamed. */
const egressEvents = {
  EgressRefused: {
    type: 'Warning',
    meaning: 'the pod asks for an egress gateway that it cannot have; its traffic leaves as if it had not asked',
  },
  EgressGatewayFailed: {
    type: 'Warning',
    meaning: 'making, changing or deleting an egress gateway failed and is repeated later; or reading the pod failed',
  },
  EgressGatewayRefused: {
    type: 'Warning',
    meaning: 'Azure refuses what an egress gateway takes; it is tried again now and then',
  },
  EgressAddressRefused: {
    type: 'Warning',
    meaning: 'the service gateway refuses the address of the pod; it is left out so that the others proceed',
  },
} as const satisfies Readonly<Record<string, { readonly type: EventType; readonly meaning: string }>>;

/** About no object in particular: nothing in the cluster is to blame. */
const AZURE_REFUSES = {
  reason: 'AzureRefuses',
  meaning: 'Azure refuses all calls of a kind for a reason of its own; it is asked again once a minute',
};

export function refusalText({ call, reason }: NonNullable<Refusal>): string {
  return `Azure refuses every ${call}: ${reason}`;
}

export function azureRefuses(refusal: NonNullable<Refusal>): EventMessage {
  return { type: 'Warning', reason: AZURE_REFUSES.reason, note: refusalText(refusal) };
}

type EgressEventReason = keyof typeof egressEvents;

/** An egress gateway may have thousands of pods; a few of them tell enough. */
const PODS_TOLD = 3;

/** Every Event of the part, for its page. */
export const serviceGatewayEvents: readonly EventDescription[] = [
  ...describeServiceEvents(
    'EnsuringLoadBalancer',
    'EnsuredLoadBalancer',
    'UpdatedLoadBalancer',
    'DeletingLoadBalancer',
    'DeletedLoadBalancer',
    'SyncLoadBalancerFailed',
    'DeleteLoadBalancerFailed',
    'LoadBalancerRefused',
    'ServiceQuarantined',
    'AnnotationsIgnored',
    'EndpointsIgnored',
    'DeletionHeldBack',
  ),
  AZURE_REFUSES,
  ...Object.entries(egressEvents).map(([reason, { meaning }]) => ({ reason, meaning })),
];

export interface AnnouncerOptions {
  readonly recorder: Pick<EventRecorder, 'record'>;
  /** For what is about no object in particular. */
  readonly cluster: Pick<ClusterEvents, 'record'>;
  readonly leftoverFailures: LeftoverFailures;
  readonly engine: Engine;
  readonly repository: Repository;
  readonly services: Pick<SharedCache<Service>, 'get'>;
  readonly names: ReadonlyMap<NrpKey, ServiceKey>;
  readonly pods: Pick<PodFeed, 'podOf'>;
}

/** Tells owners of Services and pods what becomes of them. */
export class Announcer {
  readonly #options: AnnouncerOptions;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  stateChanged(change: StateChange): void {
    const { key } = change;
    if (isOutbound(key)) this.#onEgress(change);
    else this.#onService(key, change);
  }

  podRefused(pod: Pod, error: unknown): void {
    if (findFairleadError(error) === undefined) {
      this.#tellPod(pod, 'EgressGatewayFailed', `It stays as it is, because reading it failed: ${messageOf(error)}`);
      return;
    }
    this.#tellPod(pod, 'EgressRefused', `No egress gateway (${codeOf(error)}): ${stableMessage(error)}`);
  }

  addressRefused({ address, location, pods: owners }: AddressEntry, services: ServiceList, error: unknown): void {
    const { recorder } = this.#options;
    const note = `The service gateway refuses ${address} at ${location} (${codeOf(error)}): ${stableMessage(error)}`;
    const owner = owners.at(-1);
    const pod = owner === undefined ? undefined : this.#options.pods.podOf(owner);
    if (pod !== undefined) this.#tellPod(pod, 'EgressAddressRefused', note);
    for (const key of services) {
      const service = this.#serviceOf(key);
      if (service !== undefined) recordOnService(recorder, service, 'EndpointsIgnored', note);
    }
  }

  #onService(key: InboundKey, { before, after, outcome }: StateChange): void {
    const { recorder, repository, leftoverFailures } = this.#options;
    const service = this.#serviceOf(key);
    if (service === undefined) {
      const isLeft = before?.kind === 'DeletionInProgress' && after?.kind === 'DeletionPending';
      if (isLeft && outcome?.ok === false) leftoverFailures.failed(key, outcome.error);
      else if (after?.kind !== 'DeletionInProgress') leftoverFailures.settled(key);
      return;
    }
    if (outcome?.ok === false) {
      const isDeletion = before?.kind === 'DeletionInProgress';
      const failed = isDeletion ? 'DeleteLoadBalancerFailed' : 'SyncLoadBalancerFailed';
      // What we refuse ourselves, and not Azure, is told when that is written to its status.
      const reason = after?.kind === 'Parked' && after.spec !== undefined ? 'ServiceQuarantined' : failed;
      recordOnService(recorder, service, reason, stableMessage(outcome.error));
      return;
    }
    if (after?.kind === 'DeletionPending' && before !== undefined && before.kind !== 'DeletionPending') {
      const note = 'Its addresses, then its load balancer are taken down.';
      recordOnService(recorder, service, 'DeletingLoadBalancer', note);
    }
    if (after?.kind !== 'Created' || outcome?.ok !== true || !outcome.changed) return;
    const reason = before?.kind === 'UpdateInProgress' ? 'UpdatedLoadBalancer' : 'EnsuredLoadBalancer';
    const address = repository.knownAddress(key, likelyFamily(service));
    const note = serviceNotes.reachable([address ?? 'an address that is not known yet']);
    recordOnService(recorder, service, reason, note);
  }

  #onEgress({ key, after, outcome }: StateChange): void {
    const { engine, cluster, pods: feed } = this.#options;
    if (outcome?.ok !== false || !isOutbound(key)) return;
    const reason = after?.kind === 'Parked' ? 'EgressGatewayRefused' : 'EgressGatewayFailed';
    const note = `Egress gateway ${nrpName(key)}: ${stableMessage(outcome.error)}`;
    let told = 0;
    for (const uid of engine.tracker.pods.podsOf(key)) {
      if (told === PODS_TOLD) return;
      const pod = feed.podOf(uid);
      if (pod !== undefined) this.#tellPod(pod, reason, note);
      told += 1;
    }
    if (told === 0) cluster.record({ type: egressEvents[reason].type, reason, note });
  }

  #serviceOf(key: NrpKey): Service | undefined {
    const { services, names } = this.#options;
    const name = names.get(key);
    const service = name === undefined ? undefined : services.get(name);
    return service !== undefined && nrpKeyOf(service) === key ? service : undefined;
  }

  #tellPod(pod: Pod, reason: EgressEventReason, note: string): void {
    this.#options.recorder.record(pods, pod, { type: egressEvents[reason].type, reason, note });
  }
}
