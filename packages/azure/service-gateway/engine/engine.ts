import type { Clock, Random } from '@fairlead/control';
import type { DiffTracker, Endpoints } from './difftracker.ts';
import { Effects, type Outcome } from './effects.ts';
import type { EgressPod } from './egress-pods.ts';
import { DEFAULT_OUTBOUND_KEY, type InboundKey, isOutbound, type NrpKey, type PodUid } from './nrp-key.ts';
import { failureActionAfter, type RetryPolicy, waitAfter } from './retry-policy.ts';
import type { OutboundSpec, ServiceSpec } from './service-spec.ts';
import {
  beginCreation,
  beginDeletion,
  beginUpdate,
  drift,
  type Failure,
  fail,
  failDeletion,
  finishDeletion,
  isLive,
  isWanted,
  refuse,
  type ServiceState,
  succeed,
  unpark,
  requestDeletion,
  requestSpec,
} from './service-state.ts';

/** What the ServiceUpdater is to do now. */
export type Operation =
  | { readonly kind: 'create' | 'update'; readonly spec: ServiceSpec }
  | { readonly kind: 'delete'; readonly key: NrpKey };

export type Start =
  | { readonly kind: 'now'; readonly operation: Operation }
  /** `until` is of the monotonic clock. */
  | { readonly kind: 'later'; readonly until: number }
  | { readonly kind: 'nothing' };

/**
 * Leads every service through its life and decides what the updaters have to do. Events come in any order and number;
 * what counts is the latest request. All methods return at once.
 */
export class Engine {
  readonly tracker: DiffTracker;
  /** What is to be done next; the pump does it. */
  readonly effects = new Effects();
  readonly #policy: RetryPolicy;
  readonly #pendingServiceOps = new Map<NrpKey, ServiceState>();
  readonly #counts = new Map<ServiceState['kind'], number>();
  readonly #pendingDeletions = new Set<NrpKey>();
  /** Service that is not as it should be -> since when; the longest first. */
  readonly #unsettledSince = new Map<NrpKey, number>();
  /** Endpoints of Services that are not there yet. */
  readonly #pendingEndpoints = new Map<InboundKey, Endpoints>();

  constructor(tracker: DiffTracker, clock: Clock, random: Random) {
    this.tracker = tracker;
    this.#policy = { clock, random };
  }

  state(key: NrpKey): ServiceState | undefined {
    return this.#pendingServiceOps.get(key);
  }

  get states(): ReadonlyMap<NrpKey, ServiceState> {
    return this.#pendingServiceOps;
  }

  /** How many services are in each state. */
  get counts(): ReadonlyMap<ServiceState['kind'], number> {
    return this.#counts;
  }

  /** Services that wait until no address is under them. */
  get pendingDeletions(): ReadonlySet<NrpKey> {
    return this.#pendingDeletions;
  }

  /** The monotonic time since which some service has been waiting to be as it should, if any is. */
  get oldestUnsettledSince(): number | undefined {
    const [oldest] = this.#unsettledSince.values();
    return oldest;
  }

  /** How many services are to be deleted and wait for addresses to leave. */
  get blockedByLocations(): number {
    let blocked = 0;
    for (const key of this.pendingDeletions) if (this.tracker.hasLocations(key)) blocked += 1;
    return blocked;
  }

  pendingEndpoints(key: InboundKey): Endpoints | undefined {
    return this.#pendingEndpoints.get(key);
  }

  /** Makes the service, or makes it as the spec says. */
  addService(spec: ServiceSpec): void {
    const { key } = spec;
    this.tracker.wanted.set(key, true);
    this.#transition(key, requestSpec(this.state(key), spec, this.tracker.existing.has(key)));
  }

  /**
   * The Service cannot be served as it asks. What is there of it is left alone; if it `wasServed` before, it goes on
   * being served, else not: it might let in traffic that it would have kept out.
   */
  refuseService(key: NrpKey, failure: Failure, wasServed = true): void {
    this.tracker.wanted.set(key, true);
    this.#transition(key, refuse(this.state(key), failure, wasServed, this.tracker.existing.has(key)));
  }

