import { type Again, findCondition, hasFinalizer, type ObjectWriter, type Service, services } from '@fairlead/kube';
import type { LeaderEnvironment } from '@fairlead/part';
import {
  announceUnserved,
  type ClaimedService,
  type ClaimRules,
  heldWrites,
  holdWrites,
  type Programmed,
  PROGRAMMED_CONDITION,
  readService,
  recordOnService,
  refused,
  releaseWrites,
  type ServiceReading,
  type ServiceToRelease,
  type ServiceWrite,
  statusWrites,
  writeClaimed,
} from '@fairlead/service';
import type { Site } from '../drivers/site.ts';
import { appliedByService, foreignFieldWrites, SERVICE_MANAGER } from '../resource/applied.ts';
import { isNewerShape } from '../resource/older-shapes.ts';
import {
  isOwnResource,
  KURYR_FINALIZER,
  type KuryrLoadBalancer,
  kuryrLoadBalancers,
  servedById,
  serviceUidOf,
  type ServiceFields,
} from '../resource/types.ts';
import { keepsFloatingIp } from './annotations.ts';
import type { Lookup } from './endpoints-handler.ts';
import { adoptionFor } from './inheritance.ts';
import { obstacleTold } from './obstacle.ts';
import { serviceFields } from './service-fields.ts';
import { desiredStatus, eventFor, shownIngress } from './service-status.ts';
import type { Takedown } from './takedown.ts';

const APPLY = {
  name: 'apply-service',
  ifItDiesHere: 'The resource has what the Service asks for: the next leader finds no difference.',
};
const DELETE = {
  name: 'delete-resource',
  ifItDiesHere: 'The finalizer of the resource holds it until nothing of it is left in OpenStack.',
};
const LET_GO = {
  name: 'release-resource',
  ifItDiesHere: 'The resource of Kuryr is gone: the next pass lets go of the Service.',
};

export type ServiceAsked = ServiceReading<ServiceFields>;

export function readAsked(service: Service, rules: ClaimRules, site: Site): ServiceAsked {
  return readService(service, rules, (one) => serviceFields(one, site));
}

/** A resource of its name that is not ours is taken only where that is asked for. */
export function withResource(asked: ServiceAsked, resource: KuryrLoadBalancer | undefined): ServiceAsked {
  if (asked.kind !== 'serve' || resource === undefined || isOwnResource(resource)) return asked;
  if (asked.wanted.adopts === true) return asked;
  const message = 'there is a KuryrLoadBalancer of its name that is not ours: Kuryr’s, or one made by hand';
  return { kind: 'refuse', claim: asked.claim, refusal: { code: 'resource-taken', message } };
}

/** The writes to a Service that is refused, or whose resource says how far it is. Pure: `plan` counts them. */
export function writesToService(
  asked: Extract<ServiceAsked, { kind: 'serve' | 'refuse' }>,
  resource: KuryrLoadBalancer | undefined,
  clock: { now(): number },
): readonly ServiceWrite[] {
  const { claim } = asked;
  if (asked.kind === 'serve') return statusWrites(claim, desiredStatus(claim, resource), clock);
  const told = { ingress: shownIngress(claim.service), programmed: refused(asked.refusal) };
  return statusWrites(claim, told, clock);
}

export interface ServiceHandlerOptions {
  readonly environment: LeaderEnvironment;
  readonly site: Site;
  readonly rules: ClaimRules;
  readonly services: Lookup<Service>;
  readonly resources: Lookup<KuryrLoadBalancer>;
  readonly serviceWriter: ObjectWriter<Service>;
  readonly writer: ObjectWriter<KuryrLoadBalancer>;
  readonly takedown: Takedown;
}

/** Puts what a Service asks for into its resource, and what the resource says into the status of the Service. */
export class ServiceHandler {
  readonly #options: ServiceHandlerOptions;
  /** UIDs of those that leave, and show the address of a load balancer which their resource told of until it went. */
  readonly #served = new Set<string>();

