import type { Clock } from '@fairlead/control';
import { heldAtFirst, type PartPlan, type PlannedChange } from '@fairlead/part';
import { type ServiceKey, shownAddresses } from '@fairlead/service';
import { armName } from '../../arm/index.ts';
import { LEFTOVER_BRAKE } from '../load-balancers/leftovers.ts';
import type { Outcome, ServedService } from '../load-balancers/outcome.ts';
import type { AzureWrite } from '../load-balancers/plan.ts';
import { isLeftover } from '../load-balancers/target.ts';
import { PART_NAME } from '../names.ts';
import { azureWritesFor, pendingFor, type Snapshot, stalePools } from './snapshot.ts';

/** What a leader that started now would do: for each Service, and for what Services share. */
export function partPlan(snapshot: Snapshot, clock: Clock): PartPlan {
  const outcomes = [...snapshot.outcomes];
  const subjects = snapshot.leftovers.map(({ subject }) => subject);
  return {
    ...heldAtFirst(clock, PART_NAME, LEFTOVER_BRAKE, subjects, snapshot.inAzure),
    changes: [
      ...outcomes.flatMap(([key, outcome]) => serviceChange(key, outcome, snapshot) ?? []),
      ...leftoverChanges(snapshot),
      ...sharedChanges(snapshot),
      ...outcomes.flatMap(([key, outcome]) => (outcome.kind === 'serve' ? poolChanges(key, outcome, snapshot) : [])),
    ],
  };
}

function serviceChange(key: ServiceKey, outcome: Outcome, snapshot: Snapshot): PlannedChange | undefined {
  const shared = azureWritesFor(snapshot, key).filter((write) => !isOwn(write)).length;
  const pending = pendingFor(snapshot, key).length;
  const change = { subject: `Service ${key}`, writes: pending - shared };
  if (outcome.kind === 'foreign' || outcome.kind === 'unreadable') return undefined;
  const shown = shownAddresses(outcome.claim.service);
  switch (outcome.kind) {
    case 'serve': {
      const isNew = shown.length === 0;
      const action = isNew ? 'create' : pending > 0 ? 'update' : 'adopt';
      return { ...change, action, detail: detailOf(outcome) };
    }
    case 'refuse':
      return { ...change, action: 'refuse', detail: `${outcome.refusal.code}: ${outcome.refusal.message}` };
    case 'release':
      return {
        ...change,
        ...(shown.length === 0 ? {} : { loses: shown }),
        action: 'delete',
        detail: `lets go of its load balancer: ${outcome.claim.sentence}`,
      };
  }
}

function detailOf({ target: { wanted, adopted, loadBalancer }, movesFrom }: ServedService): string {
  const names = Object.values(adopted);
  const taken = names.length === 0 ? '' : `, with the pool ${names.join(' and ')} that is there`;
  const moved = movesFrom === undefined ? '' : `, from ${movesFrom}`;
  return `has ${wanted.scope} ${wanted.families.join(' and ')} on the load balancer ${loadBalancer}${moved}${taken}`;
}

/** What is left of Services that no longer exist. */
function leftoverChanges(snapshot: Snapshot): readonly PlannedChange[] {
  return snapshot.leftovers.map(({ subject }) => {
    const writes = azureWritesFor(snapshot, subject).filter(isOwn).length;
    return { action: 'delete', subject, detail: 'is removed: the Service it was made for no longer exists', writes };
  });
}

/** One write, however many Services it is for. */
function sharedChanges({ azureWrites, observed }: Snapshot): readonly PlannedChange[] {
  const there = new Set(observed.loadBalancers.keys());
  return azureWrites
    .filter((write) => !isOwn(write))
    .map(({ kind, id, subjects }) => {
      const name = armName(id);
      const what = kind === 'put-security-group' ? 'security group' : 'load balancer';
      const action = actionOnShared(kind, there.has(name.toLowerCase()));
      there.add(name.toLowerCase());
      const detail = subjects.length === 0 ? 'no Service is on it' : `for ${subjects.join(', ')}`;
      return { action, subject: `${what} ${name}`, detail, writes: 1 };
    });
}

function actionOnShared(kind: AzureWrite['kind'], isThere: boolean): PlannedChange['action'] {
  if (kind === 'delete-load-balancer') return 'delete';
  return kind === 'put-load-balancer' && !isThere ? 'create' : 'update';
}

/** Pools whose load balancer is written anyway cost nothing more. */
function poolChanges(key: ServiceKey, { target }: ServedService, snapshot: Snapshot): readonly PlannedChange[] {
  const isWritten = snapshot.azureWrites.some(({ kind, id, subjects }) => {
    const isIts = armName(id).toLowerCase() === target.loadBalancer.toLowerCase();
    return kind === 'put-load-balancer' && isIts && !subjects.every(isLeftover);
  });
  if (isWritten) return [];
  return stalePools(snapshot, target).map((name) => ({
    action: 'update',
    subject: `backend pool ${target.loadBalancer}/${name}`,
    detail: `gets the nodes that serve ${key}`,
    writes: 1,
  }));
}

/** Whether it is for one Service alone. */
function isOwn({ kind }: AzureWrite): boolean {
  return kind === 'put-public-ip' || kind === 'delete-public-ip';
}