  /** Takes down the service and whatever there is of it. */
  deleteService(key: NrpKey): void {
    this.tracker.wanted.set(key, false);
    this.#transition(key, requestDeletion(this.state(key)));
  }

  /**
   * The Service or pod that wanted it has vanished without having been let go. It stays as it is until a comparison
   * confirms that the cluster does not want it: a public address that is given up by mistake does not come back.
   */
  abandonService(key: NrpKey): void {
    if (isLive(this.state(key))) this.tracker.wanted.set(key, false);
    else this.deleteService(key);
  }

  /** These are all endpoints of the Service now. Buffered until the Service is there. */
  updateEndpoints(key: InboundKey, endpoints: Endpoints): void {
    const state = this.state(key);
    if (isLive(state)) {
      this.tracker.updateK8sEndpoints(key, endpoints);
      this.#triggerLocations();
    } else if (isWanted(state)) {
      this.#pendingEndpoints.set(key, endpoints);
    }
  }

  /** The pod as it is now. Buffered until its gateway is there; the first pod of a gateway has it made. */
  addPod(spec: OutboundSpec, pod: Omit<EgressPod, 'egress'>): void {
    const { key } = spec;
    // One that lost its pods, and was kept, is in step with nothing that has changed since.
    if (!isWanted(this.state(key)) || !this.tracker.pods.hasPods(key)) this.addService(spec);
    this.tracker.wanted.set(key, true);
    this.tracker.updateK8sPod({ ...pod, egress: key }, isLive(this.state(key)));
    this.#triggerLocations();
  }

  /**
   * The pod is gone, or no longer wants its gateway; the last pod of a gateway takes it along, unless it `vanished`
   * from the list.
   */
  deletePod(uid: PodUid, how: 'ended' | 'vanished' = 'ended'): void {
    const egress = this.tracker.pods.egressOf(uid);
    if (egress === undefined) return;
    this.tracker.removeK8sPod(uid);
    if (!this.tracker.pods.hasPods(egress) && egress !== DEFAULT_OUTBOUND_KEY) {
      if (how === 'ended') this.deleteService(egress);
      else this.abandonService(egress);
    }
    this.#triggerLocations();
  }

