import { FairleadError } from '@fairlead/control';

/** The kinds of Azure resources Fairlead knows, and the path of each below `providers/Microsoft.Network`. */
const PATHS = {
  serviceGateways: ['serviceGateways'],
  publicIPAddresses: ['publicIPAddresses'],
  natGateways: ['natGateways'],
  networkSecurityGroups: ['networkSecurityGroups'],
  virtualNetworks: ['virtualNetworks'],
  subnets: ['virtualNetworks', 'subnets'],
  loadBalancers: ['loadBalancers'],
  frontendIPConfigurations: ['loadBalancers', 'frontendIPConfigurations'],
  backendAddressPools: ['loadBalancers', 'backendAddressPools'],
  probes: ['loadBalancers', 'probes'],
  loadBalancingRules: ['loadBalancers', 'loadBalancingRules'],
} as const;

export type ArmKind = keyof typeof PATHS;

/** Kinds that live in a resource group, not in another resource. */
export type RootArmKind = {
  [Kind in ArmKind]: (typeof PATHS)[Kind] extends readonly [string] ? Kind : never;
}[ArmKind];

/** Kinds that live in a resource of this kind. */
export type ChildArmKind<Parent extends RootArmKind> = {
  [Kind in ArmKind]: (typeof PATHS)[Kind] extends readonly [Parent, string] ? Kind : never;
}[ArmKind];

/**
 * The path that names one resource of a kind. Azure changes its case at will: compare with `sameArmId`, and make keys
 * of maps with `armIdKey`.
 */
export type ArmId<Kind extends ArmKind = ArmKind> = string & { readonly brand: Kind };

export interface ResourceGroup {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
}

export interface ParsedArmId extends ResourceGroup {
  readonly kind: ArmKind;
  readonly name: string;
  /** The resource it lives in, for a child. */
  readonly parentName?: string;
}

const SEGMENT = '([^/?#]+)';
const ROOT = `^/subscriptions/${SEGMENT}/resourceGroups/${SEGMENT}/providers/Microsoft\\.Network`;
const PATTERN = new RegExp(`${ROOT}/${SEGMENT}/${SEGMENT}(?:/${SEGMENT}/${SEGMENT})?$`, 'i');

/** The id of a resource in a group. */
export function armId<Kind extends RootArmKind>(kind: Kind, group: ResourceGroup, name: string): ArmId<Kind> {
  return requireArmId(kind, `${groupPath(group)}/providers/Microsoft.Network/${kind}/${name}`);
}

/** The id of something inside a resource, such as a backend pool of a load balancer. */
export function childArmId<Parent extends RootArmKind, Kind extends ChildArmKind<Parent>>(
  kind: Kind,
  parent: ArmId<Parent>,
  name: string,
): ArmId<Kind> {
  return requireArmId(kind, `${parent}/${kind}/${name}`);
}

/** The parts of an id, or undefined when the text is none, or of a kind that is not known here. */
export function parseArmId(text: string): ParsedArmId | undefined {
  const found = PATTERN.exec(text);
  if (found === null) return undefined;
  const [, subscriptionId = '', resourceGroup = '', rootKind = '', rootName = '', childKind, childName] = found;
  const kind = kindAt(rootKind, childKind);
  if (kind === undefined) return undefined;
  const group = { subscriptionId, resourceGroup, kind };
  return childName === undefined ? { ...group, name: rootName } : { ...group, name: childName, parentName: rootName };
}

export function isArmId<Kind extends ArmKind>(kind: Kind, text: string): text is ArmId<Kind> {
  return PATTERNS.get(kind)?.test(text) === true;
}

/** The text as an id of this kind; throws a terminal error that shows what one looks like. */
export function requireArmId<Kind extends ArmKind>(kind: Kind, text: string): ArmId<Kind> {
  if (isArmId(kind, text)) return text;
  const example = PATHS[kind].map((segment) => `${segment}/NAME`).join('/');
  throw new FairleadError(
    `"${text}" is not the id of one of the ${kind}: it looks like ` +
      `/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.Network/${example}`,
    { verdict: 'terminal', code: 'invalid-resource-id' },
  );
}

const NAME = /^\w([-\w.]{0,78}\w)?$/;

/** Whether something in Azure's network can be called so: text of users that is none never becomes part of an id. */
export function isResourceName(text: string): boolean {
  return NAME.test(text);
}

/** What an id is called in its group or parent. */
export function armName(id: ArmId): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Equal for two spellings of one id. */
export function armIdKey(id: string): string {
  return id.toLowerCase();
}

export function sameArmId(left: string, right: string): boolean {
  return armIdKey(left) === armIdKey(right);
}

/** The path of a group, as ids and lists begin with it. */
export function groupPath({ subscriptionId, resourceGroup }: ResourceGroup): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}`;
}

function kindAt(rootKind: string, childKind: string | undefined): ArmKind | undefined {
  return KINDS_BY_PATH.get([rootKind, ...(childKind === undefined ? [] : [childKind])].join('/').toLowerCase());
}

/** An id of the kind, as a whole: testing one is cheaper than taking it apart. */
const PATTERNS: ReadonlyMap<ArmKind, RegExp> = new Map(
  objectEntries(PATHS).map(([kind, path]) => [
    kind,
    new RegExp(`${ROOT}${path.map((segment) => `/${segment}/${SEGMENT}`).join('')}$`, 'i'),
  ]),
);

const KINDS_BY_PATH: ReadonlyMap<string, ArmKind> = new Map(
  objectEntries(PATHS).map(([kind, path]) => [path.join('/').toLowerCase(), kind]),
);

function objectEntries<Key extends string, Value>(object: Readonly<Record<Key, Value>>): [Key, Value][] {
  return Object.keys(object).flatMap((key) => (hasKey(object, key) ? [[key, object[key]]] : []));
}

function hasKey<Key extends string>(object: Readonly<Record<Key, unknown>>, key: string): key is Key {
  return Object.hasOwn(object, key);
}
