import type { Clock } from '@fairlead/control';
import { findCondition, keyText } from '@fairlead/kube';
import type { Explanation, PartPlan, PartStatus, PlannedChange } from '@fairlead/part';
import { heldWithdrawals } from './controller/withdrawal-brake.ts';
import type { Decision } from './decision/decide.ts';
import { DERIVED_SERVICE, ownDerived } from './decision/derived-service.ts';
import type { Observation } from './decision/observation.ts';
import { describeWrite, clustersLostBy } from './decision/write.ts';
import { clusterOf } from './records/marks.ts';
import type { Snapshot } from './snapshot.ts';

/** What a leader that started now would write, Service by Service. */
export function partPlan({ decisions, migration, view }: Snapshot, clock: Clock): PartPlan {
  const services = [...decisions].flatMap(([key, { decision }]) => changeOf(key, decision));
  const older = migration.writes.map((write) => ({
    action: write.verb,
    subject: `${write.resource.kind} ${keyText(write.object.metadata)}`,
    detail: `${describeWrite(write)}, of software before aggregation`,
    writes: 1,
  }));
  const losses = new Map([...decisions].map(([key, { decision }]) => [key, clustersLostBy(decision.writes)]));
  return { ...heldWithdrawals(clock, losses, view), changes: [...services, ...older] };
}

function changeOf(key: string, { writes, aggregate }: Decision): readonly PlannedChange[] {
  const all = [...writes, ...aggregate];
  const [first] = all;
  if (first === undefined) return [];
  const verbs = new Set(all.map(({ verb }) => verb));
  const action = verbs.size === 1 ? first.verb : 'update';
  const more = all.length === 1 ? '' : `, and ${all.length - 1} more`;
  return [{ action, subject: `Service ${key}`, detail: `${describeWrite(first)}${more}`, writes: all.length }];
}

export function partStatus({ decisions, broker, state }: Snapshot): PartStatus {
  const all = [...decisions.values()];
  const count = (wanted: Decision['exported']['state']) =>
    all.filter(({ decision }) => decision.exported.state === wanted).length;
  return {
    summary: state.state === 'unavailable' ? state.reason : 'in step with the broker',
    problems: state.state === 'unavailable' ? [state.reason] : [],
    figures: {
      clusters: broker.leases.size,
      'Services exported': count('exported'),
      'Services in conflict': count('conflict'),
      'Services that cannot be exported': count('invalid'),
      'Services waiting for the broker': count('waiting'),
      'Services imported': all.filter(({ observed }) => observed.imported !== undefined).length,
    },
  };
}

/** Why a Service of the clusterset is as it is here. */
export function explain({
  observed,
  decision,
}: {
  readonly observed: Observation;
  readonly decision: Decision;
}): Explanation {
  const subject = `Service ${keyText(observed.key)}`;
  const waits = [...decision.writes, ...decision.aggregate].map(describeWrite);
  const reasons = reasonsOf(observed, decision);
  const state = reasons.isStuck ? 'stuck' : waits.length > 0 ? 'working' : 'as-wanted';
  const waitsFor = reasons.waitsFor ?? (waits.length === 0 ? undefined : `what is to be written: ${waits.join(', ')}`);
  return {
    answer: `${subject} ${reasons.text}.`,
    state,
    wanted: wanted(decision),
    there: there(observed),
    ...(waitsFor !== undefined && { waitsFor }),
  };
}

interface Reasons {
  readonly text: string;
  readonly isStuck: boolean;
  readonly waitsFor?: string;
}

function reasonsOf(observed: Observation, { exported, merged }: Decision): Reasons {
  const { broker, serviceExport } = observed;
  if (broker.state === 'unavailable') {
    return {
      text: 'is as it was when the broker was last read',
      isStuck: true,
      waitsFor: `the broker. ${broker.reason}`,
    };
  }
  const refused = [...broker.records, ...broker.slices].flatMap((one) =>
    one.kind === 'refused' ? [`what ${one.cluster} exports is refused, because ${one.reason}`] : [],
  );
  const clusters = merged.import?.clusters ?? [];
  const imported = clusters.length === 0 ? 'is exported by no cluster' : `is exported by ${clusters.join(', ')}`;
  const conflict = [...merged.verdicts.values()][0]?.conditions.find(({ type }) => type === 'Conflict');
  const notDerived = observed.imported === undefined ? undefined : findCondition(observed.imported, DERIVED_SERVICE);
  const notes = [
    ...refused,
    ...(notDerived === undefined
      ? []
      : [`its address is not as it should be. ${notDerived.message.replace(/\.$/, '')}`]),
    ...(conflict?.status === 'True' ? [`there is a conflict. ${conflict.message.replace(/\.$/, '')}`] : []),
  ];
  const text = [imported, ...notes].join('; ');
  if (exported.state === 'invalid')
    return { text: `${text}; this cluster cannot export it`, isStuck: true, waitsFor: 'its Service' };
  if (exported.state === 'conflict') {
    return { text, isStuck: true, waitsFor: 'the older exports of another type to go, or this one to have their type' };
  }
  return {
    text: serviceExport === undefined ? text : `${text}; this cluster exports it (${exported.state})`,
    isStuck: refused.length > 0,
  };
}

function wanted({ merged }: Decision): readonly string[] {
  if (merged.import === undefined) return [];
  const { spec, clusters } = merged.import;
  const ports = (spec.ports ?? []).map(({ protocol = 'TCP', port }) => `${protocol}/${port}`).join(', ') || 'no port';
  return [`an import of type ${spec.type} with ${ports} from ${clusters.join(', ')}`];
}

function there(observed: Observation): readonly string[] {
  const { imported, importedSlices, derivedSlices } = observed;
  const clusters = (imported?.status?.clusters ?? []).map(({ cluster }) => cluster);
  const listed =
    imported === undefined
      ? []
      : [`an import of type ${imported.spec?.type ?? 'unknown'} from ${clusters.join(', ') || 'no cluster'}`];
  const slices = importedSlices.map(
    (slice) => `${slice.metadata.name}: ${(slice.endpoints ?? []).length} endpoints of ${clusterOf(slice)}`,
  );
  const derived = ownDerived(observed);
  if (derived === undefined) return [...listed, ...slices];
  const pods = derivedSlices.reduce((count, { endpoints }) => count + (endpoints ?? []).length, 0);
  const address = (derived.spec.clusterIPs ?? []).join(', ') || 'no address';
  const service = `the derived Service ${derived.metadata.name} with ${address} and ${pods} endpoints of this cluster`;
  return [...listed, ...slices, service];
}
