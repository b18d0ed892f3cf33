import { z } from 'zod';

/** Which OpenStack is meant, and who we are in it. */
export const cloudSection = z.strictObject({
  cloudsFile: z
    .string()
    .min(1)
    .optional()
    .describe('The path of a clouds.yaml. Unset: where OpenStack’s own clients look, then OS_* variables.'),
  cloud: z.string().min(1).optional().describe('Its name in clouds.yaml. Unset: OS_CLOUD, or the only one there is.'),
  clusterId: z
    .string()
    .min(1)
    .optional()
    .describe('Marks what is ours in OpenStack. Unset: the UID of the kube-system namespace.'),
});

const reference = z.string().min(1);

/** Where the addresses of a pool are made. */
export const poolSection = z.strictObject({
  network: reference.describe('The network of the ports, by name or id: the one that the gateways are in.'),
  subnets: z
    .array(reference)
    .min(1)
    .max(2)
    .optional()
    .describe('Its subnets, by name or id, at most one of each family. Unset: all that the network has.'),
  floatingNetwork: reference
    .optional()
    .describe('The external network of the floating IPs, by name or id. Unset: the ports have none.'),
  gatewayPorts: z
    .array(z.string().min(1))
    .default([])
    .describe('The ids of the ports by which the gateways are in the network: they may send from the addresses.'),
  ports: z
    .array(reference)
    .default([])
    .describe('The ids of ports in the network that you made: given first, and never changed or deleted.'),
  floatingIps: z
    .array(reference)
    .default([])
    .describe('The addresses of floating IPs that you made: each gets a port, and is never deleted.'),
  securityGroups: z
    .array(reference)
    .optional()
    .describe('Of the ports, by name or id. Unset: the default of the project.'),
});

export type CloudSection = z.infer<typeof cloudSection>;
export type PoolSection = z.infer<typeof poolSection>;
