import { codeOf, FairleadError, messageOf, runSteps, verdictOf } from '@fairlead/control';
import {
  type Again,
  findCondition,
  hasFinalizer,
  jsonEqual,
  keyText,
  type MergePatch,
  type ObjectWrite,
  type ObjectWriter,
  reasonOf,
  type WantedCondition,
  withCondition,
} from '@fairlead/kube';
import type { LeaderEnvironment } from '@fairlead/part';
import { problemIn } from '../../client/index.ts';
import type { BalancerCloud } from '../balancer/cloud.ts';
import { type DesiredBalancer, desiredBalancer } from '../balancer/desired.ts';
import type { ObservedBalancer } from '../balancer/observed.ts';
import { planBalancer } from '../balancer/plan.ts';
import { type FoundStatus, statusFrom } from '../balancer/status.ts';
import { memberRules, type SecurityGroupDriver } from '../drivers/security-groups.ts';
import type { Site } from '../drivers/site.ts';
import { isNewerShape, readResource } from '../resource/older-shapes.ts';
import { FINALIZER, isOwnResource, type KuryrLoadBalancer, PROGRAMMED, serviceUidOf } from '../resource/types.ts';
import type { Lookup } from './endpoints-handler.ts';
import type { PendingWaits } from './pending.ts';
import type { Takedown } from './takedown.ts';

/** Each makes one change, and what is there then is looked at afresh. */
const MOST_STEPS = 50;
/** A quota is raised, or something else is deleted, by people. */
const QUOTA_MILLISECONDS = 600_000;
/** Between two attempts to make a load balancer anew that ends in ERROR: twice as long each time. */
const FIRST_RECOVERY_MILLISECONDS = 30_000;
const LONGEST_RECOVERY_MILLISECONDS = 1_800_000;

export interface LoadBalancerHandlerOptions {
  readonly environment: LeaderEnvironment;
  readonly site: Site;
  readonly resources: Lookup<KuryrLoadBalancer>;
  readonly writer: ObjectWriter<KuryrLoadBalancer>;
  readonly cloud: BalancerCloud;
  readonly securityGroups: SecurityGroupDriver;
  readonly takedown: Takedown;
  readonly waits: PendingWaits;
}

/** How often a load balancer was made anew, and when it may be again. */
interface Recovery {
  readonly count: number;
  readonly notBefore: number;
}

/** Brings OpenStack in step with a resource that both other handlers have filled, and tells how far it is. */
export class KuryrLoadBalancerHandler {
  readonly #options: LoadBalancerHandlerOptions;
  /** Resource key -> what it was like when OpenStack was found to be as it should. */
  readonly #settled = new Map<string, string>();
  readonly #recoveries = new Map<string, Recovery>();

  constructor(options: LoadBalancerHandlerOptions) {
    this.#options = options;
  }

  /** Notes what the members of a load balancer need that is there already, before any rule is taken for unused. */
  restore(key: string): void {
    const { resources, securityGroups, site } = this.#options;
    const resource = resources.get(key);
    if (resource === undefined || !isOwnResource(resource)) return;
    const desired = desiredBalancer(readResource(resource), site);
    if (desired !== undefined) securityGroups.want(key, this.#rules(resource, desired));
  }

  /** OpenStack may have changed: the next pass looks. */
  suspect(key: string): void {
    this.#settled.delete(key);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { writer, resources, site } = this.#options;
    const resource = writer.latest(key, resources.get(key));
    if (resource === undefined || !isOwnResource(resource)) return this.#forget(key);
    if (resource.metadata.deletionTimestamp !== undefined) return this.#remove(key, resource, signal);
    if (isNewerShape(resource)) return;
    const desired = desiredBalancer(readResource(resource), site);
    // One of the handlers has not said its part yet.
    if (desired === undefined || this.#settled.get(key) === fingerprintOf(resource)) return;
    const held = await writer.write(resource, holdWrites(resource), signal);
    if (held === undefined) return;
    try {
      return await this.#converge(key, held, desired, signal);
    } catch (error) {
      signal.throwIfAborted();
      await this.#tellFailure(held, error, signal);
      throw patient(error);
    }
  }

  async #converge(
    key: string,
    resource: KuryrLoadBalancer,
    desired: DesiredBalancer,
    signal: AbortSignal,
  ): Promise<Again | void> {
    const { environment, cloud, securityGroups, waits } = this.#options;
    const record = { journal: environment.journal, key: `service ${key}` };
    securityGroups.want(key, this.#rules(resource, desired));
    await securityGroups.ensure(signal);
    for (let count = 0; count < MOST_STEPS; count += 1) {
      const observed = await cloud.observe(desired, signal);
      const plan = planBalancer(desired, observed);
      const [step] = plan.steps;
      if (step === undefined && plan.waitsFor === undefined)
        return this.#settle(key, resource, desired, observed, signal);
      if (step === undefined) return this.#wait(key, resource, desired, observed, signal);
      if (plan.recovers !== undefined) {
        const again = await this.#holdRecovery(key, resource, plan.recovers, signal);
        if (again !== undefined) return again;
      }
      if (step.kind === 'create-vip-port' || step.kind === 'create-load-balancer') {
        await cloud.requireKnown(desired, signal);
      }
      try {
        await runSteps([cloud.toStep(step)], record, signal);
      } catch (error) {
        // Octavia is at a change of it that began after the look.
        if (problemIn(error) !== 'immutable') throw error;
        return waits.again(key);
      }
    }
    return waits.again(key);
  }

  /** Load balancers send from the subnets that they have their VIPs in. */
  #rules(resource: KuryrLoadBalancer, desired: DesiredBalancer) {
    const { vipSubnets, serviceSubnet } = this.#options.site;
    const subnets = [vipSubnets.IPv4, vipSubnets.IPv6, serviceSubnet];
    const cidrs = new Set(subnets.flatMap((subnet) => subnet?.cidr ?? []));
    return memberRules(desired, resource.spec ?? {}, [...cidrs]);
  }

  /** All is as it should be. */
  async #settle(
    key: string,
    resource: KuryrLoadBalancer,
    desired: DesiredBalancer,
    observed: ObservedBalancer,
    signal: AbortSignal,
  ): Promise<void> {
    this.#options.waits.over(key);
    this.#recoveries.delete(key);
    const found = statusFrom(desired.owner, observed, resource.spec?.security_groups_ids ?? []);
    const message = `The load balancer ${found.loadbalancer?.id ?? ''} is as it should be.`;
    const programmed = { type: PROGRAMMED, status: 'True', reason: 'Programmed', message } as const;
    const written = await this.#publish(resource, found, programmed, signal);
    if (written !== undefined) this.#settled.set(key, fingerprintOf(written));
  }

