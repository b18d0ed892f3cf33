import { messageOf, runSteps, verdictOf } from '@fairlead/control';
import { type Again, hasFinalizer, jsonEqual, keyText, type ObjectWriter, type Service } from '@fairlead/kube';
import type { LeaderEnvironment } from '@fairlead/part';
import { recordOnService } from '@fairlead/service';
import { problemIn } from '../../client/index.ts';
import type { BalancerCloud } from '../balancer/cloud.ts';
import { type DesiredBalancer, desiredBalancer } from '../balancer/desired.ts';
import type { ObservedBalancer } from '../balancer/observed.ts';
import { type BalancerPlan, isCreation, planBalancer } from '../balancer/plan.ts';
import { isIn, planRemoval } from '../balancer/removal.ts';
import type { Site } from '../drivers/site.ts';
import { isNewerShape, readResource } from '../resource/older-shapes.ts';
import { FINALIZER, isOwnResource, type KuryrLoadBalancer, servedById, serviceUidOf } from '../resource/types.ts';
import { keepsFloatingIp } from './annotations.ts';
import type { Lookup } from './endpoints-handler.ts';
import { type MemberReach, MORE_RULES } from './member-reach.ts';
import { adoptionFor, heldToShown } from './inheritance.ts';
import { errorWrites, failureWrites, heldWrites, settledWrites, waitingWrites } from './resource-status.ts';
import { holdWrites, releaseWrites, type ResourceWrite } from './resource-writes.ts';
import type { Held, Takedown } from './takedown.ts';
import { ParkedResources } from './waiting/parked.ts';
import type { PendingWaits } from './waiting/pending.ts';
import { Recoveries } from './waiting/recoveries.ts';

/** Each makes one change, and what is there then is looked at afresh. */
const MOST_STEPS = 20;

export interface LoadBalancerHandlerOptions {
  readonly environment: LeaderEnvironment;
  readonly site: Site;
  readonly resources: Lookup<KuryrLoadBalancer>;
  readonly services: Lookup<Service> & { list(): Iterable<Service> };
  readonly writer: ObjectWriter<KuryrLoadBalancer>;
  readonly cloud: BalancerCloud;
  readonly reach: MemberReach;
  readonly takedown: Takedown;
  readonly waits: PendingWaits;
}

/** The resource could not be written: one more write of it, which tells so, helps nobody. */
class Unpublished extends Error {}

/** Brings OpenStack in step with a resource that both other handlers have filled, and tells how far it is. */
export class KuryrLoadBalancerHandler {
  readonly #options: LoadBalancerHandlerOptions;
  /** Resource key -> what it was like when OpenStack was found to be as it should. */
  readonly #settled = new Map<string, string>();
  /** Keys of those that are to be looked at again, be it that the look which is on its way finds them as they should be. */
  readonly #suspected = new Set<string>();
  readonly #recoveries: Recoveries;
  readonly #parked: ParkedResources;

  constructor(options: LoadBalancerHandlerOptions) {
    this.#options = options;
    const { clock } = options.environment;
    this.#recoveries = new Recoveries(clock);
    this.#parked = new ParkedResources(clock);
  }

