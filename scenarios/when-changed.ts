import type { Invariant } from '@fairlead/sim';

/**
 * Asked after every step, these look only when something that they look at can have changed: most steps are about a
 * Lease. `seen` gives what they look at, each the same value as long as it is the same.
 */
export function whenChanged(seen: () => readonly unknown[], invariants: readonly Invariant[]): readonly Invariant[] {
  return invariants.map((invariant) => {
    let before: readonly unknown[] = [];
    let said: string | undefined;
    return {
      name: invariant.name,
      check() {
        const now = seen();
        if (now.length !== before.length || now.some((value, index) => value !== before[index]))
          said = invariant.check();
        before = now;
        return said;
      },
    };
  });
}