  /** Octavia is at it. What it was like before is still said of what is below: nothing of that is gone. */
  async #wait(
    key: string,
    resource: KuryrLoadBalancer,
    desired: DesiredBalancer,
    observed: ObservedBalancer,
    signal: AbortSignal,
  ): Promise<Again> {
    const { listeners, pools, members } = resource.status ?? {};
    const found = {
      ...statusFrom(desired.owner, observed, resource.spec?.security_groups_ids ?? []),
      ...(listeners === undefined ? {} : { listeners }),
      ...(pools === undefined ? {} : { pools }),
      ...(members === undefined ? {} : { members }),
    };
    const { isStuck, ...again } = this.#options.waits.again(key);
    const id = found.loadbalancer?.id ?? '';
    const before = findCondition(resource, PROGRAMMED);
    const stuck = {
      status: 'False',
      reason: 'LoadBalancerStuck',
      message: `Octavia has been at a change of the load balancer ${id} for more than five minutes.`,
    } as const;
    const making = {
      status: 'False',
      reason: 'LoadBalancerPending',
      message: 'Its load balancer is being made.',
    } as const;
    // A change of one that serves is no news, and one that is stuck stays so until it is done.
    const isTold = before?.status === 'True' || before?.reason === stuck.reason;
    const condition = isStuck ? stuck : isTold ? before : making;
    await this.#publish(resource, found, { ...condition, type: PROGRAMMED }, signal);
    return again;
  }

  /** Undefined when it may be made anew now. */
  async #holdRecovery(
    key: string,
    resource: KuryrLoadBalancer,
    id: string,
    signal: AbortSignal,
  ): Promise<Again | undefined> {
    const now = this.#options.environment.clock.monotonic();
    const { count, notBefore } = this.#recoveries.get(key) ?? { count: 0, notBefore: now };
    if (now < notBefore) {
      const message = `The load balancer ${id} is in ERROR, again: it is made anew in a while.`;
      await this.#publish(resource, undefined, failed('LoadBalancerInError', message), signal);
      return { afterMilliseconds: notBefore - now };
    }
    const pause = Math.min(FIRST_RECOVERY_MILLISECONDS * 2 ** count, LONGEST_RECOVERY_MILLISECONDS);
    this.#recoveries.set(key, { count: count + 1, notBefore: now + pause });
    await this.#publish(
      resource,
      undefined,
      failed('LoadBalancerInError', `The load balancer ${id} is in ERROR: it is made anew.`),
      signal,
    );
    return undefined;
  }

  /** Told once, whatever the request was called this time. */
  async #tellFailure(resource: KuryrLoadBalancer, error: unknown, signal: AbortSignal): Promise<void> {
    if (verdictOf(error) === 'stale') return;
    const isRefusal = verdictOf(error) === 'terminal' && error instanceof FairleadError;
    const reason = reasonOf(codeOf(error));
    if (findCondition(this.#latest(resource), PROGRAMMED)?.reason === reason && !isRefusal) return;
    const message = isRefusal ? `Refused: ${messageOf(error)}.` : messageOf(error);
    await this.#publish(resource, undefined, failed(reason, message), signal);
  }

  /** Finds nothing left by its mark before it lets go. */
  async #remove(key: string, resource: KuryrLoadBalancer, signal: AbortSignal): Promise<Again | void> {
    if (!hasFinalizer(resource, FINALIZER)) return this.#forget(key);
    const uid = serviceUidOf(resource);
    const keeps = resource.spec?.floating_ip?.keep === true;
    const again =
      uid === undefined ? undefined : await this.#options.takedown.remove(resource.metadata, uid, keeps, signal);
    if (again !== undefined) return again;
    await this.#options.writer.write(resource, releaseWrites(resource), signal);
    this.#forget(key);
  }

  /** The object as it was left by the last write of this pass. */
  #latest(resource: KuryrLoadBalancer): KuryrLoadBalancer {
    return this.#options.writer.latest(keyText(resource.metadata), resource) ?? resource;
  }

  async #publish(
    resource: KuryrLoadBalancer,
    found: FoundStatus | undefined,
    condition: WantedCondition,
    signal: AbortSignal,
  ): Promise<KuryrLoadBalancer | undefined> {
    const { writer, environment } = this.#options;
    const latest = this.#latest(resource);
    return writer.write(latest, statusWritesFor(latest, found, condition, environment.clock.now()), signal);
  }

  #forget(key: string): void {
    this.#settled.delete(key);
    this.#recoveries.delete(key);
    this.#options.waits.over(key);
    this.#options.securityGroups.want(key, []);
  }
}