  /** Notes what the members of a load balancer need that is there already, before any rule is taken for unused. */
  async restore(key: string, signal: AbortSignal): Promise<void> {
    const { resources, reach } = this.#options;
    const resource = resources.get(key);
    if (resource !== undefined && isOwnResource(resource) && this.#isOfItsService(key, resource)) {
      return reach.restore(key, resource, signal);
    }
    if (this.#isHeld(key)) reach.restoreUntold(key);
  }

  /** Something of it has changed in OpenStack: the next pass looks, be it that the last one was refused. */
  changed(key: string): void {
    this.#parked.over(key);
    this.suspect(key);
  }

  /** OpenStack may have changed: the next pass looks. */
  suspect(key: string): void {
    this.#options.reach.suspect();
    this.#settled.delete(key);
    this.#suspected.add(key);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { writer, resources } = this.#options;
    const resource = writer.latest(key, resources.get(key));
    if (resource === undefined || !isOwnResource(resource)) return this.#forget(key);
    if (resource.metadata.deletionTimestamp !== undefined) return this.#remove(key, resource, signal);
    if (isNewerShape(resource) || !this.#isOfItsService(key, resource)) return;
    const desired = this.#desired(key, resource);
    // One of the handlers has not said its part yet.
    if (desired === undefined || this.#settled.get(key) === fingerprintOf(resource)) return;
    const parked = this.#parked.again(key, resource);
    if (parked !== undefined) return parked;
    // What is found from here on may be changed, be it that the resource is then as it was.
    this.#settled.delete(key);
    this.#suspected.delete(key);
    const held = await writer.write(resource, holdWrites(resource), signal);
    if (held === undefined) return;
    try {
      return await this.#converge(key, held, desired, signal);
    } catch (error) {
      signal.throwIfAborted();
      // What the API server never takes, as it is too large, is told: that is small.
      if (error instanceof Unpublished && verdictOf(error) !== 'terminal') throw error;
      await this.#publish(held, (latest, now) => failureWrites(latest, error, now), signal);
      const isRefused = verdictOf(error) === 'terminal';
      if (isRefused && !(await this.#options.reach.keep(key, desired.owner, signal))) return MORE_RULES;
      // Not before it is told.
      this.#parked.failed(key, held, error);
      throw error;
    }
  }

  /**
   * A tenant can write the UID of any Service into a resource: by it, the load balancers of others would be found. The
   * ServiceHandler takes away those that are of no Service, or not of the one of their name.
   */
  #isOfItsService(key: string, resource: KuryrLoadBalancer): boolean {
    return this.#options.services.get(key)?.metadata.uid === serviceUidOf(resource);
  }

  /** Whether there is a Service that may have something in OpenStack, be it that its resource is gone. */
  #isHeld(key: string): boolean {
    const service = this.#options.services.get(key);
    return service !== undefined && hasFinalizer(service, FINALIZER);
  }

  /** Whether the Service of this UID lives elsewhere: what it has is not the resource's to take down. */
  #isOfAnother(key: string, uid: string): boolean {
    return [...this.#options.services.list()].some(({ metadata }) => metadata.uid === uid && keyText(metadata) !== key);
  }

  /** Fitted to what is there, where that is known. */
  #desired(key: string, resource: KuryrLoadBalancer, observed?: ObservedBalancer): DesiredBalancer | undefined {
    const { site, services } = this.#options;
    const fitted = observed && fittedTo(observed, resource, site);
    const desired = fitted ?? desiredBalancer(readResource(resource), site);
    return desired && heldToShown(desired, services.get(key), site);
  }

  async #converge(
    key: string,
    resource: KuryrLoadBalancer,
    desired: DesiredBalancer,
    signal: AbortSignal,
  ): Promise<Again | void> {
    const { environment, cloud, reach, waits } = this.#options;
    const record = { journal: environment.journal, key: `service ${key}` };
    for (let count = 0; count < MOST_STEPS; count += 1) {
      const observed = await cloud.observe(desired, signal);
      const fitting = this.#desired(key, resource, observed) ?? desired;
      const keeps = this.#keepsFloatingIp(key, resource);
      const { steps, waitsFor, recovers } = await planWithStrays(cloud, fitting, observed, keeps, signal);
      // Nothing is opened for what is refused, by us or by Octavia.
      const isOpen = observed.serving === undefined || (await reach.open(key, resource, fitting, observed, signal));
      if (!isOpen) return MORE_RULES;
      const [step] = steps;
      if (step === undefined && waitsFor === undefined) {
        waits.over(key);
        this.#recoveries.over(key);
        this.#parked.over(key);
        if (!(await reach.settle(key, fitting, observed, signal))) return MORE_RULES;
        const settled = (latest: KuryrLoadBalancer, now: number) => settledWrites(latest, fitting, observed, now);
        const written = await this.#publish(resource, settled, signal);
        // The resource may ask for more by now than what was looked at: that is not settled.
        if (written === undefined || this.#suspected.has(key) || !jsonEqual(written.spec, resource.spec)) return;
        this.#settled.set(key, fingerprintOf(written));
        return;
      }
      if (step === undefined) return this.#wait(key, resource, fitting, observed, signal);
      // What it leaves no more would go, and its address with it: the next pass sees what it asks for now.
      if (!this.#isAskedThere(key, resource)) return;
      if (recovers !== undefined) {
        const again = this.#recoveries.again(key);
        await this.#publish(resource, (latest, now) => errorWrites(latest, recovers, now), signal);
        if (again !== undefined) return again;
      }
      const run = () => runSteps([cloud.toStep(step)], record, signal);
      try {
        if (!isCreation(step.kind)) await run();
        else if (!(await cloud.create(fitting, run, signal))) return waits.again(key);
        waits.changed(key);
      } catch (error) {
        // Octavia is at a change of it that began after the look.
        if (problemIn(error) !== 'immutable') throw error;
        return this.#wait(key, resource, fitting, observed, signal);
      }
    }
    return waits.again(key);
  }

  /** Whether it still asks to be served where it did when this pass began, and by the same floating IP. */
  #isAskedThere(key: string, { spec }: KuryrLoadBalancer): boolean {
    const { writer, resources } = this.#options;
    const latest = writer.latest(key, resources.get(key))?.spec;
    return jsonEqual([latest?.vip, latest?.floating_ip], [spec?.vip, spec?.floating_ip]);
  }

  async #wait(
    key: string,
    resource: KuryrLoadBalancer,
    desired: DesiredBalancer,
    observed: ObservedBalancer,
    signal: AbortSignal,
  ): Promise<Again> {
    const { isStuck, ...again } = this.#options.waits.again(key);
    await this.#publish(resource, (latest, now) => waitingWrites(latest, desired, observed, isStuck, now), signal);
    return again;
  }

  /** Finds nothing left by its mark before it lets go. */
  async #remove(key: string, resource: KuryrLoadBalancer, signal: AbortSignal): Promise<Again | void> {
    if (!hasFinalizer(resource, FINALIZER)) return this.#forget(key);
    const uid = serviceUidOf(resource);
    const keeps = this.#keepsFloatingIp(key, resource);
    const isForged = uid === undefined || this.#isOfAnother(key, uid);
    const again = isForged
      ? undefined
      : ((await this.#inherit(key, resource, signal)) ??
        (await this.#options.takedown.remove(resource.metadata, uid, keeps, signal)));
    if (again !== undefined) {
      const later = await this.#tellHeld(key, resource, again, signal);
      const isKept = again.obstacle === undefined || (await this.#keepHeld(key, uid ?? '', signal));
      return isKept ? later : MORE_RULES;
    }
    await this.#options.writer.write(resource, releaseWrites(resource), signal);
    this.#forget(key);
  }

  /** It may be held for ever: what it has is reached, and it is the reason for no other rule. */
  #keepHeld(key: string, uid: string, signal: AbortSignal): Promise<boolean> {
    const { site, reach } = this.#options;
    return reach.keep(key, { cluster: site.cluster, uid, name: key }, signal);
  }

  /** One that shares has no floating IP of its own to say it of, and may have inherited one. */
  #keepsFloatingIp(key: string, { spec }: KuryrLoadBalancer): boolean {
    const service = this.#options.services.get(key);
    return spec?.floating_ip?.keep === true || (service !== undefined && keepsFloatingIp(service));
  }

  /** The owner of a Service that cannot leave yet hears why, once. */
  async #tellHeld(key: string, resource: KuryrLoadBalancer, held: Held, signal: AbortSignal): Promise<Again> {
    const { obstacle, ...again } = held;
    if (obstacle === undefined) return again;
    const { writer, services, environment } = this.#options;
    const latest = this.#latest(resource);
    const writes = heldWrites(latest, obstacle, environment.clock.now());
    const written = await writer.write(latest, writes, signal);
    const service = services.get(key);
    if (writes.length === 0 || written === undefined || service === undefined) return again;
    recordOnService(environment.events, service, 'DeleteLoadBalancerFailed', obstacle.message);
    return again;
  }

  /** What the Service itself shows decides, and not what a tenant may have written into the resource. */
  async #inherit(key: string, resource: KuryrLoadBalancer, signal: AbortSignal): Promise<Held | undefined> {
    const { services, site, takedown } = this.#options;
    const service = this.#isOfItsService(key, resource) ? services.get(key) : undefined;
    if (resource.spec?.adopts !== true || service === undefined) return undefined;
    const adoption = adoptionFor(service, site, servedById(resource));
    return adoption && takedown.inherit(adoption, signal);
  }

