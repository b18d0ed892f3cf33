import { isRecord } from '@fairlead/control';

/**
 * Whether a body that Azure answered means what is wanted, in all that `wanted` names. What Azure adds does not count,
 * nor do the order of lists and the case of ids, names and words, all of which it takes in any case. What it leaves out
 * is null, false or empty. A field wanted as undefined may be anything. Only tags are taken by the letter.
 */
export function matches(body: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (wanted === null || wanted === false) return body === undefined || body === null || body === wanted;
  if (Array.isArray(wanted)) return matchesList(Array.isArray(body) ? body : [], wanted);
  if (isRecord(wanted)) return Object.entries(wanted).every(([name, value]) => matchesField(body, name, value));
  if (typeof wanted === 'string' && typeof body === 'string') return body.toLowerCase() === wanted.toLowerCase();
  return body === wanted;
}

function matchesField(body: unknown, name: string, wanted: unknown): boolean {
  if (!isRecord(body)) return false;
  if (name !== 'tags' || !isRecord(wanted)) return matches(body[name], wanted);
  const tags = body[name];
  return Object.entries(wanted).every(([tag, value]) => (isRecord(tags) ? tags[tag] : undefined) === value);
}

/** Each wanted item has one of its own. */
function matchesList(body: readonly unknown[], wanted: readonly unknown[]): boolean {
  if (body.length !== wanted.length) return false;
  // Thousands of source ranges, in any order: item by item that would take seconds.
  if (wanted.every((item) => typeof item === 'string')) return sameTexts(body, wanted);
  const left = [...body];
  return wanted.every((item) => {
    const index = left.findIndex((candidate) => matches(candidate, item));
    if (index < 0) return false;
    left.splice(index, 1);
    return true;
  });
}

function sameTexts(body: readonly unknown[], wanted: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const text of wanted) left.set(text.toLowerCase(), (left.get(text.toLowerCase()) ?? 0) + 1);
  return body.every((item) => {
    const text = typeof item === 'string' ? item.toLowerCase() : undefined;
    const count = text === undefined ? 0 : (left.get(text) ?? 0);
    if (text !== undefined) left.set(text, count - 1);
    return count > 0;
  });
}
