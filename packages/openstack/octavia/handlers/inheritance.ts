import { parseIpAddress } from '@fairlead/control';
import { hasFinalizer, keyText, type Service } from '@fairlead/kube';
import { CLOUD_PROVIDER_FINALIZER, shownAddresses } from '@fairlead/service';
import { type Adoption, adoptedNames, adoptedSubnet } from '../balancer/adoption.ts';
import type { DesiredBalancer } from '../balancer/desired.ts';
import type { Site } from '../drivers/site.ts';
import { KURYR_SERVICE_FINALIZER } from '../resource/types.ts';

/** Where the address of a Service is shown as a host name, as cloud-provider-openstack does with the PROXY protocol. */
export const ADDRESS_AS_HOST_NAME = /^(\d+\.\d+\.\d+\.\d+)\./;

/**
 * Whether Kuryr or cloud-provider-openstack served it before. A tenant can write their finalizers, and so take a load
 * balancer of the same name from another cluster of the project; the address that they gave it, a tenant cannot.
 */
export function isInherited(service: Service, { adoptedClusterName, serviceSubnet }: Site): boolean {
  const { loadBalancerClass, type } = service.spec;
  const isShown = (service.status?.loadBalancer?.ingress ?? []).length > 0;
  if (type === 'LoadBalancer' && !isShown) return false;
  // A ClusterIP a tenant can choose: it tells nothing without the subnet that it is in.
  if (type !== 'LoadBalancer' && serviceSubnet === undefined) return false;
  const predecessors = [KURYR_SERVICE_FINALIZER, CLOUD_PROVIDER_FINALIZER];
  const isHeld = predecessors.some((finalizer) => hasFinalizer(service, finalizer));
  return adoptedClusterName !== undefined && loadBalancerClass === undefined && isHeld;
}

/** The addresses of the load balancer that it was given. */
export function inheritedAddresses(service: Service): readonly string[] {
  const { type, clusterIP } = service.spec;
  if (type !== 'LoadBalancer') return clusterIP === undefined ? [] : [clusterIP];
  const named = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ hostname = '' }) => {
    return parseIpAddress(ADDRESS_AS_HOST_NAME.exec(hostname)?.[1] ?? '')?.address ?? [];
  });
  return [...shownAddresses(service), ...named];
}

/** What it may take over; `servedById` is what its resource tells, where it has one. */
export function adoptionFor(service: Service, site: Site, servedById?: string): Adoption | undefined {
  if (!isInherited(service, site)) return undefined;
  const { metadata } = service;
  return {
    owner: { cluster: site.cluster, uid: metadata.uid ?? '', name: keyText(metadata) },
    adoptedNames: adoptedNames(metadata, site),
    adoptedAddresses: inheritedAddresses(service),
    adoptedSubnetId: adoptedSubnet(service.spec.type, site),
    servedById,
  };
}

/** A tenant can write into a resource what it adopts, and where that is: what the Service itself shows decides. */
export function heldToShown(desired: DesiredBalancer, service: Service | undefined, site: Site): DesiredBalancer {
  if (desired.adoptedNames.length === 0) return desired;
  const nothing = { adoptedNames: [], adoptedAddresses: [] };
  return { ...desired, ...((service && adoptionFor(service, site, desired.servedById)) ?? nothing) };
}
