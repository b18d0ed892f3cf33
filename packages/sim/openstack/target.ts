/** What a path leads to. */
export type Target =
  | { readonly service: 'identity'; readonly kind: 'tokens' | 'versions' | 'application_credentials' }
  | {
      readonly service: 'network';
      /** As the path has it: `floatingips`. */
      readonly kind: string;
      /** Absent for the whole collection. */
      readonly id?: string;
      /** What follows the id: `tags`, `add_router_interface`. */
      readonly action?: string;
      /** What follows that: a tag. */
      readonly item?: string;
    }
  | {
      readonly service: 'load-balancer';
      /** As the path has it: `loadbalancers`. */
      readonly kind: string;
      readonly id?: string;
      /** What follows the id: `members`, `status`. */
      readonly action?: string;
      /** What follows that: the id of a member. */
      readonly item?: string;
    }
  | { readonly service: 'network' | 'load-balancer'; readonly kind: 'versions' };

export const IDENTITY_PATH = '/identity';
export const NETWORK_PATH = '/network';
export const LOAD_BALANCER_PATH = '/load-balancer';
const LOAD_BALANCER_ROOT = /^\/load-balancer\/v2(?:\.0)?\/(?:lbaas|octavia)\//;
const APPLICATION_CREDENTIALS = /^\/identity\/v3\/users\/[^/]+\/application_credentials$/;

/** The target of a path, or undefined where there is nothing. */
export function parseTarget(path: string): Target | undefined {
  if (isRoot(path, NETWORK_PATH)) return { service: 'network', kind: 'versions' };
  if (isRoot(path, LOAD_BALANCER_PATH)) return { service: 'load-balancer', kind: 'versions' };
  if (path === `${IDENTITY_PATH}/` || path === `${IDENTITY_PATH}/v3`) return { service: 'identity', kind: 'versions' };
  if (path === `${IDENTITY_PATH}/v3/auth/tokens`) return { service: 'identity', kind: 'tokens' };
  if (APPLICATION_CREDENTIALS.test(path)) return { service: 'identity', kind: 'application_credentials' };
  const network = `${NETWORK_PATH}/v2.0/`;
  if (path.startsWith(network)) return resourceAt('network', path.slice(network.length));
  const [root] = LOAD_BALANCER_ROOT.exec(path) ?? [];
  return root === undefined ? undefined : resourceAt('load-balancer', path.slice(root.length));
}

/** The catalog has addresses without a slash at their end. */
function isRoot(path: string, root: string): boolean {
  return path === root || path === `${root}/`;
}

function resourceAt(service: 'network' | 'load-balancer', path: string): Target | undefined {
  const [kind = '', id, action, item, ...more] = path.split('/');
  if (kind === '' || more.length > 0) return undefined;
  return {
    service,
    kind,
    ...(id === undefined || id === '' ? {} : { id }),
    ...(action === undefined ? {} : { action }),
    ...(item === undefined ? {} : { item }),
  };
}

/** What the log and faults call it: tags are a kind of their own. */
export function kindOf(target: Target): string {
  return 'action' in target && target.action !== undefined ? target.action : target.kind;
}

/** The id of what a call is about; empty for a list. */
export function nameOf(target: Target): string {
  if (!('id' in target) || target.id === undefined) return '';
  return target.action === 'members' ? (target.item ?? target.id) : target.id;
}

/** Whether a path is that of a whole collection. */
export function isCollection(target: Target): boolean {
  if (target.kind === 'versions') return false;
  if (!('id' in target) || target.id === undefined) return true;
  return target.action === 'members' && target.item === undefined;
}
