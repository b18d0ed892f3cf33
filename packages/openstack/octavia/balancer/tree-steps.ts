import { parseIpAddress } from '@fairlead/control';
import { jsonEqual } from '@fairlead/kube';
import { refusal } from '@fairlead/service';
import {
  type HealthMonitor,
  type Listener,
  type ListenerChanges,
  type Member,
  type Pool,
  type PoolChanges,
  provisioningOf,
} from '../../client/index.ts';
import type { LbaasStep } from '../drivers/lbaas-driver.ts';
import type { DesiredBalancer, DesiredListener, DesiredPool, ListenerSettings } from './desired.ts';
import { isAdoptable } from './adoption.ts';
import { type BalancerOwner, descriptionOf, isOwn, tagsOf } from './marks.ts';
import type { BalancerTree } from './observed.ts';
import { listenerRequest, markedMember, poolRequest, unchangedMember } from './requests.ts';

/**
 * What is to be changed below a load balancer that is ACTIVE, in order. Ports that are no longer served go first, as
 * others may stand in their place. What carries no mark of this Service stays as it is.
 */
export function treeSteps(balancer: DesiredBalancer, tree: BalancerTree): readonly LbaasStep[] {
  const { owner, listeners } = balancer;
  const pairs = listeners.map((desired) => {
    const found = listenerFor(desired, balancer, tree);
    return { desired, found, pool: poolFor(balancer, desired, found, tree) };
  });
  const kept = new Set(pairs.flatMap(({ found }) => found?.id ?? []));
  const keptPools = new Set(pairs.flatMap(({ pool }) => pool?.id ?? []));
  const obsolete = tree.listeners.filter((one) => isOwn(one, owner) && !kept.has(one.id));
  const unused = tree.pools.filter((one) => isOwn(one, owner) && !keptPools.has(one.id));
  return [
    ...obsolete.map(({ id }): LbaasStep => ({ kind: 'delete-listener', id })),
    ...unused.map(({ id }): LbaasStep => ({ kind: 'delete-pool', id })),
    ...pairs.flatMap(({ desired, found, pool }) => listenerSteps(balancer, desired, found, pool, tree)),
  ];
}

/** The listener of ours that serves the port as it should; one of another protocol, or in ERROR, is made anew. */
function listenerFor(
  desired: DesiredListener,
  whole: DesiredBalancer,
  { listeners, balancer }: BalancerTree,
): Listener | undefined {
  const there = listeners.find(
    (one) => one.protocol_port === desired.port && transportOf(one.protocol) === transportOf(desired.protocol),
  );
  if (there === undefined) return undefined;
  if (!isOwn(there, whole.owner) && !isAdoptable(whole, balancer, there)) {
    const message = `the port ${transportOf(desired.protocol)} ${desired.port} of its load balancer is taken by ${there.name || there.id}`;
    throw refusal('port-taken', message);
  }
  return there.protocol === desired.protocol && !isBroken(there) ? there : undefined;
}

function transportOf(protocol: string): string {
  return protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
}

function isBroken(resource: { readonly provisioning_status: string }): boolean {
  return provisioningOf(resource).kind === 'error';
}

function listenerSteps(
  whole: DesiredBalancer,
  desired: DesiredListener,
  found: Listener | undefined,
  pool: Pool | undefined,
  tree: BalancerTree,
): readonly LbaasStep[] {
  const { owner } = whole;
  if (found === undefined) {
    const body = listenerRequest(owner, tree.balancer.id, desired, pool?.id);
    // What is below it is seen to when it is there.
    return [{ kind: 'create-listener', body }];
  }
  const changes = { ...changedSettings(desired.settings, found), ...missingMark(owner, found) };
  const update: readonly LbaasStep[] =
    Object.keys(changes).length === 0 ? [] : [{ kind: 'update-listener', id: found.id, changes }];
  if (pool === undefined) return [...update, { kind: 'create-pool', body: poolRequest(owner, found.id, desired) }];
  if (pool.id !== found.default_pool_id) {
    return [{ kind: 'update-listener', id: found.id, changes: { ...changes, default_pool_id: pool.id } }];
  }
  if (pool.protocol !== desired.pool.protocol || isBroken(pool)) return [{ kind: 'delete-pool', id: pool.id }];
  const isInherited = isAdoptable(whole, tree.balancer, pool);
  const members = memberSteps(owner, desired.pool, pool, tree, isInherited);
  return [...members, ...update, ...poolSteps(owner, desired, pool, tree)];
}

/** That of the listener, or one that was made for it and has lost it, be it that another was put in its place. */
function poolFor(
  whole: DesiredBalancer,
  { name, pool: { protocol } }: DesiredListener,
  found: Listener | undefined,
  { balancer, pools }: BalancerTree,
): Pool | undefined {
  const { owner } = whole;
  const current = pools.find(({ id }) => id === found?.default_pool_id);
  if (current !== undefined && (isOwn(current, owner) || isAdoptable(whole, balancer, current))) return current;
  return pools.find(
    (pool) =>
      pool.name === name &&
      pool.protocol === protocol &&
      isOwn(pool, owner) &&
      pool.listeners.length === 0 &&
      !isBroken(pool),
  );
}

