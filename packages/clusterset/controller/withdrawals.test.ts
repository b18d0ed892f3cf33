import { noMetrics, silentLogger, VirtualClock } from '@fairlead/control';
import { RELEASE_ANNOTATION, Releases } from '@fairlead/part';
import { describe, expect, it } from 'vitest';
import { Withdrawals } from './withdrawals.ts';

/** Counts who waits to hear of a release. */
class CountedReleases extends Releases {
  listeners = 0;

  override onRelease(listener: () => void, signal?: AbortSignal): void {
    super.onRelease(listener, signal);
    this.listeners += 1;
    signal?.addEventListener('abort', () => (this.listeners -= 1));
  }
}

/** Imports, each with the clusters behind it. */
function setUp(imports: ReadonlyMap<string, readonly string[]>) {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const releases = new CountedReleases('clusterset');
  const requeued: string[] = [];
  const withdrawals = new Withdrawals({
    releases,
    requeue: (key) => void requeued.push(key),
    clock,
    logger: silentLogger,
    metrics: noMetrics,
    cluster: { record: ({ note }) => void notes.push(note) },
    view: {
      imports: imports.size,
      importCount: (cluster) => [...imports.values()].filter((clusters) => clusters.includes(cluster)).length,
    },
  });
  /** How many of the imports may lose the cluster, when all of these are asked for at once. */
  const allowed = async (asked: readonly (readonly [key: string, cluster: string])[]) => {
    const ask = () => asked.filter(([key, cluster]) => withdrawals.waitsFor(key, new Set([cluster])) === 0).length;
    ask();
    await clock.advance(1_000);
    ask();
    await clock.advance(1_000);
    return ask();
  };
  /** As an operator does by `fairlead release clusterset`. */
  const release = (value: string) =>
    releases.observe({ metadata: { name: 'lease', annotations: { [RELEASE_ANNOTATION]: value } } });
  return { clock, notes, withdrawals, allowed, requeued, release, releases };
}

const names = (count: number, prefix = 'shop/web') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe('the brake', () => {
  it('notices that a cluster loses all it exports, however much others export', async () => {
    const few = names(12);
    const imports = new Map<string, readonly string[]>(names(1_000, 'shop/big').map((key) => [key, ['big']]));
    for (const key of few) imports.set(key, ['small']);
    const { allowed, notes } = setUp(imports);
    expect(await allowed(few.map((key) => [key, 'small']))).toBe(0);
    expect(notes[0]).toContain('the deletion of 12 of 12 imported Services of small');
  });

  it('does not hold up one cluster because of another', async () => {
    const many = names(100);
    const imports = new Map<string, readonly string[]>(many.map((key) => [key, ['evil']]));
    for (const key of names(20, 'shop/own')) imports.set(key, ['good']);
    const { allowed } = setUp(imports);
    const evil = many.map((key) => [key, 'evil'] as const);
    expect(await allowed([...evil, ['shop/own-1', 'good']])).toBe(1);
  });

  it('holds when many clusters lose a little each', async () => {
    const all = names(200).map((key, index) => [key, `c${index % 40}`] as const);
    const { allowed, notes } = setUp(new Map(all.map(([key, cluster]) => [key, [cluster]])));
    expect(await allowed(all)).toBe(0);
    expect(notes.at(-1)).toContain('of 200 imported Services of all clusters');
  });

  it('lets go at once when an operator says so, and has what it held looked at again', async () => {
    const asked = names(12).map((key) => [key, 'a'] as const);
    const { allowed, requeued, release } = setUp(new Map(asked.map(([key, cluster]) => [key, [cluster]])));
    release('');
    expect(await allowed(asked)).toBe(0);
    release('now');
    expect(requeued.toSorted()).toEqual(names(12).toSorted());
    expect(await allowed(asked)).toBe(12);
  });

  it('lets go after ten minutes, or when few are left that are asked for', async () => {
    const asked = names(12).map((key) => [key, 'a'] as const);
    const { allowed, clock, withdrawals } = setUp(new Map(asked.map(([key, cluster]) => [key, [cluster]])));
    expect(await allowed(asked)).toBe(0);
    await clock.advance(600_000);
    expect(await allowed(asked)).toBe(12);
    const again = setUp(new Map(asked.map(([key, cluster]) => [key, [cluster]])));
    expect(await again.allowed(asked)).toBe(0);
    for (const [key] of asked.slice(3)) again.withdrawals.waitsFor(key, new Set());
    expect(await again.allowed(asked.slice(0, 3))).toBe(3);
    for (const [key] of asked) expect(withdrawals.waitsFor(key, new Set())).toBe(0);
  });

  it('of a cluster that loses nothing any more waits for no release: clusters come and go', async () => {
    const { allowed, withdrawals, releases } = setUp(new Map([['shop/web', ['a']]]));
    const before = releases.listeners;
    for (let round = 0; round < 3; round += 1) {
      expect(await allowed([['shop/web', 'a']])).toBe(1);
      withdrawals.waitsFor('shop/web', new Set());
    }
    expect(releases.listeners).toBe(before);
  });
});
