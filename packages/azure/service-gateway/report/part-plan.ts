import type { Clock } from '@fairlead/control';
import { hasFinalizer } from '@fairlead/kube';
import { heldAtFirst, type PartPlan, type PlannedChange } from '@fairlead/part';
import { armName } from '../../arm/index.ts';
import { LEFTOVER_BRAKE } from '../cloud/leftovers.ts';
import { planDeletion, writesOfDeletion } from '../cloud/plan.ts';
import { REGISTRATIONS_PER_CALL } from '../cloud/service-updater.ts';
import { POD_FINALIZER } from '../cluster/egress-pod.ts';
import type { ServiceGatewayConfiguration } from '../configuration.ts';
import { DEFAULT_OUTBOUND_KEY, isOutbound, type NrpKey, nrpName, podUid } from '../engine/nrp-key.ts';
import { PART_NAME } from '../scope.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import type { Snapshot } from './snapshot.ts';

interface PlannedService extends DryRun {
  readonly key: NrpKey;
}

/** What a leader that started now would do, in the order in which it would. */
export function partPlan(snapshot: Snapshot, configuration: ServiceGatewayConfiguration, clock: Clock): PartPlan {
  const { services, addresses, known } = snapshot.orphans;
  const planned = [...snapshot.engine.states].map(([key, state]) => ({ key, ...dryRun(snapshot, key, state) }));
  const refused = new Set(planned.flatMap(({ key, outcome }) => (typeof outcome === 'object' ? key : [])));
  const registrations = planned.filter(({ registration }) => registration !== undefined).map(({ key }) => key);
  return {
    ...heldAtFirst(clock, PART_NAME, LEFTOVER_BRAKE, [...services, ...addresses], known),
    changes: [
      ...gatewayChanges(snapshot),
      ...planned.map((service) => serviceChange(snapshot, service)),
      ...orphanChanges(snapshot),
      ...registrationChange(registrations, hasInitialWork(snapshot, planned)),
      ...addressChange(snapshot, configuration, refused),
      ...podChanges(snapshot),
    ],
  };
}

function gatewayChanges({ repository, gatewayExists, isAttached }: Snapshot): PlannedChange[] {
  const { gatewayId, subnetId } = repository.scope;
  const [name, subnet] = [armName(gatewayId), armName(subnetId)];
  return [
    gatewayExists
      ? { action: 'adopt', subject: `service gateway ${name}`, detail: 'is there', writes: 0 }
      : { action: 'create', subject: `service gateway ${name}`, detail: 'is created', writes: 1 },
    isAttached
      ? { action: 'adopt', subject: `subnet ${subnet}`, detail: 'is attached', writes: 0 }
      : { action: 'update', subject: `subnet ${subnet}`, detail: 'is attached to the service gateway', writes: 1 },
  ];
}

function serviceChange(snapshot: Snapshot, { key, outcome, ...run }: PlannedService): PlannedChange {
  const subject = subjectOf(snapshot, key);
  const { hold, azure, registration, publish } = run;
  const writes = hold.length + azure.length + publish.length;
  if (typeof outcome === 'object') {
    return { action: 'refuse', subject, detail: `${outcome.code}: ${outcome.message}`, writes };
  }
  if (outcome === 'deleted') return { action: 'delete', subject, detail: 'what it has in Azure is deleted', writes };
  const registers = registration !== undefined;
  if (writes === 0 && !registers) return { action: 'adopt', subject, detail: 'is there as wanted', writes };
  const action = snapshot.repository.inventory.registration(key).state === 'absent' ? 'create' : 'update';
  const besides = registers ? 'register' : 'is there as wanted; its finalizers and status are put right';
  const detail = azure.map(({ kind, resource }) => `${kind} ${resource}`).join(', ') || besides;
  return { action, subject, detail, writes };
}

/** Pods that have lost their label are not known here, and are let go besides. */
function podChanges({ engine, pods, podsToRelease }: Snapshot): PlannedChange[] {
  const unheld = [...pods.values()].filter((pod) => {
    const isWanting = engine.tracker.pods.egressOf(podUid(pod.metadata.uid ?? '')) !== undefined;
    return isWanting && pod.metadata.deletionTimestamp === undefined && !hasFinalizer(pod, POD_FINALIZER);
  });
  const change = (subject: string, writes: number, what: string): PlannedChange[] =>
    writes === 0 ? [] : [{ action: 'update', subject, detail: `${writes} are ${what}`, writes }];
  return [
    ...change('pods with an egress gateway', unheld.length, 'held until their addresses have left Azure'),
    ...change('pods without an egress gateway', podsToRelease.length, 'let go once their addresses have left Azure'),
  ];
}

function orphanChanges({ orphans, repository }: Snapshot): PlannedChange[] {
  return [...orphans.services, ...orphans.addresses].map((key) => {
    const writes = writesOfDeletion(planDeletion(repository, key));
    const detail = 'carries our marks and is not wanted; a sudden mass of these is held back first';
    return { action: 'delete', subject: `leftovers of ${nrpName(key)}`, detail, writes };
  });
}

/** Whether anything is to be done before the default outbound service has its turn. */
function hasInitialWork({ engine, orphans, awaited }: Snapshot, planned: readonly PlannedService[]): boolean {
  const isWork = ({ key, azure, registration }: PlannedService) =>
    awaited.has(key) && (registration !== undefined || azure.length > 0);
  return orphans.services.size > 0 || !engine.tracker.isInSync || planned.some(isWork);
}

function registrationChange(keys: readonly NrpKey[], hasDefaultToWait: boolean): PlannedChange[] {
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
  { engine }: Snapshot,
  { addressLocations }: ServiceGatewayConfiguration,
  refused: ReadonlySet<NrpKey>,
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
export function subjectOf({ names }: Pick<Snapshot, 'names'>, key: NrpKey): string {
  return isOutbound(key) ? `egress gateway ${nrpName(key)}` : `Service ${names.get(key) ?? nrpName(key)}`;
}
