import { equalJson, type JsonObject, listOf, objectOf, textOf, valueAt, withValueAt } from '../../json.ts';
import { drawSpan } from '../../cloud/span.ts';
import { canonical } from '../resources/canonical.ts';
import { kindRules } from '../resources/kinds/index.ts';
import { checkPoolUnused } from '../resources/kinds/load-balancer.ts';
import { familyOf } from '../resources/kinds/public-ip-address.ts';
import { checkSubnetUnused } from '../resources/kinds/virtual-network.ts';
import { withPrivateAddresses } from '../resources/private-addresses.ts';
import { withoutReadOnly } from '../resources/read-only.ts';
import { childrenOf, renderChild, sameName } from '../resources/render.ts';
import type { StoredResource } from '../resources/store.ts';
import { provideDefaultOutbound, removeDefaultOutbound } from '../service-gateway/default-outbound.ts';
import type { ArmWorld } from '../world.ts';
import {
  checkFree,
  checkLocation,
  checkPrecondition,
  checkPublicIpLimit,
  checkReferences,
  checkUnused,
} from './checks.ts';
import { type Answer, type ArmRequest, nothing, ok, requireBody } from './exchange.ts';
import { links, startOperation, timeFor } from './long-running.ts';
import type { Operation } from './operations.ts';
import { Refusal } from './refusal.ts';
import { type ChildKind, type RootKind, rootKey } from './target.ts';

interface RootTarget {
  readonly kind: RootKind;
  readonly id: string;
  readonly name: string;
}

interface ChildTarget {
  readonly kind: ChildKind;
  readonly id: string;
  readonly name: string;
  readonly parentId: string;
}

export function putResource(world: ArmWorld, request: ArmRequest, target: RootTarget): Answer {
  const { id, kind } = target;
  world.checkGroup(id);
  // A network is told as created each time it is written.
  const isNew = world.store.find(id) === undefined || kind === 'virtualNetworks';
  const result = () => world.render(world.existing(id));
  return answerToPut(world, request, isNew, write(world, request, target, requireBody(request), result), result);
}

/** A child is a part of its parent's body: writing one writes the parent, under the parent's lock and etag. */
export function putChild(world: ArmWorld, request: ArmRequest, target: ChildTarget): Answer {
  const { parentId, kind, name } = target;
  world.checkGroup(parentId);
  const parent = world.store.find(parentId);
  if (parent === undefined) {
    throw new Refusal(404, 'ParentResourceNotFound', `The parent of ${target.id} was not found.`);
  }
  const children = childrenOf(parent, kind);
  const existed = children.some((child) => sameName(child, name));
  const written = { ...requireBody(request), name };
  const changed = existed
    ? children.map((child) => (sameName(child, name) ? { ...written, name: textOf(child['name']) } : child))
    : [...children, written];
  const body = withValueAt(parent.body, ['properties', kind], changed);
  const result = () => renderChild(world.existing(parentId), kind, name) ?? {};
  return answerToPut(world, request, !existed, write(world, request, parent, body, result), result);
}

export function deleteResource(world: ArmWorld, request: ArmRequest, target: RootTarget): Answer {
  const { kind, id } = target;
  world.checkGroup(id);
  const resource = world.store.find(id);
  if (resource === undefined) return nothing;
  checkFree(world, id);
  checkPrecondition(request, resource);
  checkUnused(world, kind, id);
  if (request.instant !== true) kindRules[kind].checkDeletion?.(resource);
  const change = {
    resourceId: id,
    finish: () => remove(world, resource),
    fail: () => world.store.setState(id, 'Failed'),
    result: () => undefined,
  };
  const milliseconds = timeFor(world, request);
  if (milliseconds === undefined) {
    change.finish();
    return answerToDelete(world, request, undefined);
  }
  world.store.setState(id, 'Deleting');
  return answerToDelete(world, request, startOperation(world, request, milliseconds, change));
}

export function deleteChild(world: ArmWorld, request: ArmRequest, target: ChildTarget): Answer {
  const { parentId, kind, name, id } = target;
  world.checkGroup(parentId);
  const parent = world.store.find(parentId);
  if (parent === undefined || renderChild(parent, kind, name) === undefined) return nothing;
  if (kind === 'subnets') checkSubnetUnused(id, world.store);
  else checkPoolUnused(id, world.store);
  const children = childrenOf(parent, kind).filter((child) => !sameName(child, name));
  const body = withValueAt(parent.body, ['properties', kind], children);
  return answerToDelete(
    world,
    request,
    write(world, request, parent, body, () => undefined),
  );
}

