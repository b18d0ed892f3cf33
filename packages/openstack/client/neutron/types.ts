import { z } from 'zod';
import { resourceKind, tags, text } from '../api/resource-kind.ts';

const revision = z.int().optional();

const networkShape = z.object({
  id: z.string(),
  name: text,
  project_id: text,
  /** Floating IPs come from such networks only. */
  'router:external': z.boolean().default(false),
  subnets: z.array(z.string()).default([]),
  tags,
});

const subnetShape = z.object({
  id: z.string(),
  name: text,
  network_id: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  cidr: z.string(),
  gateway_ip: z.string().nullish(),
  tags,
});

const portShape = z.object({
  id: z.string(),
  name: text,
  description: text,
  project_id: text,
  network_id: z.string(),
  device_id: text,
  device_owner: text,
  mac_address: z.string(),
  fixed_ips: z.array(z.object({ subnet_id: z.string(), ip_address: z.string() })),
  allowed_address_pairs: z.array(z.object({ ip_address: z.string(), mac_address: z.string().optional() })).default([]),
  security_groups: z.array(z.string()).default([]),
  port_security_enabled: z.boolean().optional(),
  revision_number: revision,
  tags,
});

const floatingIpShape = z.object({
  id: z.string(),
  description: text,
  project_id: text,
  floating_network_id: z.string(),
  floating_ip_address: z.string(),
  fixed_ip_address: z.string().nullable(),
  port_id: z.string().nullable(),
  revision_number: revision,
  tags,
});

const securityGroupShape = z.object({ id: z.string(), name: text, description: text, project_id: text, tags });

const securityGroupRuleShape = z.object({
  id: z.string(),
  description: text,
  project_id: text,
  security_group_id: z.string(),
  direction: z.enum(['ingress', 'egress']),
  ethertype: z.string().nullish(),
  /** Null for all. */
  protocol: z.string().nullish(),
  port_range_min: z.int().nullish(),
  port_range_max: z.int().nullish(),
  remote_ip_prefix: z.string().nullish(),
  remote_group_id: z.string().nullish(),
});

export type Network = z.infer<typeof networkShape>;
export type Subnet = z.infer<typeof subnetShape>;
export type Port = z.infer<typeof portShape>;
export type FloatingIp = z.infer<typeof floatingIpShape>;
export type SecurityGroup = z.infer<typeof securityGroupShape>;
export type SecurityGroupRule = z.infer<typeof securityGroupRuleShape>;
export type AddressPair = Port['allowed_address_pairs'][number];

export const networks = resourceKind('networks', 'network', 'networks', networkShape);
export const subnets = resourceKind('subnets', 'subnet', 'subnets', subnetShape);
export const ports = resourceKind('ports', 'port', 'ports', portShape);
export const floatingIps = resourceKind('floatingips', 'floatingip', 'floatingips', floatingIpShape);
export const securityGroups = resourceKind('security-groups', 'security_group', 'security_groups', securityGroupShape);
export const securityGroupRules = resourceKind(
  'security-group-rules',
  'security_group_rule',
  'security_group_rules',
  securityGroupRuleShape,
);

/** What a new port is to be. Without fixed IPs it gets one from each family that the network has. */
export interface PortRequest {
  readonly network_id: string;
  readonly name?: string;
  readonly description?: string;
  readonly fixed_ips?: readonly { readonly subnet_id?: string; readonly ip_address?: string }[];
  readonly security_groups?: readonly string[];
  readonly device_owner?: string;
  /** Most clouds drop these without a word: read them back. */
  readonly tags?: readonly string[];
}

/** Fields of a port that can be changed. */
export interface PortChanges {
  readonly name?: string;
  readonly description?: string;
  readonly security_groups?: readonly string[];
  /** The whole list. */
  readonly allowed_address_pairs?: readonly AddressPair[];
}

/** What a new floating IP is to be; there are no tags in this call: Neutron refuses them. */
export interface FloatingIpRequest {
  readonly floating_network_id: string;
  readonly floating_ip_address?: string;
  readonly subnet_id?: string;
  readonly port_id?: string;
  readonly fixed_ip_address?: string;
  readonly description?: string;
}

/** Fields of a floating IP that can be changed. `port_id: null` takes it from its port. */
export interface FloatingIpChanges {
  readonly description?: string;
  readonly port_id?: string | null;
  readonly fixed_ip_address?: string;
}

/** What a new rule lets through. One that is there already, whatever its description, is refused as a conflict. */
export interface SecurityGroupRuleRequest {
  readonly security_group_id: string;
  readonly direction: 'ingress' | 'egress';
  readonly ethertype: 'IPv4' | 'IPv6';
  readonly protocol?: 'tcp' | 'udp' | 'sctp' | 'icmp' | 'ipv6-icmp';
  readonly port_range_min?: number;
  readonly port_range_max?: number;
  readonly remote_ip_prefix?: string;
  readonly remote_group_id?: string;
  readonly description?: string;
}
