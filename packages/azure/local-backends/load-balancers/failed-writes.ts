import type { ArmId } from '../../arm/index.ts';
import type { ServiceMark } from '../names.ts';

/**
 * For whom the last write of a resource was that Azure failed at. Azure shows it as if it had been made: who was to leave
 * the resource by it seems to have left. After a restart all who have something there write it again.
 */
export class FailedWrites {
  readonly #marks = new Map<ArmId, ReadonlySet<ServiceMark>>();

  failed(id: ArmId, marks: readonly ServiceMark[]): void {
    this.#marks.set(id, new Set([...(this.#marks.get(id) ?? []), ...marks]));
  }

  succeeded(id: ArmId): void {
    this.#marks.delete(id);
  }

  isFor(id: ArmId, mark: ServiceMark): boolean {
    return this.#marks.get(id)?.has(mark) === true;
  }
}
