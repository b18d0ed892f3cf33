import { type Clock, type Random, randomUuid } from '@fairlead/control';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';

/** The kinds of resources, as paths have them. */
export type Kind =
  | 'networks'
  | 'subnets'
  | 'ports'
  | 'floatingips'
  | 'routers'
  | 'security-groups'
  | 'security-group-rules';

/** All that Neutron keeps. Every change raises the revision of the object that it is about. */
export class NeutronStore {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #kinds = new Map<Kind, Map<string, JsonObject>>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  all(kind: Kind): readonly JsonObject[] {
    return [...this.#of(kind).values()];
  }

  find(kind: Kind, id: string): JsonObject | undefined {
    return this.#of(kind).get(id);
  }

  /** Adds a new object; what Neutron gives every one of them is added. */
  add(kind: Kind, fields: JsonObject, revision: number, id: string = randomUuid(this.#random)): JsonObject {
    const now = this.#now();
    const common = { id, description: '', tags: [], created_at: now, updated_at: now, revision_number: revision };
    const body = { ...common, tenant_id: fields['project_id'] ?? '', ...fields };
    this.#of(kind).set(id, body);
    return body;
  }

  /** Changes fields; without a difference, nothing changes at all. */
  change(kind: Kind, id: string, fields: JsonObject, isChange = true): JsonObject {
    const before = this.#of(kind).get(id);
    if (before === undefined) throw new Error(`there is none of the ${kind} with the id ${id}`);
    if (!isChange) return before;
    const revision = Number(before['revision_number']) + 1;
    const body = { ...before, ...fields, updated_at: this.#now(), revision_number: revision };
    this.#of(kind).set(id, body);
    return body;
  }

  /** Completes an object that is still being made. */
  complete(kind: Kind, object: JsonObject, fields: JsonObject): JsonObject {
    const body = { ...object, ...fields };
    this.#of(kind).set(textOf(object['id']), body);
    return body;
  }

  remove(kind: Kind, id: string): void {
    this.#of(kind).delete(id);
  }

  #of(kind: Kind): Map<string, JsonObject> {
    const known = this.#kinds.get(kind) ?? new Map<string, JsonObject>();
    this.#kinds.set(kind, known);
    return known;
  }

  #now(): string {
    return `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
  }
}

/** The fixed addresses of a port. */
export function fixedIpsOf(port: JsonObject): readonly { readonly subnetId: string; readonly address: string }[] {
  return listOf(port['fixed_ips']).map((entry) => {
    const fields = objectOf(entry);
    return { subnetId: textOf(fields['subnet_id']), address: textOf(fields['ip_address']) };
  });
}
