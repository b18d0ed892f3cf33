import { messageOf } from '@fairlead/control';
import { hasFinalizer } from '@fairlead/kube';
import type { PartPlan, PlannedChange } from '@fairlead/part';
import { releaseStatusPatch, statusPatch } from '@fairlead/service';
import type { ServiceGatewayConfiguration } from './configuration.ts';
import { desiredStatus } from './desired-status.ts';
import { type Desired, likelyFamily } from './desired.ts';
import type { GatewayScope } from './gateway-scope.ts';
import { POD_FINALIZER } from './pod-wish.ts';
import { carriesRefusal } from './refusal-withdrawal.ts';
import { failureOf } from './retry-policy.ts';
import { DEFAULT_OUTBOUND_KEY, isOutbound, nrpName, podUid, type ServiceKey } from './service-key.ts';
import { type CreationPlan, planCreation, planDeletion, writesOfDeletion } from './service-plan.ts';
import { type Failure, isLive, type ServiceState } from './service-state.ts';
import type { Survey } from './survey.ts';
import { REGISTRATIONS_PER_CALL } from './service-updater.ts';
import { missingFinalizers } from './service-writes.ts';

/** What a leader that started now would do, in the order in which it would. */
export function partPlan(survey: Survey, scope: GatewayScope, configuration: ServiceGatewayConfiguration): PartPlan {
  const planned = [...survey.engine.states].map(([key, state]) => ({ key, ...plannedService(survey, key, state) }));
  const refused = new Set(planned.flatMap(({ key, change }) => (change.action === 'refuse' ? key : [])));
  const registrations = planned.filter(({ registers }) => registers).map(({ key }) => key);
  return {
    changes: [
      ...gatewayChanges(survey, scope),
      ...planned.map(({ change }) => change),
      ...orphanChanges(survey),
      ...registrationChange(registrations, hasInitialWork(survey, planned)),
      ...addressChange(survey, configuration, refused),
      ...podChanges(survey),
      ...withdrawals(survey),
    ],
  };
}

/** A state in which the service is made, or made as its spec says. */
type Makeable = Exclude<ServiceState, { kind: 'Parked' | 'DeletionPending' | 'DeletionInProgress' }>;

interface PlannedService {
  readonly change: PlannedChange;
  /** How many of the writes go to Azure. */
  readonly azureWrites: number;
  /** Whether it has an entry in an updateServices, which it shares with others. */
  readonly registers: boolean;
}

function gatewayChanges({ gatewayExists, isAttached }: Survey, scope: GatewayScope): PlannedChange[] {
  const name = scope.gatewayId.slice(scope.gatewayId.lastIndexOf('/') + 1);
  const subnet = scope.subnetId.slice(scope.subnetId.lastIndexOf('/') + 1);
  return [
    gatewayExists
      ? { action: 'adopt', subject: `service gateway ${name}`, detail: 'is there', writes: 0 }
      : { action: 'create', subject: `service gateway ${name}`, detail: 'is created', writes: 1 },
    isAttached
      ? { action: 'adopt', subject: `subnet ${subnet}`, detail: 'is attached', writes: 0 }
      : { action: 'update', subject: `subnet ${subnet}`, detail: 'is attached to the service gateway', writes: 1 },
  ];
}

function plannedService(survey: Survey, key: ServiceKey, state: ServiceState): PlannedService {
  const subject = subjectOf(survey, key);
  switch (state.kind) {
    case 'NotStarted':
    case 'UpdatePending':
    case 'Created':
    case 'CreationInProgress':
    case 'UpdateInProgress':
      return plannedCreation(survey, state, subject);
    case 'Parked': {
      const { failure } = state;
      return refused(subject, `${failure.code}: ${failure.message}`, writesToTell(survey, key, state, failure));
    }
    case 'DeletionPending':
    case 'DeletionInProgress': {
      const plan = planDeletion(survey.repository.scope, key, survey.repository.inventory);
      const azureWrites = plan.remove.length;
      const writes = azureWrites + writesToRelease(survey, key);
      const change = { action: 'delete', subject, detail: 'what it has in Azure is deleted', writes } as const;
      return { change, azureWrites, registers: plan.unregister !== undefined };
    }
  }
}

function plannedCreation(survey: Survey, state: Makeable, subject: string): PlannedService {
  const { scope, inventory } = survey.repository;
  const { spec } = state;
  const { key } = spec;
  let plan: CreationPlan;
  try {
    plan = planCreation(scope, spec, inventory);
  } catch (error) {
    const parked = { kind: 'Parked', spec, serving: isLive(state), failure: failureOf(error) } as const;
    return refused(subject, messageOf(error), writesToHold(survey, key) + writesToTell(survey, key, parked));
  }
  const registers = plan.register !== undefined;
  const inAzure = [...plan.prepare, ...plan.tidyUp].map(({ kind, resource }) => `${kind} ${resource}`);
  const azureWrites = inAzure.length;
  const writes = azureWrites + writesToHold(survey, key) + writesToTell(survey, key, { kind: 'Created', spec });
  if (writes === 0 && !registers) {
    return { change: { action: 'adopt', subject, detail: 'is there as wanted', writes }, azureWrites, registers };
  }
  const action = inventory.registration(key).state === 'absent' ? 'create' : 'update';
  const besides = registers ? 'register' : 'is there as wanted; its finalizers and status are put right';
  const detail = azureWrites > 0 ? inAzure.join(', ') : besides;
  return { change: { action, subject, detail, writes }, azureWrites, registers };
}