  /** What is to be done for the service, which is thereby under way. */
  begin(key: NrpKey): Start {
    const state = this.state(key);
    if (state?.kind !== 'NotStarted' && state?.kind !== 'UpdatePending' && state?.kind !== 'DeletionPending') {
      return { kind: 'nothing' };
    }
    if (state.kind === 'DeletionPending' && this.tracker.hasLocations(key)) return { kind: 'nothing' };
    const { notBefore } = state.wait;
    if (notBefore > this.#policy.clock.monotonic()) return { kind: 'later', until: notBefore };
    switch (state.kind) {
      case 'NotStarted':
        this.#transition(key, beginCreation(state));
        return { kind: 'now', operation: { kind: 'create', spec: state.spec } };
      case 'UpdatePending':
        this.#transition(key, beginUpdate(state));
        return { kind: 'now', operation: { kind: 'update', spec: state.spec } };
      case 'DeletionPending':
        this.#transition(key, beginDeletion(state));
        return { kind: 'now', operation: { kind: 'delete', key } };
    }
  }

  onServiceCreationComplete(key: NrpKey, outcome: Outcome): void {
    const state = this.state(key);
    if (state?.kind !== 'CreationInProgress') return;
    if (outcome.ok) this.tracker.existing.set(key, true);
    this.#complete(key, state, outcome);
  }

  onServiceUpdateComplete(key: NrpKey, outcome: Outcome): void {
    const state = this.state(key);
    if (state?.kind === 'UpdateInProgress') this.#complete(key, state, outcome);
  }

  onServiceDeletionComplete(key: NrpKey, outcome: Outcome): void {
    const state = this.state(key);
    if (state?.kind !== 'DeletionInProgress') return;
    if (outcome.ok) {
      this.tracker.existing.set(key, false);
      this.#transition(key, finishDeletion(state), outcome);
      return;
    }
    const wait = waitAfter(this.#policy, state.failures + 1, outcome.error);
    this.#transition(key, failDeletion(state, wait), outcome);
  }

  /** Addresses have left NRP: what waited for that is deleted. `candidates` narrows the look to these services. */
  checkPendingDeletions(candidates: Iterable<NrpKey> = this.pendingDeletions): void {
    for (const key of candidates) {
      if (this.pendingDeletions.has(key) && !this.tracker.hasLocations(key)) this.#triggerService(key);
    }
    this.#triggerLocations();
  }

  /** What is there is no longer as it was made. `isRegistered`: whether NRP still knows the service. */
  onDrift(key: NrpKey, isRegistered: boolean): void {
    const state = this.state(key);
    if (state === undefined) return;
    if (!isRegistered) this.tracker.existing.set(key, false);
    this.#transition(key, drift(state, isRegistered));
  }

  /** What Azure refused gets another chance. */
  retryParked(): void {
    for (const [key, state] of this.states) {
      const next = unpark(state);
      if (next !== state) this.#transition(key, next);
    }
  }

  #complete(
    key: NrpKey,
    state: Extract<ServiceState, { kind: 'CreationInProgress' | 'UpdateInProgress' }>,
    outcome: Outcome,
  ): void {
    if (outcome.ok) {
      this.#transition(key, succeed(state), outcome);
      return;
    }
    const action = failureActionAfter(this.#policy, state.failures + 1, outcome.error);
    this.#transition(key, fail(state, action), outcome);
  }

  /** The only way from one state to the next; sees to the buffers and queues what is to be done now. */
  #transition(key: NrpKey, next: ServiceState | undefined, outcome?: Outcome): void {
    const before = this.state(key);
    if (next === before && outcome === undefined) return;
    this.#setState(key, before, next);
    if (isLive(before) !== isLive(next) || isWanted(before) !== isWanted(next)) this.#moveBuffers(key, next);
    this.effects.push({ kind: 'state-changed', key, before, after: next, outcome });
    if (next?.kind === 'NotStarted' || next?.kind === 'UpdatePending' || next?.kind === 'DeletionPending') {
      this.#triggerService(key);
    }
    this.#triggerLocations();
  }

  /** Promotes what was buffered when the service is there; takes it back when it is not, or is to go. */
  #moveBuffers(key: NrpKey, next: ServiceState | undefined): void {
    const live = isLive(next);
    if (isOutbound(key)) {
      this.tracker.setPodsPromoted(key, live);
      return;
    }
    if (live) {
      const endpoints = this.#pendingEndpoints.get(key);
      this.#pendingEndpoints.delete(key);
      if (endpoints !== undefined) this.tracker.updateK8sEndpoints(key, endpoints);
      return;
    }
    if (isWanted(next)) {
      const endpoints = this.tracker.k8sEndpoints(key);
      if (endpoints.size > 0) this.#pendingEndpoints.set(key, endpoints);
    } else {
      this.#pendingEndpoints.delete(key);
    }
    this.tracker.updateK8sEndpoints(key, new Map());
  }

  #setState(key: NrpKey, before: ServiceState | undefined, after: ServiceState | undefined): void {
    if (before !== undefined) this.#count(before.kind, -1);
    if (after === undefined) this.#pendingServiceOps.delete(key);
    else {
      this.#pendingServiceOps.set(key, after);
      this.#count(after.kind, 1);
    }
    if (after?.kind === 'DeletionPending') this.#pendingDeletions.add(key);
    else this.#pendingDeletions.delete(key);
    if (after === undefined || after.kind === 'Created' || after.kind === 'Parked') this.#unsettledSince.delete(key);
    else if (!this.#unsettledSince.has(key)) this.#unsettledSince.set(key, this.#policy.clock.monotonic());
  }

  #count(kind: ServiceState['kind'], by: 1 | -1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + by);
  }

  #triggerService(key: NrpKey): void {
    this.effects.push({ kind: 'service-triggered', key });
  }

  #triggerLocations(): void {
    if (!this.tracker.isInSync) this.effects.triggerLocations();
    const pods = this.tracker.takeDrainedPods();
    if (pods.length > 0) this.effects.push({ kind: 'pods-drained', pods });
  }
}
