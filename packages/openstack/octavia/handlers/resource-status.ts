import { codeOf, FairleadError, messageOf, verdictOf } from '@fairlead/control';
import {
  type Condition,
  findCondition,
  jsonEqual,
  type MergePatch,
  reasonOf,
  type WantedCondition,
  withCondition,
} from '@fairlead/kube';
import type { DesiredBalancer } from '../balancer/desired.ts';
import type { ObservedBalancer } from '../balancer/observed.ts';
import { type FoundStatus, statusFrom } from '../balancer/status.ts';
import { type KuryrLoadBalancer, PROGRAMMED } from '../resource/types.ts';
import type { Obstacle } from './obstacle.ts';
import type { ResourceWrite } from './resource-writes.ts';

const STUCK = 'LoadBalancerStuck';
const PENDING = {
  status: 'False',
  reason: 'LoadBalancerPending',
  message: 'Its load balancer is being made.',
} as const;

/** All is as it should be. */
export function settledWrites(
  resource: KuryrLoadBalancer,
  desired: DesiredBalancer,
  observed: ObservedBalancer,
  now: number,
): readonly ResourceWrite[] {
  const found = foundIn(resource, desired, observed);
  const message = `The load balancer ${found.loadbalancer?.id ?? ''} is as it should be.`;
  return statusWrites(resource, found, { type: PROGRAMMED, status: 'True', reason: 'Programmed', message }, now);
}

/** Octavia is at it. What it was like before is still said of what is below: nothing of that is gone. */
export function waitingWrites(
  resource: KuryrLoadBalancer,
  desired: DesiredBalancer,
  observed: ObservedBalancer,
  isStuck: boolean,
  now: number,
): readonly ResourceWrite[] {
  const { listeners, pools, members } = resource.status ?? {};
  const found = {
    ...servedElsewhere(resource, foundIn(resource, desired, observed)),
    ...(listeners === undefined ? {} : { listeners }),
    ...(pools === undefined ? {} : { pools }),
    ...(members === undefined ? {} : { members }),
  };
  const id = observed.serving?.balancer.id ?? '';
  const message = `Octavia has been at a change of the load balancer ${id} for more than five minutes.`;
  const told = isStuck ? failed(STUCK, message) : (saidBefore(resource) ?? { ...PENDING, type: PROGRAMMED });
  return statusWrites(resource, found, told, now);
}

/** One that moves is served where it was until the other is as it should be: addresses and rules are told by that. */
function servedElsewhere({ status }: KuryrLoadBalancer, found: FoundStatus): FoundStatus {
  const { loadbalancer, service_pub_ip_info } = status ?? {};
  const [before, after] = [loadbalancer?.port_id, found.loadbalancer?.port_id];
  if (!loadbalancer || before === undefined || after === undefined || before === after) return found;
  const { service_pub_ip_info: _, ...others } = found;
  return { ...others, loadbalancer, ...(service_pub_ip_info ? { service_pub_ip_info } : {}) };
}

/** A change of one that serves is no news, and one that is stuck stays so until it is done. */
function saidBefore(resource: KuryrLoadBalancer): Condition | undefined {
  const before = findCondition(resource, PROGRAMMED);
  return before?.status === 'True' || before?.reason === STUCK ? before : undefined;
}

/** What does not go as it should: what is said of OpenStack stays, and it is told once. */
export function failureWrites(resource: KuryrLoadBalancer, error: unknown, now: number): readonly ResourceWrite[] {
  if (verdictOf(error) === 'stale') return [];
  const isRefusal = verdictOf(error) === 'terminal' && error instanceof FairleadError;
  const reason = reasonOf(codeOf(error));
  if (findCondition(resource, PROGRAMMED)?.reason === reason && !isRefusal) return [];
  // The number of a request differs from attempt to attempt.
  const message = messageOf(error).replace(/ req-[\w-]+/g, '');
  return statusWrites(resource, undefined, failed(reason, isRefusal ? `Refused: ${message}.` : message), now);
}

export function errorWrites(resource: KuryrLoadBalancer, id: string, now: number): readonly ResourceWrite[] {
  const message = `The load balancer ${id} is in ERROR: it is made anew.`;
  return statusWrites(resource, undefined, failed('LoadBalancerInError', message), now);
}

/** What keeps its Service from leaving. */
export function heldWrites(resource: KuryrLoadBalancer, obstacle: Obstacle, now: number): readonly ResourceWrite[] {
  return statusWrites(resource, undefined, { type: PROGRAMMED, ...obstacle }, now);
}

function foundIn({ spec }: KuryrLoadBalancer, { owner }: DesiredBalancer, observed: ObservedBalancer): FoundStatus {
  return statusFrom(owner, observed, spec?.security_groups_ids ?? []);
}

function failed(reason: string, message: string): WantedCondition {
  return { type: PROGRAMMED, status: 'False', reason, message };
}

/** With `found` undefined, what the status says of OpenStack stays. */
function statusWrites(
  resource: KuryrLoadBalancer,
  found: FoundStatus | undefined,
  condition: WantedCondition,
  now: number,
): readonly ResourceWrite[] {
  const { conditions, ...before } = resource.status ?? {};
  const after = withCondition(resource, condition, now);
  const isSame = jsonEqual(after, conditions ?? []) && (found === undefined || jsonEqual(before, found));
  if (isSame) return [];
  const changed = found === undefined ? {} : replacing(before, found);
  const patch: MergePatch<KuryrLoadBalancer> = { status: { ...changed, conditions: after } };
  const ifItDiesHere = 'The status says what was found: the next pass finds no difference.';
  return [{ name: 'publish-status', ifItDiesHere, subresource: 'status', patch }];
}

/** A merge patch leaves what it does not name: what is no longer there is taken out. */
function replacing(before: FoundStatus, found: FoundStatus): MergePatch<FoundStatus> {
  const gone = Object.fromEntries(Object.keys(before).map((name) => [name, null]));
  return {
    ...gone,
    ...found,
    ...(found.loadbalancer ? { loadbalancer: { ...nulls(before.loadbalancer), ...found.loadbalancer } } : {}),
    ...(found.service_pub_ip_info
      ? { service_pub_ip_info: { ...nulls(before.service_pub_ip_info), ...found.service_pub_ip_info } }
      : {}),
  };
}

function nulls(before: object | null | undefined): Readonly<Record<string, null>> {
  return Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null]));
}
