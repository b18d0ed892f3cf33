import type { KubeObject, Resource } from '@fairlead/kube';

export interface NamedPort {
  readonly name?: string;
  readonly protocol: string;
  readonly port: number;
}

/** A KuryrLoadBalancer as its users see it. */
export interface LoadBalancerResource extends KubeObject {
  readonly spec?: {
    readonly subnet_id?: string;
    readonly ip?: string;
    readonly ports?: readonly NamedPort[];
    readonly subsets?: readonly unknown[];
    readonly endpointSlices?: readonly {
      readonly endpoints: readonly unknown[];
      readonly ports: readonly NamedPort[];
    }[];
    readonly vip?: { readonly load_balancer_id?: string };
  };
  readonly status?: {
    readonly loadbalancer?: { readonly id?: string; readonly port_id?: string } | null;
    readonly members?: readonly unknown[];
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

export const resources: Resource<LoadBalancerResource> = {
  group: 'openstack.org',
  version: 'v1',
  plural: 'kuryrloadbalancers',
  kind: 'KuryrLoadBalancer',
  namespaced: true,
};