  /** The object as it was left by the last write of this pass. */
  #latest(resource: KuryrLoadBalancer): KuryrLoadBalancer {
    return this.#options.writer.latest(keyText(resource.metadata), resource) ?? resource;
  }

  async #publish(
    resource: KuryrLoadBalancer,
    writesFor: (latest: KuryrLoadBalancer, now: number) => readonly ResourceWrite[],
    signal: AbortSignal,
  ): Promise<KuryrLoadBalancer | undefined> {
    const { writer, environment, cloud } = this.#options;
    const latest = this.#latest(resource);
    const written = await writer
      .write(latest, writesFor(latest, environment.clock.now()), signal)
      .catch((error: unknown) => {
        throw new Unpublished(messageOf(error), { cause: error });
      });
    const { loadbalancer, service_pub_ip_info: address } = written?.status ?? {};
    const isSame = jsonEqual(address ?? null, latest.status?.service_pub_ip_info ?? null);
    if (loadbalancer && !isSame) cloud.users.addressChanged(loadbalancer.id, serviceUidOf(latest) ?? '');
    return written;
  }

  #forget(key: string): void {
    this.#settled.delete(key);
    this.#suspected.delete(key);
    this.#recoveries.over(key);
    this.#parked.over(key);
    this.#options.waits.over(key);
    // The takedown of the Service says what it needs no more, or the resource that is written anew.
    if (!this.#isHeld(key)) this.#options.reach.forget(key);
  }
}

