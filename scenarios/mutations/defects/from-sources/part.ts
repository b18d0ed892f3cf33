import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `part` alone, before any of its tests was looked at. */
export const partDefectsFromSources: readonly Defect[] = [
  {
    name: 'what a failed start began goes on after it',
    file: 'packages/part/run-part.ts',
    find: `  try {
    await run({ ...nodeEnvironment({ ...options, logger, readiness }, signal), client, events, caches, ...standing });
  } finally {
    ended.abort(new FairleadError('the part has stopped', { verdict: 'terminal', code: 'part-stopped' }));
  }
`,
    replace: `  await run({ ...nodeEnvironment({ ...options, logger, readiness }, signal), client, events, caches, ...standing });
  ended.abort(new FairleadError('the part has stopped', { verdict: 'terminal', code: 'part-stopped' }));
`,
    foundBy: { unit: 'packages/part' },
  },
  {
    name: 'which collections could not be read is forgotten when the leading ended with an error',
    file: 'packages/part/run-part.ts',
    find: `        await lead(configured, options, leadership, releases, watchdog);
      } finally {
        watchdog.close();
        unreadable = watchdog.unreadable;
`,
    replace: `        await lead(configured, options, leadership, releases, watchdog);
        unreadable = watchdog.unreadable;
      } finally {
        watchdog.close();
`,
    foundBy: { unit: 'packages/part' },
  },
  {
    name: 'every further failure starts the time of blindness anew',
    file: 'packages/part/cache-watchdog.ts',
    find: `    else this.#timer ??= this.#clock.setTimer(BLIND_MILLISECONDS, () => this.#blind.abort(blindness(this.#unreadable)));
`,
    replace: `    else {
      this.#timer?.cancel();
      this.#timer = this.#clock.setTimer(BLIND_MILLISECONDS, () => this.#blind.abort(blindness(this.#unreadable)));
    }
`,
    foundBy: { unit: 'packages/part' },
  },
  {
    name: 'a comparison that failed is not repeated before the next interval',
    file: 'packages/part/controller/comparison.ts',
    find: `signal).catch(() => {});
        this.#isSuspected = true;
`,
    replace: `signal).catch(() => {});
`,
    foundBy: { unit: 'packages/part/controller' },
  },
  {
    name: 'a suspicion that comes up during a comparison is dropped',
    file: 'packages/part/controller/comparison.ts',
    find: `    this.#isSuspected = false;
    this.#comparedAt = this.#options.clock.monotonic();
    return this.#options.compare(signal);
`,
    replace: `    this.#comparedAt = this.#options.clock.monotonic();
    const again = await this.#options.compare(signal);
    this.#isSuspected = false;
    return again;
`,
    foundBy: { unit: 'packages/part/controller' },
  },
  {
    name: 'the gauge of held deletions never goes back to zero',
    file: 'packages/part/controller/deletion-guard.ts',
    find: `    metrics.set(gauge, this.heldCount, labels);
    if (hold !== undefined) {
`,
    replace: `    if (hold !== undefined) {
      metrics.set(gauge, this.heldCount, labels);
`,
    foundBy: { unit: 'packages/part/controller' },
  },
  {
    name: 'a failure to read kube-system is remembered for ever',
    file: 'packages/part/cluster.ts',
    find: `    } catch (error) {
      this.#namespace = undefined;
`,
    replace: `    } catch (error) {
`,
    foundBy: { unit: 'packages/part' },
  },
  {
    name: 'a failed round that is followed by another kind of round counts as mended',
    file: 'packages/part/controller/health.ts',
    find: `    if (error === undefined) this.#failures.delete(what);
`,
    replace: `    if (error === undefined) this.#failures.clear();
`,
    foundBy: { unit: 'packages/part/controller' },
  },
];
