import { messageOf } from '@fairlead/control';
import { findCondition, hasFinalizer } from '@fairlead/kube';
import type { PartPlan, PlannedChange } from '@fairlead/part';
import { PROGRAMMED_CONDITION } from '@fairlead/service';
import type { ServiceGatewayConfiguration } from './configuration.ts';
import type { GatewayScope } from './gateway-scope.ts';
import { POD_FINALIZER } from './pod-wish.ts';
import { carriesRefusal } from './refusal-withdrawal.ts';
import { DEFAULT_OUTBOUND_KEY, isOutbound, nrpName, podUid, type ServiceKey } from './service-key.ts';
import { type CreationPlan, planCreation, planDeletion, writesOfDeletion } from './service-plan.ts';
import type { ServiceSpec } from './service-spec.ts';
import type { Parked, ServiceState } from './service-state.ts';
import type { Survey } from './survey.ts';
import { REGISTRATIONS_PER_CALL } from './service-updater.ts';

/** Finalizers and status of a Service. */
const CLUSTER_WRITES = 2;

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
      ...podChange(survey),
      ...withdrawals(survey),
    ],
  };
}

interface PlannedService {
  readonly change: PlannedChange;
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
      return plannedCreation(survey, key, state.spec, subject);
    case 'Parked':
      return refused(subject, `${state.failure.code}: ${state.failure.message}`, refusalWrites(survey, key, state));
    case 'DeletionPending':
    case 'DeletionInProgress': {
      const plan = planDeletion(survey.repository.scope, key, survey.repository.inventory);
      const writes = plan.remove.length + (isOutbound(key) ? 0 : CLUSTER_WRITES);
      const change = { action: 'delete', subject, detail: 'what it has in Azure is deleted', writes } as const;
      return { change, registers: plan.unregister !== undefined };
    }
  }
}

function plannedCreation(survey: Survey, key: ServiceKey, spec: ServiceSpec, subject: string): PlannedService {
  const { scope, inventory } = survey.repository;
  let plan: CreationPlan;
  try {
    plan = planCreation(scope, spec, inventory);
  } catch (error) {
    return refused(subject, messageOf(error));
  }
  const registers = plan.register !== undefined;
  const inAzure = plan.prepare.length + plan.tidyUp.length;
  if (inAzure === 0 && !registers) {
    return { change: { action: 'adopt', subject, detail: 'is there as wanted', writes: 0 }, registers };
  }
  const isNew = inventory.registration(key).state === 'absent';
  const detail = [...plan.prepare, ...plan.tidyUp].map(({ kind, resource }) => `${kind} ${resource}`).join(', ');
  const writes = inAzure + (isOutbound(key) || !isNew ? 0 : CLUSTER_WRITES);
  return {
    change: { action: isNew ? 'create' : 'update', subject, detail: detail === '' ? 'register' : detail, writes },
    registers,
  };
}

function refused(subject: string, detail: string, writes = 0): PlannedService {
  return { change: { action: 'refuse', subject, detail, writes }, registers: false };
}

/** The refusal is told in the status, unless it says so already. */
function refusalWrites({ services, nameOf }: Survey, key: ServiceKey, { failure }: Parked): number {
  const service = services.get(nameOf(key) ?? '')?.claim.service;
  if (service === undefined) return 0;
  return findCondition(service, PROGRAMMED_CONDITION)?.message === failure.message ? 0 : 1;
}

/** What was refused before it was held, and is not ours any more. */
function withdrawals({ services }: Survey): PlannedChange[] {
  return [...services].flatMap(([name, desired]) => {
    if (desired.kind !== 'foreign' || !carriesRefusal(desired.claim)) return [];
    return { action: 'update', subject: `Service ${name}`, detail: 'our refusal is taken back', writes: 1 };
  });
}

function podChange({ engine, pods }: Survey): PlannedChange[] {
  const unheld = [...pods.values()].filter((pod) => {
    const isWanting = engine.tracker.pods.egressOf(podUid(pod.metadata.uid ?? '')) !== undefined;
    return isWanting && pod.metadata.deletionTimestamp === undefined && !hasFinalizer(pod, POD_FINALIZER);
  });
  if (unheld.length === 0) return [];
  const detail = `${unheld.length} are held until their addresses have left Azure`;
  return [{ action: 'update', subject: 'pods with an egress gateway', detail, writes: unheld.length }];
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
  const isWork = ({ key, change, registers }: (typeof planned)[number]) =>
    awaited.has(key) && (registers || change.writes > 0);
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
