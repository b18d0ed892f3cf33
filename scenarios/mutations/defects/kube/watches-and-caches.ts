import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/kube';
const cache = { unit: `${FOLDER}/cache` };
const idle = { unit: `${FOLDER}/watch/idle-timeout` };

export const kubeReadingDefects: readonly Defect[] = [
  {
    name: 'a list whose pages expire never completes',
    file: `${FOLDER}/watch/collection-watch.ts`,
    find: 'if (signal.aborted || !isGone(error)) throw error;',
    replace: 'throw error;',
    foundBy: cache,
  },
  {
    name: 'what was deleted while a list expired stays for ever',
    file: `${FOLDER}/watch/collection-watch.ts`,
    find: 'sink.listStarted();\n      page = ',
    replace: 'page = ',
    foundBy: cache,
  },
  {
    name: 'a watch that asks too much does not wait as long as the server says',
    file: `${FOLDER}/watch/watch-health.ts`,
    find: 'this.#backoff.next(findFairleadError(error)?.retryAfterMilliseconds)',
    replace: 'this.#backoff.next()',
    foundBy: cache,
  },
  {
    name: 'each request of a watch leaves a listener behind',
    file: `${FOLDER}/watch/idle-timeout.ts`,
    find: "this.#parent.removeEventListener('abort', this.#onParentAbort);",
    replace: '',
    foundBy: idle,
  },
  {
    name: 'an object in a list that cannot be read counts as deleted',
    file: `${FOLDER}/watch/object-intake.ts`,
    find: 'else if (isObjectOf(resource, value)) sink.listedUnreadable(keyText(value.metadata));',
    replace: '',
    foundBy: cache,
  },
  {
    name: 'a namesake that was made since counts as the same object',
    file: `${FOLDER}/cache/contents.ts`,
    find: 'before.metadata.uid !== after.metadata.uid',
    replace: 'false',
    foundBy: cache,
  },
  {
    name: 'a late event brings a deleted object back',
    file: `${FOLDER}/cache/contents.ts`,
    find: 'if (isNewer(version, this.#position)) this.#add(key, object);',
    replace: 'this.#add(key, object);',
    foundBy: cache,
  },
  {
    name: 'a change that comes while a handler is told of all there is comes before it',
    file: `${FOLDER}/cache/handler-feed.ts`,
    find: 'else this.#waiting.push(change);',
    replace: 'else this.#tell(change);',
    foundBy: cache,
  },
  {
    name: 'who waits for a cache that was stopped waits for ever',
    file: `${FOLDER}/cache/shared-cache.ts`,
    find: 'this.#firstSync.reject(',
    replace: 'Object(',
    foundBy: cache,
  },
  {
    name: 'a handler that was cancelled is told on',
    file: `${FOLDER}/cache/handler-feed.ts`,
    find: 'if (this.#isCancelled) return;',
    replace: '',
    foundBy: cache,
  },
  {
    name: 'what vanished while a cache was not in step stays for ever',
    file: `${FOLDER}/cache/contents.ts`,
    find: 'if (!this.#listed?.has(key)) this.#remove(key, held);',
    replace: '',
    foundBy: cache,
  },
  {
    name: 'an API server that was restored from a backup is not noticed by its bookmarks',
    file: `${FOLDER}/watch/collection-watch.ts`,
    find: "event.type === 'BOOKMARK' && (compare",
    replace: 'false && (compare',
    foundBy: cache,
  },
  {
    name: 'a cache that may no longer ask how far the server is asks for ever',
    file: `${FOLDER}/watch/collection-watch.ts`,
    find: "if (isCheck && verdictOf(error) !== 'retriable') this.#mustList = true;",
    replace: '',
    foundBy: cache,
  },
  {
    name: 'a version that a restored server has not reached is insisted upon',
    file: `${FOLDER}/watch/resume-point.ts`,
    find: ' || isNotReached(error)',
    replace: '',
    foundBy: cache,
  },
  {
    name: 'a version at which the server fails each time is insisted upon',
    file: `${FOLDER}/watch/resume-point.ts`,
    find: 'if (isSuspect(error)) this.#fruitless += 1;',
    replace: '',
    foundBy: cache,
  },
  {
    name: 'a watch that cannot be opened any more does not make a cache blind',
    file: `${FOLDER}/watch/collection-watch.ts`,
    find: 'if (!this.#isOpen) this.#isBlind = true;',
    replace: 'if (this.#mustList) this.#isBlind = true;',
    foundBy: cache,
  },
  {
    name: 'a reader gets the objects as another reader has them cut',
    file: `${FOLDER}/cache/cache-factory.ts`,
    find: ' && entry.projection === projection',
    replace: '',
    foundBy: cache,
  },
  {
    name: 'an index finds an object under what it used to be',
    file: `${FOLDER}/cache/cache-index.ts`,
    find: "if (change.type !== 'add')",
    replace: "if (change.type === 'delete')",
    foundBy: cache,
  },
  {
    name: 'a handler finds the index as it was before the change',
    file: `${FOLDER}/cache/shared-cache.ts`,
    find: 'for (const index of this.#indexes.values()) index.update(change);\n    const present = [...this.#feeds];\n    for (const feed of present) feed.deliver(change);',
    replace:
      'const present = [...this.#feeds];\n    for (const feed of present) feed.deliver(change);\n    for (const index of this.#indexes.values()) index.update(change);',
    foundBy: cache,
  },
  {
    name: 'a cache that is back in step after a silence still says that it failed',
    file: `${FOLDER}/watch/collection-watch.ts`,
    find: 'if (this.#fellSilent) this.#health.succeed();',
    replace: '',
    foundBy: { unit: `${FOLDER}/cache/survival` },
  },
];
