import { sameArmId } from '../arm/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether what Azure answered has everything that a draft asks for: what Azure adds does not matter, ids are compared
 * without regard to case, and lists of named parts or references without regard to order.
 */
export function covers(body: unknown, draft: unknown): boolean {
  // What the draft says nothing about is not compared. To Azure, nothing, null and an empty list are one.
  if (draft === undefined) return true;
  if (draft === null) return isNothing(body);
  if (Array.isArray(draft)) return draft.length === 0 ? isNothing(body) : coversList(body, draft);
  if (isFields(draft)) {
    if (!isFields(body)) return false;
    return Object.entries(draft).every(([name, wanted]) => covers(body[name], wanted));
  }
  if (typeof draft === 'string' && typeof body === 'string' && draft.startsWith('/')) return sameArmId(draft, body);
  return draft === body;
}

function coversList(body: unknown, draft: readonly unknown[]): boolean {
  if (!Array.isArray(body) || body.length !== draft.length) return false;
  return draft.every((wanted) => body.some((item) => covers(item, wanted)));
}

function isNothing(body: unknown): boolean {
  return body === undefined || body === null || (Array.isArray(body) && body.length === 0);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
