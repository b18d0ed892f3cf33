import { isJsonObject, type JsonDraft, type JsonObject, listOf, objectOf, textOf, valueAt } from '../../json.ts';
import { type ChildKind, rootKey } from '../requests/target.ts';
import { kindRules } from './kinds/index.ts';
import { DEFAULT_SECURITY_RULES, filledIn, filledInPart } from './filled-in.ts';
import { derivedOfPool } from './kinds/load-balancer.ts';
import type { PublicAddresses } from './public-addresses.ts';
import type { ResourceStore, StoredResource } from './store.ts';

/** Lists of parts that Azure gives ids, etags and states of their own. */
const PART_LISTS = [
  'frontendIPConfigurations',
  'backendAddressPools',
  'loadBalancingRules',
  'probes',
  'securityRules',
  'defaultSecurityRules',
  'subnets',
] as const;

export interface RenderContext {
  readonly store: ResourceStore;
  readonly addresses: PublicAddresses;
  /** On the monotonic clock. */
  readonly now: number;
}

/** A resource as Azure answers it. */
export function renderResource(resource: StoredResource, context: RenderContext): JsonObject {
  const { kind, id, name, etag, guid, state } = resource;
  const body = filledIn(kind, resource.body);
  const properties: JsonDraft = { ...objectOf(body['properties']) };
  if (kind === 'networkSecurityGroups') properties['defaultSecurityRules'] = DEFAULT_SECURITY_RULES;
  for (const list of PART_LISTS) {
    if (properties[list] === undefined) continue;
    properties[list] = listOf(properties[list])
      .filter(isJsonObject)
      .map((part) => renderPart(resource, list, part));
  }
  const address = isAllocated(resource, context) ? context.addresses.visible(rootKey(id), context.now) : undefined;
  return {
    ...body,
    name,
    id,
    etag,
    type: `Microsoft.Network/${kind}`,
    properties: {
      ...properties,
      ...(address === undefined ? {} : { ipAddress: address }),
      ...kindRules[kind].derived?.(resource, context.store),
      ...(kind === 'serviceGateways' ? {} : { resourceGuid: guid }),
      provisioningState: state,
    },
  };
}

/** A public address that is given out dynamically is given out only while something uses it. */
function isAllocated({ id, body }: StoredResource, { store }: RenderContext): boolean {
  return valueAt(body, 'properties', 'publicIPAllocationMethod') === 'Static' || store.usersOf(id).length > 0;
}

/** A child as Azure answers it by itself, or undefined when there is none of this name. */
export function renderChild(parent: StoredResource, kind: ChildKind, name: string): JsonObject | undefined {
  const part = childrenOf(parent, kind).find((child) => sameName(child, name));
  return part === undefined ? undefined : renderPart(parent, kind, part);
}

export function childrenOf(parent: StoredResource, kind: ChildKind): readonly JsonObject[] {
  return listOf(objectOf(parent.body['properties'])[kind]).filter(isJsonObject);
}

export function sameName(part: JsonObject, name: string): boolean {
  return textOf(part['name']).toLowerCase() === name.toLowerCase();
}

/** A part shares the etag of what it is in: a change to either makes both look changed. */
function renderPart(parent: StoredResource, list: (typeof PART_LISTS)[number], part: JsonObject): JsonObject {
  const name = textOf(part['name']);
  return {
    ...part,
    id: `${parent.id}/${list}/${name}`,
    etag: parent.etag,
    type: `Microsoft.Network/${parent.kind}/${list}`,
    properties: {
      ...filledInPart(list, objectOf(part['properties'])),
      ...(list === 'backendAddressPools' ? derivedOfPool(parent, name) : {}),
      provisioningState: parent.state,
    },
  };
}
