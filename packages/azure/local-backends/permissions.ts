import { clusterPermission, type Permission } from '@fairlead/part';
import { servicePermissions } from '@fairlead/service';

/** What the part needs in the cluster, and why. */
export const permissions: readonly Permission[] = [
  ...servicePermissions,
  clusterPermission,
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: ['list', 'watch'],
    scope: 'cluster',
    because: 'A backend pool has the nodes on which the Service has endpoints.',
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: ['list', 'watch'],
    scope: 'cluster',
    because: 'A node stands in a backend pool by its address.',
  },
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['get', 'create', 'patch'],
    scope: 'kube-system',
    because:
      'The Lease kube-system/aks-managed-resource-locker keeps others from changing the load balancers meanwhile.',
  },
];
