/** Of an even number of values, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** To two decimals. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** What is at the same position divided by each other, position by position. */
export function quotients(dividends: readonly number[], divisors: readonly number[]): number[] {
  return dividends.map((dividend, index) => dividend / (divisors[index] ?? Number.NaN));
}

/** How many times the smallest value the largest is. */
export function spread(values: readonly number[]): number {
  return Math.max(...values) / Math.min(...values);
}

/** The smallest value that so large a part of them does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(part * values.length) - 1] ?? Number.NaN;
}
