import { type JsonObject, objectOf, textOf, withValueAt } from '../../json.ts';
import { drawSpan } from '../../cloud/span.ts';
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
  const { id } = target;
  world.checkGroup(id);
  const existed = world.store.find(id) !== undefined;
  return write(world, request, target, requireBody(request), existed, () => world.render(world.existing(id)));
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
  return write(world, request, parent, body, existed, result);
}

export function deleteResource(world: ArmWorld, request: ArmRequest, target: RootTarget): Answer {
  const { kind, id } = target;
  world.checkGroup(id);
  const resource = world.store.find(id);
  if (resource === undefined) return nothing;
  checkFree(world, id);
  checkPrecondition(request, resource);
  checkUnused(world, kind, id);
  const change = {
    resourceId: id,
    finish: () => remove(world, resource),
    fail: () => world.store.setState(id, 'Failed'),
    result: () => undefined,
  };
  const milliseconds = timeFor(world, request);
  if (milliseconds === undefined) {
    change.finish();
    return { status: 200, headers: {}, body: undefined };
  }
  world.store.setState(id, 'Deleting');
  return accepted(world, request, startOperation(world, request, milliseconds, change));
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
  const { headers } = write(world, request, parent, body, true, () => ({}));
  return { status: Object.keys(headers).length === 0 ? 200 : 202, headers, body: undefined };
}

/** Tags are the one thing that is changed at once and by themselves; the new set replaces the old. */
export function patchTags(world: ArmWorld, request: ArmRequest, id: string): Answer {
  const { kind, name, body, state } = world.existing(id);
  checkFree(world, id);
  const tags = objectOf(requireBody(request)['tags']);
  return ok(world.render(world.store.put(kind, id, name, { ...body, tags }, state)));
}

function write(
  world: ArmWorld,
  request: ArmRequest,
  { kind, id, name }: RootTarget,
  given: JsonObject,
  existed: boolean,
  result: () => JsonObject,
): Answer {
  const before = world.store.find(id);
  const body = withoutReadOnly(kind, given);
  checkFree(world, id);
  checkPrecondition(request, before);
  checkLocation(id, body, before);
  if (kind === 'publicIPAddresses' && before === undefined) checkPublicIpLimit(world);
  checkReferences(world, id, body, before);
  kindRules[kind].check({ id, body, before }, world.store);
  const settled = kind === 'loadBalancers' ? withPrivateAddresses(world.store, id, body, before) : body;
  const milliseconds = timeFor(world, request);
  const unsettled = before === undefined ? 'Creating' : 'Updating';
  world.store.put(kind, id, name, settled, milliseconds === undefined ? 'Succeeded' : unsettled);
  if (kind === 'publicIPAddresses') assignAddress(world, id, body, milliseconds ?? 0);
  const provide = () => {
    if (before === undefined && kind === 'serviceGateways') provideDefaultOutbound(world, id);
  };
  const status = existed ? 200 : 201;
  if (milliseconds === undefined) {
    provide();
    return { status, headers: {}, body: result() };
  }
  const operation = startOperation(world, request, milliseconds, {
    resourceId: id,
    finish: () => {
      world.store.setState(id, 'Succeeded');
      provide();
    },
    fail: () => world.store.setState(id, 'Failed'),
    result,
  });
  const style = world.behaviour.operationStyle;
  const headers = links(world, request, operation, style);
  return { status: style === 'location' ? 202 : status, headers, body: result() };
}

function accepted(world: ArmWorld, request: ArmRequest, operation: ReturnType<typeof startOperation>): Answer {
  const style = world.behaviour.operationStyle === 'location' ? 'location' : 'both';
  return { status: 202, headers: links(world, request, operation, style), body: undefined };
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
