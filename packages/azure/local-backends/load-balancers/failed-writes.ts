import {
  type ArmId,
  armIdKey,
  hasFailed,
  isUnderWay,
  type LoadBalancer,
  type NetworkSecurityGroup,
} from '../../arm/index.ts';
import type { ServiceMark } from '../names.ts';

/** What many Services have something in. There are few, while what is one Service's own would be remembered for ever. */
export type SharedId = ArmId<'loadBalancers' | 'networkSecurityGroups'>;

/**
 * For whom the last write of a resource was that Azure failed at. Azure shows it as if it had been made: who was to leave
 * the resource by it seems to have left. After a restart all who have something there write it again.
 */
export class FailedWrites {
  /** By id, in any case. */
  readonly #marks = new Map<string, ReadonlySet<ServiceMark>>();
  readonly #inOrder = new Map<string, LoadBalancer>();

  /** `before`: the load balancer that was written, as it was. */
  failed(id: SharedId, marks: readonly ServiceMark[], before?: LoadBalancer): void {
    const key = armIdKey(id);
    this.#marks.set(key, new Set([...(this.#marks.get(key) ?? []), ...marks]));
    if (before !== undefined && isInOrder(before)) this.#inOrder.set(key, before);
  }

  /** Reads where it stands: what was written may have come about after all, or have been written by another program. */
  observed(resource: LoadBalancer | NetworkSecurityGroup): void {
    if (isInOrder(resource)) this.succeeded(resource.id);
  }

  succeeded(id: SharedId): void {
    this.#marks.delete(armIdKey(id));
    this.#inOrder.delete(armIdKey(id));
  }

  /** The load balancer before Azure failed at it; undefined where we have not seen it in order. */
  inOrder(id: SharedId): LoadBalancer | undefined {
    return this.#inOrder.get(armIdKey(id));
  }

  isFor(id: SharedId, mark: ServiceMark): boolean {
    return this.#marks.get(armIdKey(id))?.has(mark) === true;
  }
}

/** What it shows is what it is. */
function isInOrder(resource: LoadBalancer | NetworkSecurityGroup): boolean {
  return !hasFailed(resource) && !isUnderWay(resource);
}
