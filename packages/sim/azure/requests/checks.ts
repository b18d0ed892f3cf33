import { isJsonObject, type JsonObject, listOf, textOf, valueAt } from '../../json.ts';
import { kindRules } from '../resources/kinds/index.ts';
import { referencesIn } from '../resources/references.ts';
import type { StoredResource } from '../resources/store.ts';
import type { ArmWorld } from '../world.ts';
import type { ArmRequest } from './exchange.ts';
import {
  busy,
  failedReference,
  invalid,
  invalidReference,
  notProvisioned,
  preconditionFailed,
  Refusal,
} from './refusal.ts';
import { lastSegment, type RootKind, rootKey } from './target.ts';

/** Throws while an operation is under way on the resource. */
export function checkFree(world: ArmWorld, id: string): void {
  if (world.operations.isBusy(rootKey(id))) throw busy(id);
}

/** If-Match and If-None-Match. */
export function checkPrecondition({ headers }: ArmRequest, before: StoredResource | undefined): void {
  const match = headers['if-match'];
  const matches = match === undefined || (match === '*' ? before !== undefined : before?.etag === match);
  const absent = headers['if-none-match'] !== '*' || before === undefined;
  if (matches && absent) return;
  throw preconditionFailed();
}

export function checkLocation(id: string, body: JsonObject, before: StoredResource | undefined): void {
  const location = body['location'];
  if (typeof location !== 'string') throw invalid('LocationRequired', `The location property is required for ${id}.`);
  const previous = before?.body['location'];
  if (previous === undefined || textOf(previous).toLowerCase() === location.toLowerCase()) return;
  throw new Refusal(409, 'InvalidResourceLocation', `${id} already exists in location ${textOf(previous)}.`);
}

export function checkPublicIpLimit(world: ArmWorld): void {
  if (world.store.count('publicIPAddresses') < world.behaviour.publicIpLimit) return;
  throw invalid('PublicIPCountLimitReached', `Cannot create more than ${world.behaviour.publicIpLimit} public IPs.`);
}

/** What the body newly refers to must be there and have succeeded, and no operation may be under way on it. */
export function checkReferences(
  world: ArmWorld,
  id: string,
  body: JsonObject,
  before: StoredResource | undefined,
): void {
  const old = new Set(before === undefined ? [] : referencesIn(id, before.body).map(({ to }) => to));
  for (const { to } of referencesIn(id, body)) {
    if (old.has(to)) continue;
    const target = world.store.find(to);
    if (target === undefined || !hasPart(target, to)) throw invalidReference(to);
    if (world.operations.isBusy(rootKey(to))) throw notProvisioned(to, target.state);
    if (target.state === 'Failed') throw failedReference(to);
  }
}

/** Throws while anything else refers to the resource. */
export function checkUnused(world: ArmWorld, kind: RootKind, id: string): void {
  const own = rootKey(id);
  const tables = kind === 'serviceGateways' ? world.tables(id) : undefined;
  const provided = [...(tables?.services.values() ?? [])].filter(({ owner }) => owner === 'azure');
  const ours = new Set(provided.map(({ natGatewayId }) => rootKey(natGatewayId ?? '')));
  const user = world.store.usersOf(id).find(({ from }) => rootKey(from) !== own && !ours.has(rootKey(from)));
  if (user !== undefined) {
    throw invalid(kindRules[kind].inUseCode, `${id} can not be deleted since it is still used by ${user.from}.`);
  }
  if (tables !== undefined && tables.services.size > provided.length) {
    throw invalid(kindRules[kind].inUseCode, `${id} can not be deleted since it still has services.`);
  }
}

/** Whether an id leads to the resource itself or to a part that it has. */
function hasPart(resource: StoredResource, id: string): boolean {
  if (rootKey(id) === id) return true;
  const list = id.split('/')[9] ?? '';
  const properties = valueAt(resource.body, 'properties');
  if (!isJsonObject(properties)) return false;
  const parts = Object.entries(properties).find(([name]) => name.toLowerCase() === list)?.[1];
  return listOf(parts).some((part) => textOf(valueAt(part, 'name')).toLowerCase() === lastSegment(id));
}
