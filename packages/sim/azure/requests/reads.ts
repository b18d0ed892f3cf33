import { type JsonObject, textOf } from '../../json.ts';
import { childrenOf, renderChild } from '../resources/render.ts';
import type { ArmWorld } from '../world.ts';
import { type Answer, type ArmRequest, ok } from './exchange.ts';
import { childNotFound } from './refusal.ts';
import { type ChildKind, type GatewayTable, type RootKind, rootKey } from './target.ts';

/** What a page goes on after; a resource that appears meanwhile may be missed, one that stays is listed once. */
const SKIP = '$skiptoken';

export function getChild(world: ArmWorld, kind: ChildKind, parentId: string, name: string): Answer {
  const child = renderChild(world.existing(parentId), kind, name);
  if (child === undefined) throw childNotFound(`${parentId}/${kind}/${name}`);
  return withEtag(child);
}

export function getResource(world: ArmWorld, id: string): Answer {
  return withEtag(world.render(world.existing(id)));
}

function withEtag(body: JsonObject): Answer {
  return { status: 200, headers: { etag: textOf(body['etag']) }, body };
}

export function listResources(world: ArmWorld, request: ArmRequest, kind: RootKind, scope: string): Answer {
  if (/\/resourcegroups\//i.test(scope)) world.checkGroup(scope);
  const entries = world.store.ofKind(kind, scope).map((resource) => [rootKey(resource.id), resource] as const);
  return page(world, request, entries, (resource) => world.render(resource));
}

export function listChildren(world: ArmWorld, request: ArmRequest, kind: ChildKind, parentId: string): Answer {
  const parent = world.existing(parentId);
  const names = childrenOf(parent, kind).map((child) => textOf(child['name']));
  const entries = names.map((name) => [name.toLowerCase(), name] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return page(world, request, entries, (name) => renderChild(parent, kind, name) ?? {});
}

export function listTable(world: ArmWorld, request: ArmRequest, table: GatewayTable, gatewayId: string): Answer {
  world.existing(gatewayId);
  const tables = world.tables(gatewayId);
  const entries = table === 'services' ? tables.listServices() : tables.listLocations();
  return page(world, request, entries, (entry) => entry);
}

/** One page of what is sorted by key, with a link to the next. */
function page<Entry>(
  { behaviour: { pageSize } }: ArmWorld,
  { query, origin, path }: ArmRequest,
  entries: readonly (readonly [string, Entry])[],
  render: (entry: Entry) => JsonObject,
): Answer {
  const after = query.get(SKIP) ?? '';
  const rest = after === '' ? entries : entries.filter(([key]) => key > after);
  const shown = rest.slice(0, pageSize);
  const value = shown.map(([, entry]) => render(entry));
  const last = shown.at(-1)?.[0];
  if (rest.length <= pageSize || last === undefined) return ok({ value });
  const next = new URLSearchParams(query);
  next.set(SKIP, last);
  return ok({ value, nextLink: `${origin}${path}?${next.toString()}` });
}
