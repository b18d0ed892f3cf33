import type { Clock } from '@fairlead/control';
import type { PartPlan, PlannedChange } from '@fairlead/part';
import { releaseStatusPatch, type ServiceKey, statusPatch } from '@fairlead/service';
import { armName } from '../../arm/index.ts';
import { mergeEntries } from '../backend-pools/pool-entries.ts';
import { poolNameFor } from '../load-balancers/child-resources.ts';
import type { Decision } from '../load-balancers/outcome.ts';
import { placementPatch } from '../load-balancers/service-writer.ts';
import { refusedStatus, servedAddresses, servedStatus } from '../load-balancers/service-writes.ts';
import type { AzureWrite, Intention } from '../load-balancers/target.ts';
import type { Survey } from './snapshot.ts';

type Serve = Extract<Decision, { kind: 'serve' }>;

/** What a leader that started now would do: for each Service, and for what Services share. */
export function partPlan(survey: Survey, clock: Pick<Clock, 'now'>): PartPlan {
  return {
    changes: [
      ...[...survey.decisions].flatMap(([key, decision]) => serviceChange(key, decision, survey, clock) ?? []),
      ...leftoverChanges(survey),
      ...sharedChanges(survey),
      ...[...survey.decisions].flatMap(([key, decision]) =>
        decision.kind === 'serve' ? poolChanges(key, decision, survey) : [],
      ),
    ],
  };
}

/** Pools of the Service that are there and do not have the nodes that serve it. */
export function poolsOutOfStep(key: ServiceKey, { wanted, loadBalancer }: Serve, survey: Survey): readonly string[] {
  const { site, observed, backends } = survey;
  const pools = observed.loadBalancers.get(loadBalancer.toLowerCase())?.properties.backendAddressPools ?? [];
  return wanted.families.flatMap((family) => {
    const name = poolNameFor(site, wanted, family);
    const pool = pools.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    if (pool === undefined) return [];
    const entries = pool.properties.loadBalancerBackendAddresses ?? [];
    const merged = mergeEntries(entries, backends.addresses(key, family), (address) => backends.isNode(address));
    return merged === undefined ? [] : [name];
  });
}

/** The writes that are for this Service alone or for others, too. */
export function writesFor({ writes }: Survey, subject: Intention['subject']): readonly AzureWrite[] {
  return writes.filter(({ subjects }) => subjects.includes(subject));
}

function serviceChange(
  key: ServiceKey,
  decision: Decision,
  survey: Survey,
  clock: Pick<Clock, 'now'>,
): PlannedChange | undefined {
  if (decision.kind === 'foreign' || decision.kind === 'unreadable') return undefined;
  const own = writesFor(survey, key).filter(isOwn).length + serviceWrites(key, decision, survey, clock);
  const change = { subject: `Service ${key}`, writes: own };
  switch (decision.kind) {
    case 'serve':
      return { ...change, action: actionFor(key, decision, survey, own), detail: detailOf(decision) };
    case 'refuse':
      return { ...change, action: 'refuse', detail: `${decision.refusal.code}: ${decision.refusal.message}` };
    case 'release':
      return { ...change, action: 'delete', detail: `lets go of its load balancer: ${decision.claim.sentence}` };
  }
}

function detailOf({ wanted, loadBalancer, movesFrom }: Serve): string {
  const adopted = Object.values(wanted.adoptedPools);
  const taken = adopted.length === 0 ? '' : `, with the pool ${adopted.join(' and ')} that is there`;
  const moved = movesFrom === undefined ? '' : `, from ${movesFrom}`;
  return `has ${wanted.scope} ${wanted.families.join(' and ')} on the load balancer ${loadBalancer}${moved}${taken}`;
}

function actionFor(key: ServiceKey, { claim }: Serve, survey: Survey, own: number): 'create' | 'update' | 'adopt' {
  if ((claim.service.status?.loadBalancer?.ingress ?? []).length === 0) return 'create';
  return own + writesFor(survey, key).length > 0 ? 'update' : 'adopt';
}

/** Writes to the Service itself. */
function serviceWrites(
  key: ServiceKey,
  decision: Exclude<Decision, { kind: 'foreign' | 'unreadable' }>,
  { index, intentions }: Survey,
  clock: Pick<Clock, 'now'>,
): number {
  const { claim } = decision;
  switch (decision.kind) {
    case 'refuse': {
      const status = refusedStatus(claim.service, decision.refusal);
      return statusPatch(decision.claim, status, clock) === undefined ? 0 : 1;
    }
    case 'release':
      return releaseStatusPatch(decision.claim) === undefined ? 1 : 2;
    case 'serve': {
      const { wanted, loadBalancer } = decision;
      const placing = placementPatch(decision.claim, loadBalancer, wanted.adoptedPools) === undefined ? 0 : 1;
      const intention = intentions.get(key);
      if (intention?.kind !== 'present' || !index.knowsAllAddressesOf(intention)) return placing + 1;
      const status = servedStatus(servedAddresses(wanted, index.addressesOf(intention)));
      return placing + (statusPatch(decision.claim, status, clock) === undefined ? 0 : 1);
    }
  }
}

/** What is left of Services that no longer exist. */
function leftoverChanges(survey: Survey): readonly PlannedChange[] {
  return [...survey.intentions.keys()].flatMap((subject) => {
    if (!isLeftover(subject)) return [];
    const writes = writesFor(survey, subject).filter(isOwn).length;
    const detail = 'is removed: the Service it was made for no longer exists';
    return [{ action: 'delete', subject, detail, writes } as const];
  });
}

/** One write, however many Services it is for. */
function sharedChanges({ writes, observed }: Survey): readonly PlannedChange[] {
  const there = new Set(observed.loadBalancers.keys());
  return writes
    .filter((write) => !isOwn(write))
    .map(({ kind, id, subjects }) => {
      const name = armName(id);
      const what = kind === 'put-security-group' ? 'security group' : 'load balancer';
      const action = actionOnShared(kind, there.has(name.toLowerCase()));
      there.add(name.toLowerCase());
      const detail = subjects.length === 0 ? 'nobody is on it' : `for ${subjects.join(', ')}`;
      return { action, subject: `${what} ${name}`, detail, writes: 1 };
    });
}

function actionOnShared(kind: AzureWrite['kind'], isThere: boolean): PlannedChange['action'] {
  if (kind === 'delete-load-balancer') return 'delete';
  return kind === 'put-load-balancer' && !isThere ? 'create' : 'update';
}

/** Pools whose load balancer is written anyway cost nothing more. */
function poolChanges(key: ServiceKey, decision: Serve, survey: Survey): readonly PlannedChange[] {
  const { loadBalancer } = decision;
  const isWritten = survey.writes.some(
    ({ kind, id, subjects }) =>
      kind === 'put-load-balancer' && isSameName(armName(id), loadBalancer) && !subjects.every(isLeftover),
  );
  if (isWritten) return [];
  return poolsOutOfStep(key, decision, survey).map((name) => ({
    action: 'update',
    subject: `backend pool ${decision.loadBalancer}/${name}`,
    detail: `gets the nodes that serve ${key}`,
    writes: 1,
  }));
}

function isLeftover(subject: Intention['subject']): boolean {
  return subject.startsWith('leftover ');
}

function isSameName(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function isOwn({ kind }: AzureWrite): boolean {
  return kind === 'put-public-ip' || kind === 'delete-public-ip';
}