  constructor(options: ServiceHandlerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { site, rules, serviceWriter, writer } = this.#options;
    const service = serviceWriter.latest(key, this.#options.services.get(key));
    const resource = writer.latest(key, this.#options.resources.get(key));
    if (service === undefined) return this.#withoutService(resource, signal);
    const asked = withResource(readAsked(service, rules, site), resource);
    switch (asked.kind) {
      case 'unreadable':
        throw asked.error;
      case 'foreign':
        return this.#withoutService(resource, signal);
      case 'release':
        return this.#release(asked.claim, resource, signal);
      case 'refuse': {
        const claim = await writeClaimed(serviceWriter, asked.claim, holdWrites(asked.claim), signal);
        await this.#tell({ ...asked, claim }, resource, signal);
        return;
      }
      case 'serve': {
        const claim = await writeClaimed(serviceWriter, asked.claim, holdWrites(asked.claim), signal);
        const applied = await this.#apply(claim, asked.wanted, resource, signal);
        await this.#tell({ ...asked, claim }, applied, signal);
      }
    }
  }

  async #apply(
    { service }: ClaimedService,
    fields: ServiceFields,
    resource: KuryrLoadBalancer | undefined,
    signal: AbortSignal,
  ): Promise<KuryrLoadBalancer | undefined> {
    const { writer } = this.#options;
    if (resource !== undefined) {
      // When it is gone, it is the Service's turn again.
      if (resource.metadata.deletionTimestamp !== undefined) return obstacleTold(resource) && resource;
      if (serviceUidOf(resource) !== service.metadata.uid && isOwnResource(resource)) {
        await writer.delete(resource, DELETE, signal);
        return undefined;
      }
      if (isNewerShape(resource)) return resource;
    }
    const applied = appliedByService(service, fields, resource);
    if (applied === undefined) return resource;
    const written = await writer.apply(applied, SERVICE_MANAGER, APPLY, signal);
    return writer.write(written, foreignFieldWrites(fields, written), signal);
  }

  async #tell(
    asked: Extract<ServiceAsked, { kind: 'serve' | 'refuse' }>,
    resource: KuryrLoadBalancer | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { environment, serviceWriter } = this.#options;
    const { service } = asked.claim;
    const writes = writesToService(asked, resource, environment.clock);
    const written = await serviceWriter.write(service, writes, signal);
    if (writes.length === 0 || written === undefined) return;
    if (asked.kind === 'refuse') return announceUnserved(environment.events, asked);
    const told = findCondition(written, PROGRAMMED_CONDITION);
    if (told !== undefined) recordOnService(environment.events, service, eventFor(told), told.message);
  }

  /** The finalizer goes last: when the resource is gone, and a look by the mark finds nothing left in OpenStack. */
  async #release(
    claim: ServiceToRelease,
    cached: KuryrLoadBalancer | undefined,
    signal: AbortSignal,
  ): Promise<Again | void> {
    const { environment, serviceWriter, takedown, site } = this.#options;
    const { service } = claim;
    const { uid = '' } = service.metadata;
    // The cache may not have what was created a moment ago.
    const resource = cached ?? (await environment.client.find(kuryrLoadBalancers, service.metadata, { signal }));
    if (resource !== undefined && isOwnResource(resource)) {
      if (serviceUidOf(resource) === uid && servedById(resource) !== undefined) this.#served.add(uid);
      await this.#delete(resource, signal);
      await this.#tellHeld(claim, obstacleTold(resource), signal);
      return cached === undefined ? { afterMilliseconds: 1_000 } : undefined;
    }
    const adoption = this.#served.has(uid) ? undefined : adoptionFor(service, site);
    const again =
      (adoption && (await takedown.inherit(adoption, signal))) ??
      (await takedown.remove(service.metadata, uid, keepsFloatingIp(service), signal));
    if (again !== undefined) {
      const { obstacle } = again;
      const isNews = await this.#tellHeld(claim, obstacle, signal);
      if (obstacle !== undefined && isNews)
        recordOnService(environment.events, service, 'DeleteLoadBalancerFailed', obstacle.message);
      return again;
    }
    if (adoption !== undefined && resource !== undefined) await this.#endKuryrs(resource, signal);
    await serviceWriter.write(service, releaseWrites(claim), signal);
    this.#served.delete(uid);
    announceUnserved(environment.events, { kind: 'release', claim });
  }

  /** Whether it has not said so before. */
  async #tellHeld(claim: ServiceToRelease, why: Programmed | undefined, signal: AbortSignal): Promise<boolean> {
    const { environment, serviceWriter } = this.#options;
    if (why === undefined) return false;
    const writes = heldWrites(claim, why, environment.clock);
    const written = await serviceWriter.write(claim.service, writes, signal);
    return writes.length > 0 && written !== undefined;
  }

  /** What Kuryr stored for a Service that leaves before it became ours: only Kuryr's finalizer holds it. */
  async #endKuryrs(resource: KuryrLoadBalancer, signal: AbortSignal): Promise<void> {
    if (!hasFinalizer(resource, KURYR_FINALIZER)) return;
    await this.#delete(resource, signal);
    const found = await this.#options.environment.client.find(kuryrLoadBalancers, resource.metadata, { signal });
    if (found === undefined) return;
    const left = (found.metadata.finalizers ?? []).filter((one) => one !== KURYR_FINALIZER);
    const patch = { metadata: { finalizers: left.length === 0 ? null : left } };
    await this.#options.writer.write(found, [{ ...LET_GO, patch }], signal);
  }

  /** A resource whose Service is gone, or not ours any more. */
  async #withoutService(resource: KuryrLoadBalancer | undefined, signal: AbortSignal): Promise<void> {
    if (resource === undefined || !isOwnResource(resource)) return;
    const found = await this.#options.environment.client.find(services, resource.metadata, { signal });
    const asked = found === undefined ? undefined : readAsked(found, this.#options.rules, this.#options.site);
    const isServed = asked !== undefined && asked.kind !== 'foreign' && asked.kind !== 'release';
    // The cache was behind; it is the Service's turn when it has caught up.
    if (isServed) return;
    await this.#delete(resource, signal);
  }

  async #delete(resource: KuryrLoadBalancer, signal: AbortSignal): Promise<void> {
    if (resource.metadata.deletionTimestamp !== undefined) return;
    await this.#options.writer.delete(resource, DELETE, signal);
  }
}