function refused(subject: string, detail: string, writes: number): PlannedService {
  return { change: { action: 'refuse', subject, detail, writes }, azureWrites: 0, registers: false };
}

function desiredOf({ services, nameOf }: Survey, key: ServiceKey): Desired | undefined {
  const desired = services.get(nameOf(key) ?? '');
  return desired?.key === key ? desired : undefined;
}

/** One if the Service is not held by all of its finalizers. */
function writesToHold(survey: Survey, key: ServiceKey): number {
  const desired = desiredOf(survey, key);
  return desired?.kind === 'serve' && missingFinalizers(desired.claim).length > 0 ? 1 : 0;
}

/** One if the status of the Service does not say yet what it should in this state. */
function writesToTell(survey: Survey, key: ServiceKey, state: ServiceState, refusal?: Failure): number {
  const desired = desiredOf(survey, key);
  if (desired?.kind !== 'serve' && desired?.kind !== 'refused') return 0;
  const address = survey.repository.knownAddress(key, likelyFamily(desired.claim.service));
  // An address that is yet to be made is told once it is there.
  if (address === undefined && state.kind === 'Created') return 1;
  const status = desiredStatus(state, address, refusal);
  return status !== undefined && statusPatch(desired.claim, status, { now: () => 0 }) !== undefined ? 1 : 0;
}

/** What we said of the Service is taken back, and then the finalizers. */
function writesToRelease(survey: Survey, key: ServiceKey): number {
  const desired = desiredOf(survey, key);
  if (desired?.kind !== 'release') return 0;
  return releaseStatusPatch(desired.claim) === undefined ? 1 : 2;
}

/** What was refused before it was held, and is not ours any more. */
function withdrawals({ services }: Survey): PlannedChange[] {
  return [...services].flatMap(([name, desired]) => {
    if (desired.kind !== 'foreign' || !carriesRefusal(desired.claim)) return [];
    return { action: 'update', subject: `Service ${name}`, detail: 'our refusal is taken back', writes: 1 };
  });
}

/** Pods that have lost their label are not known here, and are let go besides. */
function podChanges({ engine, pods, heldInVain }: Survey): PlannedChange[] {
  const unheld = [...pods.values()].filter((pod) => {
    const isWanting = engine.tracker.pods.egressOf(podUid(pod.metadata.uid ?? '')) !== undefined;
    return isWanting && pod.metadata.deletionTimestamp === undefined && !hasFinalizer(pod, POD_FINALIZER);
  });
  const change = (subject: string, writes: number, what: string): PlannedChange[] =>
    writes === 0 ? [] : [{ action: 'update', subject, detail: `${writes} are ${what}`, writes }];
  return [
    ...change('pods with an egress gateway', unheld.length, 'held until their addresses have left Azure'),
    ...change('pods without an egress gateway', heldInVain.length, 'let go once their addresses have left Azure'),
  ];
}

function orphanChanges({ orphans, repository }: Survey): PlannedChange[] {
  return [...orphans.services, ...orphans.addresses].map((key) => {
    const writes = writesOfDeletion(planDeletion(repository.scope, key, repository.inventory));
    const detail = 'carries our marks and nobody wants it; a sudden mass of these is held back first';
    return { action: 'delete', subject: `leftovers of ${nrpName(key)}`, detail, writes };
  });
}

/** Whether anything is to be done before the default outbound service has its turn. */
function hasInitialWork(
  { engine, orphans, awaited }: Survey,
  planned: readonly (PlannedService & { readonly key: ServiceKey })[],
): boolean {
  const isWork = ({ key, azureWrites, registers }: (typeof planned)[number]) =>
    awaited.has(key) && (registers || azureWrites > 0);
  return orphans.services.size > 0 || !engine.tracker.isInSync || planned.some(isWork);
}

function registrationChange(keys: readonly ServiceKey[], hasDefaultToWait: boolean): PlannedChange[] {
  if (keys.length === 0) return [];
  const alone = hasDefaultToWait && keys.includes(DEFAULT_OUTBOUND_KEY) ? 1 : 0;
  const writes = Math.ceil((keys.length - alone) / REGISTRATIONS_PER_CALL) + alone;
  const detail =
    alone === 0
      ? `${keys.length} services are registered or unregistered together`
      : `${keys.length} services are registered or unregistered, the default outbound service after all others`;
  return [{ action: 'update', subject: 'services of the gateway', detail, writes }];
}

/** What is refused gets no addresses. */
function addressChange(
  { engine }: Survey,
  { addressLocations }: ServiceGatewayConfiguration,
  refused: ReadonlySet<ServiceKey>,
): PlannedChange[] {
  const { tracker } = engine;
  let count = tracker.locationChanges().length;
  for (const key of tracker.wanted.inbound) if (!refused.has(key)) count += engine.pendingEndpoints(key)?.size ?? 0;
  for (const egress of tracker.wanted.outbound) {
    if (!refused.has(egress)) count += tracker.pods.pendingPods(egress).size;
  }
  if (count === 0) return [];
  const writes = Math.ceil(count / addressLocations.maximumAddresses);
  return [{ action: 'update', subject: 'addresses of the gateway', detail: `about ${count} change`, writes }];
}

/** As a person would name it. */
export function subjectOf({ nameOf }: Pick<Survey, 'nameOf'>, key: ServiceKey): string {
  return isOutbound(key) ? `egress gateway ${nrpName(key)}` : `Service ${nameOf(key) ?? nrpName(key)}`;
}
