import { type Clock, randomInteger, type Timer } from '@fairlead/control';
import { expired, RequestFailure } from '../../failure.ts';
import { withMetadata } from '../../object.ts';
import type { StoreEvent } from '../../store/store.ts';
import { StoredObject, type WatchEventType } from '../../store/stored-object.ts';
import type { Presentation } from '../presentation.ts';
import type { Route } from '../route.ts';
import type { ServerState } from '../state.ts';
import { ByteStream } from '../stream.ts';
import { type ListOptions, malformedVersion, versionNumber } from './list-options.ts';

const BOOKMARK_INTERVAL_MILLISECONDS = 60_000;
/** A last bookmark is sent so long before the watch times out. */
const LAST_BOOKMARK_MILLISECONDS = 2_000;
const SHORTEST_WATCH_SECONDS = 1_800;
const encoder = new TextEncoder();

/** Opens a watch: what there is, where asked for, and then every change as it happens. */
export function openWatch(
  state: ServerState,
  route: Route,
  options: ListOptions,
  presentation: Presentation,
): ByteStream {
  const asked = versionNumber(options.resourceVersion);
  if (asked === undefined) {
    throw new RequestFailure({ code: 500, reason: '', message: malformedVersion(options.resourceVersion) });
  }
  return new Watch(state, route, options, presentation).start(asked);
}

class Watch {
  readonly #state: ServerState;
  readonly #route: Route;
  readonly #options: ListOptions;
  readonly #presentation: Presentation;
  readonly #stream: ByteStream;
  readonly #timers: Timer[] = [];
  #unsubscribe: (() => void) | undefined;

  constructor(state: ServerState, route: Route, options: ListOptions, presentation: Presentation) {
    this.#state = state;
    this.#route = route;
    this.#options = options;
    this.#presentation = presentation;
    this.#stream = new ByteStream(() => this.#close());
  }

  start(asked: number): ByteStream {
    const { store } = this.#state;
    const { kind } = this.#route;
    const { sendInitialEvents, allowWatchBookmarks } = this.#options;
    if (sendInitialEvents === true) this.#sendInitial(allowWatchBookmarks);
    else if (asked > 0) {
      if (asked < store.compactedVersion) {
        const message = `too old resource version: ${asked} (${store.compactedVersion})`;
        this.#stream.push(errorLine(expired(message)));
        this.#stream.end();
        return this.#stream;
      }
      for (const event of store.eventsSince(kind.collection, asked)) this.#send(event);
    }
    const future = asked > store.resourceVersion ? asked : 0;
    this.#unsubscribe = store.subscribe(kind.collection, (event) => {
      if (event.resourceVersion > future) this.#send(event);
    });
    this.#startTimers();
    return this.#stream;
  }

  #close(): void {
    this.#unsubscribe?.();
    for (const timer of this.#timers) timer.cancel();
  }

  #startTimers(): void {
    const { clock, random } = this.#state;
    const asked = this.#options.timeoutSeconds ?? 0;
    const shortest = SHORTEST_WATCH_SECONDS;
    const seconds = asked > 0 ? asked : shortest + randomInteger(random, 0, shortest);
    const timeout = seconds * 1000;
    this.#timers.push(clock.setTimer(timeout, () => this.#stream.end()));
    if (!this.#options.allowWatchBookmarks) return;
    const last = timeout - LAST_BOOKMARK_MILLISECONDS;
    if (last > 0) this.#timers.push(clock.setTimer(last, () => this.#sendBookmark(false)));
    this.#repeatBookmark(clock);
  }

  #repeatBookmark(clock: Clock): void {
    this.#timers.push(
      clock.setTimer(BOOKMARK_INTERVAL_MILLISECONDS, () => {
        this.#sendBookmark(false);
        if (!this.#stream.ended) this.#repeatBookmark(clock);
      }),
    );
  }

  #sendInitial(withBookmark: boolean): void {
    const { kind, namespace } = this.#route;
    for (const stored of this.#state.store.list(kind.collection, namespace)) {
      if (this.#options.matches(stored.object)) this.#push('ADDED', stored);
    }
    if (withBookmark) this.#sendBookmark(true);
  }

  #sendBookmark(endOfInitialEvents: boolean): void {
    const { kind } = this.#route;
    this.#stream.push(this.#presentation.bookmark(kind, this.#state.store.resourceVersion, endOfInitialEvents));
  }

  /** A change can bring an object into what is selected, or take it out. */
  #send({ key, before, after, removed, resourceVersion }: StoreEvent): void {
    const { namespace } = this.#route;
    if (namespace !== undefined && !key.startsWith(`${namespace}/`)) return;
    const { matches } = this.#options;
    const was = before !== undefined && matches(before.object);
    const is = after !== undefined && matches(after.object);
    if (is) this.#push(was ? 'MODIFIED' : 'ADDED', after);
    else if (was && removed !== undefined) this.#push('DELETED', removed);
    else if (was) this.#push('DELETED', atVersion(before, resourceVersion));
  }

  #push(type: WatchEventType, stored: StoredObject): void {
    this.#stream.push(this.#presentation.event(this.#route.kind, type, stored));
  }
}

/** The last state that was selected, under the version of the change that took it out. */
function atVersion({ object }: StoredObject, resourceVersion: number): StoredObject {
  return new StoredObject(withMetadata(object, { resourceVersion: String(resourceVersion) }), resourceVersion);
}

function errorLine(failure: RequestFailure): Uint8Array {
  return encoder.encode(`${JSON.stringify({ type: 'ERROR', object: failure.toStatus() })}\n`);
}