/** What is to be done next; when that is nothing more, what is left of where the Service was served before. */
export async function planWithStrays(
  cloud: BalancerCloud,
  desired: DesiredBalancer,
  observed: ObservedBalancer,
  keepsFloatingIps: boolean,
  signal: AbortSignal,
): Promise<BalancerPlan> {
  const plan = planBalancer(desired, observed);
  const { serving } = observed;
  if (plan.steps.length > 0 || plan.waitsFor !== undefined || serving === undefined) return plan;
  const left = await cloud.strays(desired.owner, serving.balancer, signal);
  // It is served, and waits for no other to put a load balancer in ERROR right: what is left there goes later.
  const shared = left.shared.filter((tree) => !isIn('error', tree));
  return planRemoval(desired.owner, keepsFloatingIps, { ...left, shared });
}

/** One that is there keeps its provider: what it can do decides what is asked of it. */
export function fittedTo(
  { serving }: ObservedBalancer,
  resource: KuryrLoadBalancer,
  site: Site,
): DesiredBalancer | undefined {
  return serving && desiredBalancer(readResource(resource), site, serving.balancer.provider);
}

function fingerprintOf({ metadata, spec, status }: KuryrLoadBalancer): string {
  return JSON.stringify([metadata.uid, metadata.finalizers, spec, status]);
}
