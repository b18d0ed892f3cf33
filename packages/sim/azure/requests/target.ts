/** Kinds that live in a resource group. */
export const ROOT_KINDS = [
  'serviceGateways',
  'publicIPAddresses',
  'loadBalancers',
  'natGateways',
  'networkSecurityGroups',
  'virtualNetworks',
] as const;
export type RootKind = (typeof ROOT_KINDS)[number];

/** Kinds that live in a load balancer or a virtual network, in the list of this name among its properties. */
export type ChildKind = 'backendAddressPools' | 'subnets';

export type GatewayAction = 'updateServices' | 'updateAddressLocations';
export type GatewayTable = 'services' | 'addressLocations';

/** What a request is about. Ids are spelled as in the request. */
export type Target =
  | { readonly type: 'resource'; readonly kind: RootKind; readonly id: string; readonly name: string }
  | {
      readonly type: 'child';
      readonly kind: ChildKind;
      readonly id: string;
      readonly name: string;
      readonly parentId: string;
    }
  /** `scope` is what all members' ids begin with. */
  | { readonly type: 'resources'; readonly kind: RootKind; readonly scope: string }
  | { readonly type: 'children'; readonly kind: ChildKind; readonly parentId: string }
  | { readonly type: 'action'; readonly action: GatewayAction; readonly gatewayId: string }
  | { readonly type: 'table'; readonly table: GatewayTable; readonly gatewayId: string }
  | { readonly type: 'operation'; readonly operationId: string; readonly answer: 'status' | 'result' };

const GROUP = /^(\/subscriptions\/[^/]+\/resourceGroups\/[^/]+)\/providers\/Microsoft\.Network\/(.+)$/i;
const SUBSCRIPTION = /^(\/subscriptions\/[^/]+)\/providers\/Microsoft\.Network\/(.+)$/i;
const OPERATION = /^locations\/[^/]+\/(operations|operationResults)\/([^/]+)$/i;

/** What the path is about, or undefined when it is nothing that is emulated. */
export function parseTarget(path: string): Target | undefined {
  const inGroup = GROUP.exec(path);
  const found = inGroup ?? SUBSCRIPTION.exec(path);
  if (found === null) return undefined;
  const [, scope = '', rest = ''] = found;
  if (inGroup === null) {
    const operation = OPERATION.exec(rest);
    if (operation !== null) {
      const [, kind = '', operationId = ''] = operation;
      return { type: 'operation', operationId, answer: kind.toLowerCase() === 'operations' ? 'status' : 'result' };
    }
  }
  const [kindText = '', name, below, childName, ...tooMuch] = rest.split('/');
  const kind = rootKind(kindText);
  if (kind === undefined || tooMuch.length > 0) return undefined;
  if (name === undefined) return { type: 'resources', kind, scope };
  if (inGroup === null || name === '') return undefined;
  const id = `${scope}/providers/Microsoft.Network/${kind}/${name}`;
  if (below === undefined) return { type: 'resource', kind, id, name };
  return targetBelow(kind, id, below, childName);
}

function targetBelow(kind: RootKind, id: string, below: string, childName: string | undefined): Target | undefined {
  const child = childKind(kind, below);
  if (child !== undefined) {
    if (childName === undefined) return { type: 'children', kind: child, parentId: id };
    return { type: 'child', kind: child, id: `${id}/${child}/${childName}`, name: childName, parentId: id };
  }
  if (kind !== 'serviceGateways' || childName !== undefined) return undefined;
  switch (below.toLowerCase()) {
    case 'updateservices':
      return { type: 'action', action: 'updateServices', gatewayId: id };
    case 'updateaddresslocations':
      return { type: 'action', action: 'updateAddressLocations', gatewayId: id };
    case 'services':
      return { type: 'table', table: 'services', gatewayId: id };
    case 'addresslocations':
      return { type: 'table', table: 'addressLocations', gatewayId: id };
    default:
      return undefined;
  }
}

/** The kind as it is counted and logged. */
export function kindOf(target: Target): string {
  switch (target.type) {
    case 'resource':
    case 'child':
    case 'resources':
    case 'children':
      return target.kind;
    case 'action':
      return target.action;
    case 'table':
      return target.table;
    case 'operation':
      return 'operations';
  }
}

/** The name as it is logged: with the parent's where there is one, empty for a list. */
export function nameOf(target: Target): string {
  switch (target.type) {
    case 'resource':
      return target.name;
    case 'child':
      return `${lastSegment(target.parentId)}/${target.name}`;
    case 'resources':
      return '';
    case 'children':
      return lastSegment(target.parentId);
    case 'action':
    case 'table':
      return lastSegment(target.gatewayId);
    case 'operation':
      return '';
  }
}

export function lastSegment(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** `/subscriptions/…/resourceGroups/…/providers/…/kind/name`, and what comes before the first slash. */
const ROOT_SEGMENTS = 9;

/** The id of the resource in the group that this id is, or is a part of; equal for all spellings. */
export function rootKey(id: string): string {
  let end = -1;
  for (let segment = 0; segment < ROOT_SEGMENTS; segment += 1) {
    end = id.indexOf('/', end + 1);
    if (end === -1) return id.toLowerCase();
  }
  return id.slice(0, end).toLowerCase();
}

function rootKind(text: string): RootKind | undefined {
  const lower = text.toLowerCase();
  return ROOT_KINDS.find((kind) => kind.toLowerCase() === lower);
}

function childKind(parent: RootKind, text: string): ChildKind | undefined {
  const lower = text.toLowerCase();
  if (parent === 'loadBalancers' && lower === 'backendaddresspools') return 'backendAddressPools';
  if (parent === 'virtualNetworks' && lower === 'subnets') return 'subnets';
  return undefined;
}
