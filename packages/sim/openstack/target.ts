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
  | { readonly service: 'network'; readonly kind: 'versions' };

export const IDENTITY_PATH = '/identity';
export const NETWORK_PATH = '/network';
const APPLICATION_CREDENTIALS = /^\/identity\/v3\/users\/[^/]+\/application_credentials$/;

/** The target of a path, or undefined where there is nothing. */
export function parseTarget(path: string): Target | undefined {
  if (path === `${NETWORK_PATH}/`) return { service: 'network', kind: 'versions' };
  if (path === `${IDENTITY_PATH}/` || path === `${IDENTITY_PATH}/v3`) return { service: 'identity', kind: 'versions' };
  if (path === `${IDENTITY_PATH}/v3/auth/tokens`) return { service: 'identity', kind: 'tokens' };
  if (APPLICATION_CREDENTIALS.test(path)) return { service: 'identity', kind: 'application_credentials' };
  const network = `${NETWORK_PATH}/v2.0/`;
  if (!path.startsWith(network)) return undefined;
  const [kind = '', id, action, item, ...more] = path.slice(network.length).split('/');
  if (kind === '' || more.length > 0) return undefined;
  return {
    service: 'network',
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

export function nameOf(target: Target): string {
  return 'id' in target && target.id !== undefined ? target.id : '';
}
