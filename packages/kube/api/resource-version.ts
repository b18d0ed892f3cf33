const DECIMAL = /^(?:0|[1-9]\d*)$/;

/**
 * Negative when `left` is older than `right`, 0 when they are the same, positive when it is newer; undefined when
 * they cannot be compared, because a server may use something else than whole numbers.
 */
export function compareResourceVersions(left: string, right: string): number | undefined {
  if (left === right) return 0;
  if (!DECIMAL.test(left) || !DECIMAL.test(right)) return undefined;
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}
