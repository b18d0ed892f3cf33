import { armIdKey } from './arm-id.ts';
import { isRecord } from './client/decode.ts';

/**
 * Whether a body that Azure answered is as it should be in all that `wanted` names. What Azure adds does not count, nor
 * do the case of ids and the order of lists; a field wanted as undefined may be anything, and to Azure null is nothing.
 */
export function matches(body: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return body === undefined || body === null;
  if (Array.isArray(wanted)) return matchesList(Array.isArray(body) ? body : [], wanted);
  if (isRecord(wanted)) {
    return isRecord(body) && Object.entries(wanted).every(([name, value]) => matches(body[name], value));
  }
  if (typeof wanted === 'string' && typeof body === 'string' && wanted.startsWith('/subscriptions/')) {
    return armIdKey(body) === armIdKey(wanted);
  }
  return body === wanted;
}

/** Each wanted item has one of its own. */
function matchesList(body: readonly unknown[], wanted: readonly unknown[]): boolean {
  if (body.length !== wanted.length) return false;
  const left = [...body];
  return wanted.every((item) => {
    const index = left.findIndex((candidate) => matches(candidate, item));
    if (index < 0) return false;
    left.splice(index, 1);
    return true;
  });
}
