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
    because: 'It tells Azure where the endpoints of Services are.',
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: ['list', 'watch'],
    scope: 'cluster',
    because: 'An address is known to Azure by the node that it is on.',
  },
  {
    group: '',
    resources: ['pods'],
    verbs: ['get', 'list', 'watch', 'patch'],
    scope: 'cluster',
    because:
      'It reads pods that choose an egress gateway, or did, and holds them until their addresses have left Azure.',
  },
];