/** Tags are the one thing that is changed at once and by themselves; the new set replaces the old. */
export function patchTags(world: ArmWorld, request: ArmRequest, id: string): Answer {
  const { kind, name, body, state } = world.existing(id);
  checkFree(world, id);
  const tags = objectOf(requireBody(request)['tags']);
  return ok(world.render(world.store.put(kind, id, name, { ...body, tags }, state)));
}

/** Takes the body in. Gives the operation by which it takes effect; none where Azure answers when it is done. */
function write(
  world: ArmWorld,
  request: ArmRequest,
  { kind, id, name }: RootTarget,
  given: JsonObject,
  result: () => JsonObject | undefined,
): Operation | undefined {
  const before = world.store.find(id);
  const body = canonical(withoutReadOnly(kind, given), world.groups);
  checkFree(world, id);
  checkPrecondition(request, before);
  checkLocation(id, body, before);
  if (kind === 'publicIPAddresses' && before === undefined) checkPublicIpLimit(world);
  checkReferences(world, id, body, before);
  kindRules[kind].check({ id, body, before }, world.store);
  const settled = kind === 'loadBalancers' ? withPrivateAddresses(world.store, id, body, before) : body;
  if (isOverwriting(request, before, settled)) world.overwrites.push(`${request.method} ${request.path}`);
  const milliseconds = timeFor(world, request);
  const isQuick = request.failure === undefined && (isUnchanged(before, settled) || isBareLoadBalancer(kind, settled));
  const isDone = milliseconds === undefined || isQuick;
  world.store.put(kind, id, name, settled, isDone ? 'Succeeded' : 'Updating');
  if (kind === 'publicIPAddresses') assignAddress(world, id, body, isDone ? 0 : milliseconds);
  const provide = () => {
    if (before === undefined && kind === 'serviceGateways') provideDefaultOutbound(world, id);
  };
  if (isDone) provide();
  if (milliseconds === undefined) return undefined;
  return startOperation(world, request, isDone ? 0 : milliseconds, {
    resourceId: id,
    finish: () => {
      if (isDone) return;
      world.store.setState(id, 'Succeeded');
      provide();
    },
    fail: () => world.store.setState(id, 'Failed'),
    result,
  });
}

/** The answer to a PUT. */
function answerToPut(
  world: ArmWorld,
  request: ArmRequest,
  isNew: boolean,
  operation: Operation | undefined,
  result: () => JsonObject,
): Answer {
  const status = isNew ? 201 : 200;
  if (operation === undefined) return { status, headers: {}, body: result() };
  const style = world.behaviour.operationStyle;
  const headers = links(world, request, operation, style);
  return { status: style === 'location' ? 202 : status, headers, body: result() };
}

/** The answer to a DELETE. */
function answerToDelete(world: ArmWorld, request: ArmRequest, operation: Operation | undefined): Answer {
  if (operation === undefined) return { status: 200, headers: {}, body: undefined };
  const style = world.behaviour.operationStyle === 'location' ? 'location' : 'both';
  return { status: 202, headers: links(world, request, operation, style), body: undefined };
}

function isUnchanged(before: StoredResource | undefined, body: JsonObject): boolean {
  return before?.state === 'Succeeded' && equalJson(before.body, body);
}

/** A repeat of what is there changes nothing, and needs no condition. */
function isOverwriting(
  { headers, instant }: ArmRequest,
  before: StoredResource | undefined,
  body: JsonObject,
): boolean {
  if (before === undefined || instant === true || headers['if-match'] !== undefined) return false;
  return !equalJson(before.body, body);
}

/** Without a pool there is nothing to be programmed. */
function isBareLoadBalancer(kind: RootKind, body: JsonObject): boolean {
  return kind === 'loadBalancers' && listOf(valueAt(body, 'properties', 'backendAddressPools')).length === 0;
}

function remove(world: ArmWorld, { kind, id }: StoredResource): void {
  if (kind === 'serviceGateways') removeDefaultOutbound(world, id);
  world.addresses.release(rootKey(id));
  world.store.delete(id);
}

function assignAddress(world: ArmWorld, id: string, body: JsonObject, milliseconds: number): void {
  const delay = drawSpan(world.behaviour.addressDelay, world.random);
  world.addresses.assign(rootKey(id), familyOf(body), world.clock.monotonic() + milliseconds + delay);
}
