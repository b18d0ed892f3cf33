import { type BrakeDecision, type Clock, DeletionBrake } from '@fairlead/control';
import type { ServiceMark } from '../names.ts';
import { type AzureSite, serviceOfName, serviceOfTags } from '../site.ts';
import { partOwner, servicesIn } from './load-balancer-body.ts';
import type { ObservedAzure } from './observed.ts';
import type { Intention } from './target.ts';

const BRAKE = { things: 'Services in Azure', fraction: 0.3, minimumCount: 5, confirmAfterMilliseconds: 600_000 };

/** The Services of this cluster that have anything in Azure, whether or not they still exist. */
export function servicesThere(site: AzureSite, observed: ObservedAzure): ReadonlySet<ServiceMark> {
  const ownerOf = partOwner(site, new Map());
  const rules = observed.securityGroup?.properties.securityRules ?? [];
  return new Set([
    ...[...observed.loadBalancers.values()].flatMap((body) => [...servicesIn(body, ownerOf)]),
    ...[...observed.publicIps.values()].flatMap(({ tags }) => serviceOfTags(site, tags) ?? []),
    ...rules.flatMap(({ name }) => serviceOfName(site, name) ?? []),
  ]);
}

/** Finds what is left of Services that no longer exist, and holds back when there is suspiciously much of it. */
export class Leftovers {
  readonly #site: AzureSite;
  readonly #brake: DeletionBrake<ServiceMark>;

  constructor(site: AzureSite, clock: Clock) {
    this.#site = site;
    this.#brake = new DeletionBrake(clock, BRAKE);
  }

  /** `readAt` is the monotonic time at which Azure, and before it the cluster, was read. */
  judge(observed: ObservedAzure, existing: ReadonlySet<ServiceMark>, readAt: number): BrakeDecision<ServiceMark> {
    const there = servicesThere(this.#site, observed);
    const left = [...there].filter((mark) => !existing.has(mark));
    return this.#brake.judge(left, there.size, readAt);
  }
}

export function removalOf(mark: ServiceMark): Intention {
  return { kind: 'absent', mark, subject: `leftover ${mark}`, adopted: {} };
}
