const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STABILITY = ['alpha', 'beta', 'stable'];

/** Sorts the versions of a group: stable before beta before alpha, newer before older, anything else last by name. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rankOf(left), rankOf(right)];
  if (a === undefined || b === undefined) {
    if (a === undefined && b === undefined) return left < right ? -1 : Number(left > right);
    return a === undefined ? 1 : -1;
  }
  const difference = a.map((value, index) => (b[index] ?? 0) - value).find((value) => value !== 0);
  return difference ?? 0;
}

function rankOf(version: string): readonly number[] | undefined {
  const found = VERSION.exec(version);
  if (found === null) return undefined;
  const [, major, stability = 'stable', minor = '0'] = found;
  return [STABILITY.indexOf(stability), Number(major), Number(minor)];
}
