import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `kube` alone, before any of its tests was looked at. */
export const kubeDefectsFromSources: readonly Defect[] = [
  {
    name: 'after the pages of a list expired, what the pages brought still counts as listed',
    file: 'packages/kube/watch/collection-watch.ts',
    find: `reading it in one go');
      sink.listStarted();
`,
    replace: `reading it in one go');
`,
    foundBy: { unit: 'packages/kube/cache' },
  },
  {
    name: 'an idle timeout that is stopped stays registered at its parent signal',
    file: 'packages/kube/watch/idle-timeout.ts',
    find: `    this.#timer.cancel();
    this.#parent.removeEventListener('abort', this.#onParentAbort);
`,
    replace: `    this.#timer.cancel();
`,
    foundBy: { unit: 'packages/kube/watch' },
  },
  {
    name: 'a deletion that arrives in the middle of a streamed list is not remembered',
    file: 'packages/kube/cache/contents.ts',
    find: `    this.#deletedMeanwhile?.set(key, version);
`,
    replace: '',
    foundBy: { unit: 'packages/kube/cache' },
  },
  {
    name: 'an outdated listed version wins over the newer one that came during the same list',
    file: 'packages/kube/cache/contents.ts',
    find: `      this.#outdated.delete(key);
      if (version !== versionOf(held)`,
    replace: '      if (version !== versionOf(held)',
    foundBy: { unit: 'packages/kube/cache' },
  },
  {
    name: 'buffered changes are told to a late handler after newer ones',
    file: 'packages/kube/cache/handler-feed.ts',
    find: `    // More may come while these are told.
    for (const change of waiting) {
      this.#tell(change);
      if (slices.isOver) await slices.pause();
    }
    this.#waiting = undefined;
`,
    replace: `    this.#waiting = undefined;
    for (const change of waiting) {
      this.#tell(change);
      if (slices.isOver) await slices.pause();
    }
`,
    foundBy: { unit: 'packages/kube/cache' },
  },
  {
    name: 'what was read after a failed write is not noted when the object is still there',
    file: 'packages/kube/objects/object-writer.ts',
    find: `      if (isGone) this.#ownWrites.noteGone(object);
      else this.#ownWrites.note(found);
`,
    replace: `      if (isGone) this.#ownWrites.noteGone(object);
`,
    foundBy: { unit: 'packages/kube/objects' },
  },
  {
    name: 'only the first request of a write is checked against the Lease',
    file: 'packages/kube/objects/leased-write.ts',
    find: 'fieldManager, beforeWrite };',
    replace: 'fieldManager };',
    foundBy: { unit: 'packages/kube/objects' },
  },
  {
    name: 'a renewal counts from the answer and not from when it was sent',
    file: 'packages/kube/leader/election.ts',
    find: `    const startedAt = momentOf(clock);
    try {
      const patch = { metadata: versionOf(holding.lease), spec: this.#renewal() };
      holding.lease = await client.patchMerge(leases, key, patch, options);
`,
    replace: `    try {
      const patch = { metadata: versionOf(holding.lease), spec: this.#renewal() };
      holding.lease = await client.patchMerge(leases, key, patch, options);
      const startedAt = momentOf(clock);
`,
    foundBy: { unit: 'packages/kube/leader' },
  },
  {
    name: 'a leadership that has ended counts as covering nothing any more, so the Lease is given back at once',
    file: 'packages/kube/leader/leadership.ts',
    find: '    return Math.max(0, this.#coveredUntil - this.#clock.monotonic());',
    replace: '    return this.signal.aborted ? 0 : Math.max(0, this.#coveredUntil - this.#clock.monotonic());',
    foundBy: { unit: 'packages/kube/leader' },
  },
  {
    name: 'a deleted Lease is waited for from when its record was last seen, not from its deletion',
    file: 'packages/kube/leader/lease-observation.ts',
    find: 'durationMilliseconds: before.durationMilliseconds, at: this.#clock.monotonic() };',
    replace: 'durationMilliseconds: before.durationMilliseconds, at: before.at };',
    foundBy: { unit: 'packages/kube/leader' },
  },
  {
    name: 'a later short call shortens how long earlier calls count as covered',
    file: 'packages/kube/leader/leadership.ts',
    find: 'this.#coveredUntil = Math.max(this.#coveredUntil, this.#clock.monotonic() + milliseconds);',
    replace: 'this.#coveredUntil = this.#clock.monotonic() + milliseconds;',
    foundBy: { unit: 'packages/kube/leader' },
  },
  {
    name: 'repeated Events are recognised without regard to the UID of the object',
    file: 'packages/kube/events/event-recorder.ts',
    find: "[regarding.kind, regarding.namespace, regarding.name, regarding.uid].join('/')",
    replace: "[regarding.kind, regarding.namespace, regarding.name].join('/')",
    foundBy: { unit: 'packages/kube/events' },
  },
  {
    name: 'handlers are told of a change before the indexes have it',
    file: 'packages/kube/cache/shared-cache.ts',
    find: `    for (const index of this.#indexes.values()) index.update(change);
    const present = [...this.#feeds];
    for (const feed of present) feed.deliver(change);
`,
    replace: `    const present = [...this.#feeds];
    for (const feed of present) feed.deliver(change);
    for (const index of this.#indexes.values()) index.update(change);
`,
    foundBy: { unit: 'packages/kube/cache' },
  },
  {
    name: 'closing a connection leaves the transports open that were replaced',
    file: 'packages/kube/api/http-connection.ts',
    find: 'const transports = [...this.#retired.keys(), ...(this.#current === undefined ? [] : [this.#current.transport])];',
    replace: 'const transports = this.#current === undefined ? [] : [this.#current.transport];',
    foundBy: { unit: 'packages/kube/api' },
  },
  {
    name: 'a Retry-After of a proxy before the API server is believed up to an hour',
    file: 'packages/kube/api/api-error.ts',
    find: "parseRetryAfter(response.headers['retry-after'], now, LONGEST_DELAY_MILLISECONDS),",
    replace: "parseRetryAfter(response.headers['retry-after'], now),",
    foundBy: { unit: 'packages/kube/api' },
  },
  {
    name: 'a deletion with only a UID or only a version is sent without preconditions',
    file: 'packages/kube/api/client.ts',
    find: 'uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };',
    replace: 'uid === undefined || resourceVersion === undefined ? undefined : { uid, resourceVersion };',
    foundBy: { unit: 'packages/kube/api' },
  },
  {
    name: 'fruitless watches add up although watches in between went well',
    file: 'packages/kube/watch/resume-point.ts',
    find: `  confirm(): void {
    this.#fruitless = 0;
`,
    replace: `  confirm(): void {
`,
    foundBy: { unit: 'packages/kube/cache' },
  },
  {
    name: 'a watch that went well and broke off counts with the failures before it',
    file: 'packages/kube/watch/watch-health.ts',
    find: `    this.succeed();
    const { failure, delay } = this.#note(error);`,
    replace: '    const { failure, delay } = this.#note(error);',
    foundBy: { unit: 'packages/kube/cache' },
  },
  {
    name: 'bytes of lines that spanned pieces are never subtracted again',
    file: 'packages/kube/watch/line-splitter.ts',
    find: `    this.#begun = [];
    this.#begunBytes = 0;
`,
    replace: `    this.#begun = [];
`,
    foundBy: { unit: 'packages/kube/watch' },
  },
  {
    name: 'a record counts as the same when it only has more fields',
    file: 'packages/kube/watch/interner.ts',
    find: `  for (const field in right) if (!Object.hasOwn(left, field)) return false;
`,
    replace: '',
    foundBy: { unit: 'packages/kube/watch' },
  },
  {
    name: 'a namespace keeps its turn until it has nothing left',
    file: 'packages/kube/controller/ready-keys.ts',
    find: `        if (turns?.delete(namespace) === true) turns.set(namespace, keys);
`,
    replace: `        if (keys.size === 0) turns?.delete(namespace);
`,
    foundBy: { unit: 'packages/kube/controller' },
  },
  {
    name: 'an expired credential is used for as long as it cannot be loaded again',
    file: 'packages/kube/auth/reloaded.ts',
    find: '      if (before === undefined || now >= before.validUntil) {',
    replace: '      if (before === undefined) {',
    foundBy: { unit: 'packages/kube/auth' },
  },
];
