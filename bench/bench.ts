/** What is expected of one figure, and why. */
export type Target = { readonly figure: string; readonly why: string } & (
  | { readonly atLeast: number }
  | { readonly atMost: number }
);

export type Figures = Readonly<Record<string, number>>;

/** Says what is going on; not part of the result. */
export type Progress = (line: string) => void;

export interface Bench {
  readonly name: string;
  /** One line for the list of benches. */
  readonly description: string;
  readonly targets: readonly Target[];
  run(progress: Progress): Promise<Figures>;
}

/** One sentence for each target that the figures miss. */
export function shortfalls(targets: readonly Target[], figures: Figures): string[] {
  return targets.flatMap((target) => {
    const value = figures[target.figure];
    if (value === undefined) return [`${target.figure} was not measured`];
    if (isMet(target, value)) return [];
    return [`${target.figure} is ${value}, but should be ${limitOf(target)}: ${target.why}`];
  });
}

/** `at least 3`. */
export function limitOf(target: Target): string {
  return 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
}

/** No number at all meets no target. */
function isMet(target: Target, value: number): boolean {
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}
