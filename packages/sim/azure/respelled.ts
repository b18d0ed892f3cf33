import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Words that Azure takes in any case, and does not always give back as they were written. */
const WORDS = new Set(['protocol', 'access', 'direction', 'loadDistribution', 'publicIPAllocationMethod']);

/** The same answer as another Azure would give it: without what is false or empty, lists turned round, ids in capitals. */
export function respelled(body: JsonObject): JsonObject {
  const draft: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body)) {
    const spelled = respelledValue(name, value);
    if (spelled !== undefined) draft[name] = spelled;
  }
  return draft;
}

function respelledValue(name: string, value: Json): Json | undefined {
  if (name === 'tags' || name === 'error' || name === 'nextLink') return value;
  if (value === false || value === null) return undefined;
  if (isJsonList(value)) {
    if (value.length === 0 && name !== 'value') return undefined;
    return value.map((item) => (isJsonObject(item) ? respelled(item) : item)).toReversed();
  }
  if (isJsonObject(value)) return respelled(value);
  if (typeof value !== 'string') return value;
  if (value.startsWith('/subscriptions/'))
    return value.replace(/\/resourceGroups\/[^/]+/i, (group) => group.toUpperCase());
  return WORDS.has(name) ? value.toLowerCase() : value;
}
