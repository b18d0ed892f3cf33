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
  readonly #bySource = new Map<string, readonly Reference[]>();
  /** From the key of a resource to the sources that name it or a part of it. */
  readonly #sources = new Map<string, Set<string>>();

  /** Everything that `source` names, in place of what it named before. */
  set(source: string, references: readonly Reference[]): void {
    this.delete(source);
    if (references.length === 0) return;
    this.#bySource.set(source, references);
    for (const { to } of references) {
      const key = rootKey(to);
      const sources = this.#sources.get(key);
      if (sources === undefined) this.#sources.set(key, new Set([source]));
      else sources.add(source);
    }
  }

  delete(source: string): void {
    for (const { to } of this.#bySource.get(source) ?? []) {
      const sources = this.#sources.get(rootKey(to));
      sources?.delete(source);
      if (sources?.size === 0) this.#sources.delete(rootKey(to));
    }
    this.#bySource.delete(source);
  }

  /** What names this resource, or, with `exactly`, this very part. */
  to(id: string, exactly: 'whole' | 'exactly'): readonly Reference[] {
    const key = id.toLowerCase();
    const found: Reference[] = [];
    for (const source of this.#sources.get(rootKey(id)) ?? []) {
      for (const reference of this.#bySource.get(source) ?? []) {
        if (exactly === 'exactly' ? reference.to === key : rootKey(reference.to) === key) found.push(reference);
      }
    }
    return found;
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
