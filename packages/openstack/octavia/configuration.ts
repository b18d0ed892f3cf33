import { z } from 'zod';
import { cloudSection } from '../ports/section.ts';
import { ANNOTATION_NAMES } from './handlers/annotations.ts';

const reference = z.string().min(1);

const placementClass = z.strictObject({
  network: reference.optional().describe('Of the VIP, by name or id.'),
  subnet: reference.optional().describe('Of the VIP, by name or id.'),
  floatingNetwork: reference.optional().describe('Of the floating IP, by name or id.'),
  floatingSubnet: reference.optional().describe('Of the floating IP, by name or id.'),
  memberSubnet: reference.optional().describe('Of the members, by name or id.'),
});

/** What the operator writes under `parts.octavia`. */
export const octaviaConfiguration = z.strictObject({
  ...cloudSection.shape,
  provider: reference
    .optional()
    .describe('Of the load balancers: amphora, ovn or another. Unset: the default of Octavia.'),
  network: reference.describe('Where VIPs are, by name or id.'),
  subnets: z
    .array(reference)
    .min(1)
    .max(2)
    .optional()
    .describe('Its subnets for VIPs, by name or id, at most one of each family. Unset: all that the network has.'),
  floatingNetwork: reference
    .optional()
    .describe('The external network of the floating IPs, by name or id. Unset: VIPs have none.'),
  members: z
    .enum(['pods', 'node-ports'])
    .default('node-ports')
    .describe('What load balancers send to: pods, where they are reachable from the VIPs’ network, or node ports.'),
  memberSubnets: z
    .array(reference)
    .default([])
    .describe('The subnets of pods, or nodes, by name or id: each member is put into the one that has its address.'),
  memberSecurityGroups: z
    .array(reference)
    .default([])
    .describe(
      'The security groups of pods, or nodes: rules there let load balancers reach them. Unset: none is touched.',
    ),
  clusterIPServices: z
    .strictObject({
      labels: z
        .record(z.string(), z.string())
        .describe('All of which a ClusterIP Service must have to be served by a load balancer.'),
      subnet: reference.describe('Of the addresses of Services, by name or id: the VIP is the ClusterIP itself.'),
    })
    .optional(),
  flavor: reference.optional().describe('The id of the flavor of load balancers that ask for none.'),
  availabilityZone: reference.optional().describe('Of load balancers that ask for none.'),
  healthMonitors: z.boolean().default(false).describe('Whether pools have a health monitor that do not say.'),
  classes: z
    .record(z.string(), placementClass)
    .default({})
    .describe('Placements that Services choose by the annotation loadbalancer.openstack.org/class.'),
  forbiddenAnnotations: z
    .array(z.enum(ANNOTATION_NAMES))
    .default([])
    .describe(
      'Annotations that Services may not have, by what follows the slash, such as network-id or octavia-provider.',
    ),
  adopt: z
    .strictObject({
      clusterName: z
        .string()
        .min(1)
        .default('kubernetes')
        .describe('What cloud-provider-openstack called this cluster: it is in the names of its load balancers.'),
    })
    .optional()
    .describe('Takes over what Kuryr and cloud-provider-openstack made for Services that name no class.'),
  comparisonIntervalSeconds: z
    .int()
    .min(0)
    .default(600)
    .describe('How often everything is compared with OpenStack, unasked. 0: never.'),
});

export type OctaviaConfiguration = z.infer<typeof octaviaConfiguration>;
