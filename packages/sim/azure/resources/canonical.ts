import { isJsonList, isJsonObject, type Json, type JsonDraft, type JsonObject, textOf } from '../../json.ts';

/** Words that Azure takes in any case and keeps in its own, by the field they stand in. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  protocol: ['Tcp', 'Udp', 'All', 'Http', 'Https'],
  access: ['Allow', 'Deny'],
  direction: ['Inbound', 'Outbound'],
  loadDistribution: ['Default', 'SourceIP', 'SourceIPProtocol'],
  publicIPAllocationMethod: ['Static', 'Dynamic'],
};

/** A body as Azure keeps it: words in its own spelling, ids with the group's, and of other resources only the id. */
export function canonical(body: JsonObject, groups: readonly string[]): JsonObject {
  const draft: JsonDraft = {};
  for (const [name, value] of Object.entries(body)) {
    // An explicit null clears what was there.
    if (value === null) continue;
    draft[name] = name === 'tags' ? value : canonicalValue(name, value, groups);
  }
  return draft;
}

function canonicalValue(name: string, value: Json, groups: readonly string[]): Json {
  if (isJsonList(value)) return value.map((item) => (isJsonObject(item) ? canonical(item, groups) : item));
  if (isJsonObject(value))
    return isWholeResource(value) ? canonical({ id: value['id'] ?? '' }, groups) : canonical(value, groups);
  if (typeof value !== 'string') return value;
  if (value.startsWith('/subscriptions/')) return withGroup(value, groups);
  const lower = value.toLowerCase();
  return WORDS[name]?.find((word) => word.toLowerCase() === lower) ?? value;
}

function withGroup(id: string, groups: readonly string[]): string {
  const group = groups.find((candidate) => id.toLowerCase().startsWith(`${candidate.toLowerCase()}/`));
  return group === undefined ? id : `${group}${id.slice(group.length)}`;
}

function isWholeResource(value: JsonObject): boolean {
  return textOf(value['id']).startsWith('/subscriptions/') && value['properties'] !== undefined;
}