/** With `found` undefined, what the status says of OpenStack stays. */
function statusWritesFor(
  resource: KuryrLoadBalancer,
  found: FoundStatus | undefined,
  condition: WantedCondition,
  now: number,
): readonly ObjectWrite<KuryrLoadBalancer>[] {
  const { conditions, ...before } = resource.status ?? {};
  const after = withCondition(resource, condition, now);
  const isSame = jsonEqual(after, conditions ?? []) && (found === undefined || jsonEqual(before, found));
  if (isSame) return [];
  // What is no longer there is taken out: a merge patch leaves what it does not name.
  const gone = Object.fromEntries(Object.keys(before).map((name) => [name, null]));
  const replaced: object =
    before.loadbalancer === undefined || found?.loadbalancer === undefined ? {} : withNulls(before, found);
  const patch: MergePatch<KuryrLoadBalancer> = {
    status: { ...(found === undefined ? {} : { ...gone, ...found, ...replaced }), conditions: after },
  };
  const ifItDiesHere = 'The status says what was found: the next pass finds no difference.';
  return [{ name: 'publish-status', ifItDiesHere, subresource: 'status', patch }];
}

/** Fields of an object that a merge patch would leave there. */
function withNulls(before: FoundStatus, found: FoundStatus): object {
  const merged = <Part extends object>(old: Part | null | undefined, young: Part | null | undefined) => {
    if (old === null || old === undefined || young === null || young === undefined) return young;
    const missing = Object.keys(old).filter((name) => !(name in young));
    return { ...young, ...Object.fromEntries(missing.map((name) => [name, null])) };
  };
  const loadbalancer = merged(before.loadbalancer, found.loadbalancer);
  const address = merged(before.service_pub_ip_info, found.service_pub_ip_info);
  return { loadbalancer, ...(address === undefined ? {} : { service_pub_ip_info: address }) };
}

function holdWrites(resource: KuryrLoadBalancer): readonly ObjectWrite<KuryrLoadBalancer>[] {
  if (hasFinalizer(resource, FINALIZER)) return [];
  const finalizers = [...(resource.metadata.finalizers ?? []), FINALIZER];
  const ifItDiesHere = 'The finalizer holds the resource: the next pass goes on.';
  return [{ name: 'hold-resource', ifItDiesHere, patch: { metadata: { finalizers } } }];
}

function releaseWrites(resource: KuryrLoadBalancer): readonly ObjectWrite<KuryrLoadBalancer>[] {
  const left = (resource.metadata.finalizers ?? []).filter((one) => one !== FINALIZER);
  const ifItDiesHere = 'Nothing of it is left in OpenStack, and nothing holds it.';
  return [
    { name: 'release-resource', ifItDiesHere, patch: { metadata: { finalizers: left.length === 0 ? null : left } } },
  ];
}

function failed(reason: string, message: string): WantedCondition {
  return { type: PROGRAMMED, status: 'False', reason, message };
}

function fingerprintOf({ metadata, spec, status }: KuryrLoadBalancer): string {
  return JSON.stringify([metadata.uid, metadata.finalizers, spec, status]);
}

/** What people have to put right is not tried again soon. */
function patient(error: unknown): unknown {
  if (problemIn(error) !== 'quota') return error;
  return new FairleadError(messageOf(error), {
    verdict: 'retriable',
    code: codeOf(error),
    retryAfterMilliseconds: QUOTA_MILLISECONDS,
    cause: error,
  });
}
