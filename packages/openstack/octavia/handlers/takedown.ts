import { type Journal, runSteps } from '@fairlead/control';
import { type Again, keyText, type ObjectKey } from '@fairlead/kube';
import { type LoadBalancer, problemIn, provisioningOf } from '../../client/index.ts';
import { type Adoption, adoptionSteps } from '../balancer/adoption.ts';
import type { BalancerCloud } from '../balancer/cloud.ts';
import type { BalancerTree } from '../balancer/observed.ts';
import type { BalancerStep } from '../balancer/plan.ts';
import { type Leftovers, planRemoval } from '../balancer/removal.ts';
import type { SecurityGroupDriver } from '../drivers/security-groups.ts';
import type { Site } from '../drivers/site.ts';
import { MORE_RULES } from './member-reach.ts';
import { type Obstacle, obstacleOf } from './obstacle.ts';
import type { PendingWaits } from './waiting/pending.ts';

/** Each deletes one thing, and what is there then is looked at afresh. */
const MOST_STEPS = 50;

/** Something is left of a Service. */
export interface Held extends Again {
  /** Absent while it goes as it should. */
  readonly obstacle?: Obstacle;
}

/** Takes down what is left of a Service in OpenStack, found by its mark alone. */
export class Takedown {
  readonly #cloud: BalancerCloud;
  readonly #securityGroups: SecurityGroupDriver;
  readonly #site: Site;
  readonly #journal: Journal;
  readonly #waits: PendingWaits;

  constructor(
    cloud: BalancerCloud,
    securityGroups: SecurityGroupDriver,
    site: Site,
    journal: Journal,
    waits: PendingWaits,
  ) {
    this.#cloud = cloud;
    this.#securityGroups = securityGroups;
    this.#site = site;
    this.#journal = journal;
    this.#waits = waits;
  }

  /**
   * Marks what the Service was to take over, and has not yet: without a mark it would not be found, and with the Service
   * goes the finalizer of the program that made it. Undefined when there is nothing more of it; else when to look again.
   */
  async inherit(adoption: Adoption, signal: AbortSignal): Promise<Held | undefined> {
    const { name } = adoption.owner;
    const found = await this.#cloud.inheritance(adoption, signal);
    if (found === undefined) return undefined;
    const { balancer, floatingIps } = found;
    const state = provisioningOf(balancer).kind;
    if (state === 'pending') return this.#held(name, balancer);
    const marking = adoptionSteps(adoption, balancer, floatingIps);
    // One in ERROR takes no mark any more.
    const ending: readonly BalancerStep[] = [
      ...marking.filter(({ kind }) => kind !== 'update-load-balancer'),
      { kind: 'delete-load-balancer', id: balancer.id },
    ];
    const steps = (state === 'error' ? ending : marking).map((step) => this.#cloud.toStep(step));
    try {
      await runSteps(steps, { journal: this.#journal, key: `service ${name}` }, signal);
    } catch (error) {
      // Octavia is at a change of it that began after the look.
      if (problemIn(error) !== 'immutable') throw error;
      return this.#held(name, balancer);
    }
    return this.#waits.again(name);
  }

  /** Undefined when nothing is left; else when to look again. */
  async remove(
    object: ObjectKey,
    uid: string,
    keepsFloatingIp: boolean,
    signal: AbortSignal,
  ): Promise<Held | undefined> {
    const key = keyText(object);
    const owner = { cluster: this.#site.cluster, uid, name: key };
    const record = { journal: this.#journal, key: `service ${key}` };
    for (let count = 0; count < MOST_STEPS; count += 1) {
      const left = await this.#cloud.leftovers(owner, signal);
      const plan = planRemoval(owner, keepsFloatingIp, left);
      const [step] = plan.steps;
      if (step === undefined && plan.waitsFor !== undefined) return this.#held(key, plan.waitsFor);
      if (step === undefined) {
        this.#waits.over(key);
        this.#securityGroups.want(key, []);
        return (await this.#securityGroups.ensure(key, signal)) ? undefined : MORE_RULES;
      }
      try {
        await runSteps([this.#cloud.toStep(step)], record, signal);
        this.#waits.changed(key);
      } catch (error) {
        // Octavia is at a change of it that began after the look.
        const changed = treeOf(step, left);
        if (problemIn(error) !== 'immutable' || changed === undefined) throw error;
        return this.#held(key, changed.balancer);
      }
    }
    return this.#waits.again(key);
  }

  #held(key: string, balancer: LoadBalancer): Held {
    const { isStuck, ...again } = this.#waits.again(key);
    const obstacle = obstacleOf(balancer, isStuck);
    return obstacle === undefined ? again : { ...again, obstacle };
  }
}

/** The load balancer that a step changes. */
function treeOf(step: BalancerStep, { own, shared }: Leftovers): BalancerTree | undefined {
  const id = 'id' in step ? step.id : '';
  return [...own, ...shared].find(({ balancer, listeners, pools }) => {
    return [balancer, ...listeners, ...pools].some((one) => one.id === id);
  });
}
