import type { Permission } from '@fairlead/part';

/** What the part needs in the cluster, and why. */
export const permissions: readonly Permission[] = [
  {
    group: '',
    resources: ['services'],
    verbs: ['get', 'list', 'watch', 'patch'],
    scope: 'cluster',
    because: 'It reads Services, and records the load balancer and its finalizer on those of its class.',
  },
  {
    group: '',
    resources: ['services/status'],
    verbs: ['patch'],
    scope: 'cluster',
    because: 'It publishes the address in the status of the Service.',
  },
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
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    scope: 'cluster',
    because: 'The UID of kube-system marks what belongs to this cluster in Azure; Events about all of it are on that.',
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
