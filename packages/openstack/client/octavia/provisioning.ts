/** What Octavia is doing to a load balancer or one of its parts. */
export type Provisioning =
  | { readonly kind: 'active' }
  /** Octavia is still at a change: nothing of the load balancer can be written until it is done. */
  | { readonly kind: 'pending'; readonly change: 'create' | 'update' | 'delete' }
  /** A change failed. A load balancer can then only be deleted, or failed over. */
  | { readonly kind: 'error' }
  | { readonly kind: 'deleted' };

/** Reads a `provisioning_status`. A status of a newer Octavia is taken for a change that is under way. */
export function provisioningOf({ provisioning_status }: { readonly provisioning_status: string }): Provisioning {
  switch (provisioning_status) {
    case 'ACTIVE':
      return { kind: 'active' };
    case 'ERROR':
      return { kind: 'error' };
    case 'DELETED':
      return { kind: 'deleted' };
    case 'PENDING_CREATE':
      return { kind: 'pending', change: 'create' };
    case 'PENDING_DELETE':
      return { kind: 'pending', change: 'delete' };
    default:
      return { kind: 'pending', change: 'update' };
  }
}
