import { isJsonList, isJsonObject, type Json, type JsonObject, textOf } from '../../json.ts';
import { rootKey } from '../requests/target.ts';

/** One resource names another. */
export interface Reference {
  /** The part of a resource that names it: a frontend, a subnet, a service of a gateway, or the resource itself. */
  readonly from: string;
  /** What is named, in lower case: a resource or a part of one. */
  readonly to: string;
}

/** Who names whom, both ways, so that asking who uses a resource does not walk the world. */
export class ReferenceIndex {
  /** From a source to the keys of the resources that it names, or parts of them. */
  readonly #targets = new Map<string, ReadonlySet<string>>();
  /** From the key of a resource to those who name it or a part of it, by source. */
  readonly #byTarget = new Map<string, Map<string, readonly Reference[]>>();

  /** Everything that `source` names, in place of what it named before. */
  set(source: string, references: readonly Reference[]): void {
    this.delete(source);
    if (references.length === 0) return;
    const byTarget = Map.groupBy(references, ({ to }) => rootKey(to));
    this.#targets.set(source, new Set(byTarget.keys()));
    for (const [key, list] of byTarget) {
      const known = this.#byTarget.get(key);
      if (known === undefined) this.#byTarget.set(key, new Map([[source, list]]));
      else known.set(source, list);
    }
  }

  delete(source: string): void {
    for (const key of this.#targets.get(source) ?? []) {
      const known = this.#byTarget.get(key);
      known?.delete(source);
      if (known?.size === 0) this.#byTarget.delete(key);
    }
    this.#targets.delete(source);
  }

  /** What names this resource, or, with `exactly`, this very part. */
  to(id: string, exactly: 'whole' | 'exactly'): readonly Reference[] {
    const key = id.toLowerCase();
    const found = [...(this.#byTarget.get(rootKey(id))?.values() ?? [])].flat();
    if (exactly === 'exactly') return found.filter(({ to }) => to === key);
    return rootKey(id) === key ? found : [];
  }
}

/** Every resource that a body names by an `id`, except itself, its own parts, and of kinds that are not simulated. */
export function referencesIn(id: string, body: JsonObject): readonly Reference[] {
  const own = rootKey(id);
  const found: Reference[] = [];
  const visit = (value: Json | undefined, from: string, field: string): void => {
    if (isJsonList(value)) {
      for (const item of value) {
        const name = isJsonObject(item) ? textOf(item['name']) : '';
        visit(item, name === '' || from !== id ? from : `${id}/${field}/${name}`, field);
      }
      return;
    }
    if (!isJsonObject(value)) return;
    const target = textOf(value['id']).toLowerCase();
    const isSimulated = target.startsWith('/subscriptions/') && !target.includes('/publicipprefixes/');
    if (isSimulated && rootKey(target) !== own) found.push({ from, to: target });
    for (const [name, inner] of Object.entries(value)) visit(inner, from, name);
  };
  visit(body['properties'], id, '');
  return found;
}
