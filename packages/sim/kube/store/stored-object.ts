import type { KubeObject } from '../object.ts';

const encoder = new TextEncoder();

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One version of an object, with what was derived from it. The same bytes go to every watcher. */
export class StoredObject {
  readonly object: KubeObject;
  readonly resourceVersion: number;
  #body: string | undefined;
  readonly #lines = new Map<string, Uint8Array>();

  constructor(object: KubeObject, resourceVersion: number) {
    this.object = object;
    this.resourceVersion = resourceVersion;
  }

  /** The object as JSON. */
  json(): string {
    const { kind, apiVersion } = this.object;
    return `${JSON.stringify({ kind, apiVersion }).slice(0, -1)},${this.body()}`;
  }

  /** The object as JSON without its kind and version, from the first field to the closing brace. */
  body(): string {
    if (this.#body === undefined) {
      const { kind: _, apiVersion: __, ...rest } = this.object;
      this.#body = JSON.stringify(rest).slice(1);
    }
    return this.#body;
  }

  /** The object as an event on a watch. */
  watchLine(type: WatchEventType): Uint8Array {
    const known = this.#lines.get(type);
    if (known !== undefined) return known;
    const line = encoder.encode(`{"type":"${type}","object":${this.json()}}\n`);
    this.#lines.set(type, line);
    return line;
  }
}
