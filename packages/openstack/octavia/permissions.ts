import { clusterPermission, type Permission } from '@fairlead/part';
import { servicePermissions } from '@fairlead/service';
import { KURYR_GROUP } from './resource/types.ts';

const READ = ['get', 'list', 'watch'] as const;

export const octaviaPermissions: readonly Permission[] = [
  ...servicePermissions,
  clusterPermission,
  {
    group: KURYR_GROUP,
    resources: ['kuryrloadbalancers'],
    verbs: [...READ, 'create', 'patch', 'delete'],
    scope: 'cluster',
    because: 'What a Service asks of its load balancer, and what stands behind it, is kept in a resource of its own.',
  },
  {
    group: KURYR_GROUP,
    resources: ['kuryrloadbalancers/status'],
    verbs: ['patch'],
    scope: 'cluster',
    because: 'The status of the resource tells what exists in OpenStack.',
  },
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: READ,
    scope: 'cluster',
    because: 'Where load balancers send to pods, the slices tell which.',
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: READ,
    scope: 'cluster',
    because: 'Where load balancers send to node ports, the nodes are their members.',
  },
];
