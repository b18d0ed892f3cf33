import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../time/virtual-clock.ts';
import { type BrakeOptions, DeletionBrake } from './deletion-brake.ts';

const options = {
  things: 'load balancers',
  releaseCommand: 'fairlead release lamps',
  fraction: 0.5,
  minimumCount: 5,
  confirmAfterMilliseconds: 60_000,
} satisfies BrakeOptions;

const ids = (count: number, prefix = 'lb') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

function setUp(changes: Partial<BrakeOptions> = {}) {
  const clock = new VirtualClock();
  const brake = new DeletionBrake<string>(clock, { ...options, ...changes });
  /** Asks the brake on the ground of a list that was begun now. */
  const judge = (deletions: readonly string[], known: number) => brake.judge(deletions, known, clock.monotonic());
  return { clock, brake, judge };
}

describe('brake', () => {
  it.each([
    ['few of many', 10, 100],
    ['exactly the fraction', 50, 100],
    ['all of very few', 4, 4],
    ['none', 0, 100],
  ])('lets %s through', (_name, count, known) => {
    const { brake, judge } = setUp();
    expect(judge(ids(count), known)).toEqual({ allowed: ids(count) });
    expect(brake.held).toEqual([]);
  });

  it('holds a sudden mass deletion as a whole, says why, and names itself', () => {
    const { judge } = setUp();
    expect(judge(ids(80), 100)).toEqual({
      allowed: [],
      hold: {
        code: 'mass-deletion-held',
        message:
          'Holding back the deletion of 80 of 100 load balancers: more than 50 % at once. ' +
          'It goes ahead if a list after 60 s still asks for it; to let it go ahead now: fairlead release lamps.',
        held: ids(80),
      },
    });
  });

  it('believes the same deletions when a list begun later still asks for them', async () => {
    const { clock, brake, judge } = setUp();
    judge(ids(80), 100);
    await clock.advance(59_999);
    expect(judge(ids(80), 100).allowed).toEqual([]);
    await clock.advance(1);
    expect(judge(ids(80), 100)).toEqual({ allowed: ids(80) });
    expect(brake.held).toEqual([]);
  });

  it('does not take a list that was begun too early for a confirmation, however late it comes', async () => {
    const { clock, brake, judge } = setUp();
    judge(ids(80), 100);
    await clock.advance(100_000);
    expect(brake.judge(ids(80), 100, 30_000).allowed).toEqual([]);
  });

  it('lets the deletion through on release, and brakes again for others', () => {
    const { brake, judge } = setUp();
    judge(ids(80), 100);
    brake.release();
    expect(judge(ids(80), 100)).toEqual({ allowed: ids(80) });
    expect(judge(ids(15, 'other'), 20).hold?.held).toEqual(ids(15, 'other'));
  });

  it('does not release in advance', () => {
    const { brake, judge } = setUp();
    brake.release();
    expect(judge(ids(80), 100).allowed).toEqual([]);
  });

  it('forgets a hold when the things come back', async () => {
    const { clock, brake, judge } = setUp();
    judge(ids(80), 100);
    await clock.advance(30_000);
    expect(judge([], 100)).toEqual({ allowed: [] });
    expect(brake.held).toEqual([]);
    await clock.advance(30_000);
    expect(judge(ids(80), 100).allowed).toEqual([]);
  });

  it('lets the confirmed ones go while it holds those that are new', async () => {
    const { clock, brake, judge } = setUp();
    judge(ids(80), 100);
    await clock.advance(60_000);
    const decision = judge([...ids(80), ...ids(60, 'new')], 110);
    expect(decision.allowed).toEqual(ids(80));
    expect(decision.hold?.held).toEqual(ids(60, 'new'));
    expect(brake.held).toEqual(ids(60, 'new'));
  });

  it('lets through again what was let through once but could not be deleted', async () => {
    const { clock, brake, judge } = setUp();
    judge(ids(80), 100);
    await clock.advance(60_000);
    judge(ids(80), 100);
    expect(judge(ids(80), 100)).toEqual({ allowed: ids(80) });
    expect(judge([...ids(80), ...ids(20, 'new')], 120).allowed).toHaveLength(100);
    expect(brake.held).toEqual([]);
    judge([], 100);
    expect(judge(ids(80), 100).allowed).toEqual([]);
  });

  it('is not moved by the wall clock', () => {
    const { clock, judge } = setUp();
    judge(ids(80), 100);
    clock.jumpWall(3_600_000);
    expect(judge(ids(80), 100).allowed).toEqual([]);
  });

  it('can be set to hold any deletion, or none', () => {
    expect(setUp({ fraction: 0, minimumCount: 1 }).judge(['a'], 1000).allowed).toEqual([]);
    expect(setUp({ fraction: 1 }).judge(ids(1000), 1000).allowed).toHaveLength(1000);
  });

  it('splits the deletions into allowed and held, and allows no sudden mass that no later list confirmed', async () => {
    const round = fc.record({
      wait: fc.integer({ min: 0, max: 80_000 }),
      deletions: fc.uniqueArray(fc.nat(30), { maxLength: 30, size: 'max' }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 15, size: 'max' }), async (rounds) => {
        const { clock, judge } = setUp();
        const known = 20;
        /** Since when each deletion is asked for without a break, and whether it was let through since. */
        let asked = new Map<string, { since: number; wasAllowed: boolean }>();
        for (const { wait, deletions } of rounds) {
          await clock.advance(wait);
          const now = clock.monotonic();
          const wanted = deletions.map((id) => `lb-${id}`);
          const { allowed, hold } = judge(wanted, known);
          const held = hold?.held ?? [];
          expect([...allowed, ...held].toSorted()).toEqual(wanted.toSorted());
          const isSurprise = (id: string) => {
            const before = asked.get(id) ?? { since: now, wasAllowed: false };
            return !before.wasAllowed && now - before.since < options.confirmAfterMilliseconds;
          };
          const surprises = allowed.filter(isSurprise).length;
          expect(surprises < options.minimumCount || surprises <= options.fraction * known).toBe(true);
          expect(held.every(isSurprise)).toBe(true);
          asked = new Map(
            wanted.map((id) => [id, { since: asked.get(id)?.since ?? now, wasAllowed: allowed.includes(id) }]),
          );
        }
      }),
    );
  });
});
