import type { Permission } from '@fairlead/part';

/** What the part needs in the cluster, and why. */
export const permissions: readonly Permission[] = [
  {
    group: '',
    resources: ['services'],
    verbs: ['get', 'list', 'watch', 'patch'],
    scope: 'cluster',
    because: 'It reads Services, and puts its finalizers on those of its class.',
  },
  {
    group: '',
    resources: ['services/status'],
    verbs: ['patch'],
    scope: 'cluster',
    because: 'It publishes the public address in the status of the Service.',
  },
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
  {
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    scope: 'cluster',
    because: 'The UID of kube-system marks what belongs to this cluster in Azure; Events about all of it are on that.',
  },
];