/** What is adopted gets our mark beside the tags that it has. */
function missingMark(owner: BalancerOwner, part: Listener | Pool) {
  if (isOwn(part, owner)) return {};
  return { tags: [...part.tags, ...tagsOf(owner)], description: descriptionOf(owner) };
}

/** At most one call, whatever has changed. Of a pool that is being adopted, all members are ours. */
function memberSteps(
  owner: BalancerOwner,
  { members: desired }: DesiredPool,
  { id }: Pool,
  { members }: BalancerTree,
  isInherited: boolean,
): readonly LbaasStep[] {
  const there = members.get(id) ?? [];
  const wanted = new Map(desired.map((member) => [`${member.address} ${member.protocol_port}`, member]));
  const isWanted = (member: Member) => wanted.has(memberKey(member));
  const byKey = new Map(there.map((member) => [memberKey(member), member]));
  const isMissing = [...wanted].some(([key, member]) => {
    const found = byKey.get(key);
    if (found === undefined || !found.admin_state_up || found.weight !== 1 || isBroken(found)) return true;
    return (found.monitor_port ?? undefined) !== member.monitor_port || !isOwn(found, owner);
  });
  const isOurs = (member: Member) => isInherited || isOwn(member, owner);
  const isLeft = there.some((member) => isOurs(member) && !isWanted(member));
  if (!isMissing && !isLeft) return [];
  // Members that a user has put there are named as they are: a batch takes away what it does not name.
  const others = there.filter((member) => !isOurs(member) && !isWanted(member));
  const all = [...desired.map((member) => markedMember(owner, member)), ...others.map(unchangedMember)];
  return [{ kind: 'set-members', poolId: id, members: all }];
}

/** Octavia spells addresses as it was told, and a user may have told it another spelling. */
function memberKey({ address, protocol_port }: Member): string {
  return `${parseIpAddress(address)?.address ?? address} ${protocol_port}`;
}

function poolSteps(
  owner: BalancerOwner,
  { name, pool: desired }: DesiredListener,
  pool: Pool,
  { monitors }: BalancerTree,
): readonly LbaasStep[] {
  const steps: LbaasStep[] = [];
  const changes = { ...changedPool(desired, pool), ...missingMark(owner, pool) };
  if (Object.keys(changes).length > 0) steps.push({ kind: 'update-pool', id: pool.id, changes });
  const monitor = monitors.find(({ id }) => id === pool.healthmonitor_id);
  const isOther = monitor !== undefined && (monitor.type !== desired.monitor?.type || isBroken(monitor));
  if (isOther && (desired.monitor !== undefined || isOwn(monitor, owner))) {
    return [...steps, { kind: 'delete-monitor', id: monitor.id }];
  }
  if (desired.monitor === undefined) return steps;
  const marked = { ...desired.monitor, name, tags: tagsOf(owner) };
  if (monitor === undefined) return [...steps, { kind: 'create-monitor', body: { ...marked, pool_id: pool.id } }];
  const { type: _, ...wanted } = desired.monitor;
  const isSame = Object.entries(wanted).every(([field, value]) => fieldOf(monitor, field) === value);
  return isSame ? steps : [...steps, { kind: 'update-monitor', id: monitor.id, changes: wanted }];
}

function fieldOf(monitor: HealthMonitor, field: string): unknown {
  return Reflect.get(monitor, field);
}

function changedPool({ algorithm, persistence }: DesiredPool, pool: Pool): PoolChanges {
  const { session_persistence } = pool;
  const timeout = session_persistence?.persistence_timeout ?? undefined;
  const isSame = session_persistence?.type === persistence?.type && timeout === persistence?.persistence_timeout;
  return {
    ...(pool.lb_algorithm === algorithm ? {} : { lb_algorithm: algorithm }),
    ...(isSame ? {} : { session_persistence: persistence ?? null }),
  };
}

/** What the provider has not is not said, and not compared. */
function changedSettings(settings: ListenerSettings, found: Listener): ListenerChanges {
  const { allowed_cidrs, insert_headers, default_tls_container_ref, ...numbers } = settings;
  const changed = Object.entries(numbers).filter(([name, value]) => Reflect.get(found, name) !== value);
  const cidrs = (found.allowed_cidrs ?? []).toSorted();
  const isAdmitted = allowed_cidrs === undefined || jsonEqual(cidrs, allowed_cidrs.toSorted());
  const headers = found.insert_headers ?? {};
  const isInserted = jsonEqual(headers, insert_headers ?? {});
  const isTrusted = default_tls_container_ref === found.default_tls_container_ref;
  return {
    ...Object.fromEntries(changed),
    ...(isAdmitted ? {} : { allowed_cidrs: allowed_cidrs.length === 0 ? null : allowed_cidrs }),
    ...(isInserted ? {} : { insert_headers: insert_headers ?? {} }),
    ...(isTrusted || default_tls_container_ref === undefined ? {} : { default_tls_container_ref }),
  };
}
