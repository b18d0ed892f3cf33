import { errorFields, type Logger } from '@fairlead/control';
import { isObjectOf } from '../api/decode.ts';
import { keyText, type Resource } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';

/** What a collection of the API server is copied into. */
export interface CollectionSink<Kept> {
  /** The resource version up to which all changes are in; where a watch goes on from. */
  readonly position: string;
  /** A list begins. The one before, if it was not ended, does not count. */
  listStarted(): void;
  listed(object: Kept): void;
  /** The list has an object that cannot be read: what is held of it stays. */
  listedUnreadable(key: string): void;
  /** The list was complete: what was not in it is gone. Each step does a little of the work. */
  listEnded(resourceVersion: string): Iterable<void>;
  /** Was added or modified. */
  changed(object: Kept): void;
  /** As the server sent it: it need not be readable to be gone. */
  deleted(object: KubeObject): void;
  /** Nothing else happened up to this version. */
  bookmarked(resourceVersion: string): void;
}

/** How objects of a list or a watch are read, and which of them are kept. */
export interface ObjectIntakeOptions<Kept> {
  readonly resource: Resource<KubeObject>;
  /** Undefined for what is no object of the resource. */
  readonly decode: (value: unknown) => Kept | undefined;
  readonly sink: CollectionSink<Kept>;
  /** Objects that are not are left out, and those that no longer are go as if they were deleted. */
  readonly isWanted?: (object: Kept) => boolean;
}

/** Hands what the API server sends to a sink. One object that we cannot read must not keep us from all others. */
export class ObjectIntake<Kept extends KubeObject> {
  readonly #options: ObjectIntakeOptions<Kept>;
  readonly #logger: Logger;

  constructor(options: ObjectIntakeOptions<Kept>, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
  }

  listed(value: unknown): void {
    const { sink, resource, isWanted } = this.#options;
    const object = this.#decode(value);
    if (object !== undefined && isWanted?.(object) === false) return;
    if (object !== undefined) sink.listed(object);
    // To take it for deleted would have its load balancer deleted.
    else if (isObjectOf(resource, value)) sink.listedUnreadable(keyText(value.metadata));
  }

  changed(value: unknown): void {
    const { sink, isWanted } = this.#options;
    const object = this.#decode(value);
    if (object === undefined) return;
    if (isWanted?.(object) === false) sink.deleted(object);
    else sink.changed(object);
  }

  deleted(value: unknown): void {
    const { sink, resource } = this.#options;
    if (isObjectOf(resource, value)) sink.deleted(value);
  }

  #decode(value: unknown): Kept | undefined {
    const { decode, resource } = this.#options;
    try {
      const object = decode(value);
      if (object === undefined) this.#logger.error({}, `the API server sent something that is no ${resource.kind}`);
      return object;
    } catch (error) {
      const key = isObjectOf(resource, value) ? keyText(value.metadata) : undefined;
      this.#logger.error({ key, ...errorFields(error) }, `a ${resource.kind} could not be read and is left out`);
      return undefined;
    }
  }
}
