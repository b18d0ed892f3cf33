import type { KubeObject, Resource } from '@fairlead/kube';

/** A KuryrLoadBalancer as its users see it. */
interface LoadBalancerResource extends KubeObject {
  readonly spec?: {
    readonly subnet_id?: string;
    readonly ip?: string;
    readonly ports?: readonly unknown[];
    readonly subsets?: readonly unknown[];
    readonly endpointSlices?: readonly unknown[];
    readonly vip?: { readonly load_balancer_id?: string };
  };
  readonly status?: { readonly members?: readonly unknown[] };
}

export const resources: Resource<LoadBalancerResource> = {
  group: 'openstack.org',
  version: 'v1',
  plural: 'kuryrloadbalancers',
  kind: 'KuryrLoadBalancer',
  namespaced: true,
};
