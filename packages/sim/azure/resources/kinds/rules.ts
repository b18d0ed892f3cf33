import type { JsonObject } from '../../../json.ts';
import type { ResourceStore, StoredResource } from '../store.ts';

/** A body on its way in. */
export interface Draft {
  readonly id: string;
  readonly body: JsonObject;
  /** What is there now. */
  readonly before: StoredResource | undefined;
}

/** What Azure knows about one kind of resource beyond storing it. */
export interface KindRules {
  /** Throws a Refusal when Azure would not take the body. References are known to lead somewhere. */
  check(draft: Draft, store: ResourceStore): void;
  /** Throws a Refusal when the resource cannot go, whoever uses it. */
  checkDeletion?(resource: StoredResource): void;
  /** Properties that Azure adds when it answers. */
  derived?(resource: StoredResource, store: ResourceStore): JsonObject;
  /** The code with which a deletion is refused while something uses the resource. */
  readonly inUseCode: string;
}
