import { z } from 'zod';
import type { ResourceKind } from '../api/resource-api.ts';
import { resourceKind, tags, text } from '../api/resource-kind.ts';

const optional = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const references = z.array(z.object({ id: z.string() })).default([]);

/** What every resource has. The statuses are read by `provisioningOf`. */
const common = {
  id: z.string(),
  name: text,
  project_id: text,
  admin_state_up: z.boolean().default(true),
  provisioning_status: z.string(),
  /** ONLINE, OFFLINE, DEGRADED, ERROR, DRAINING, NO_MONITOR. */
  operating_status: text,
  tags,
};

const loadBalancerFields = {
  ...common,
  description: text,
  vip_address: text,
  vip_port_id: optional,
  vip_subnet_id: optional,
  vip_network_id: optional,
  /** Absent before version 2.26. */
  additional_vips: z
    .array(z.object({ subnet_id: z.string(), ip_address: text, port_id: optional }))
    .nullish()
    .transform((value) => value ?? []),
  provider: text,
  flavor_id: optional,
  availability_zone: optional,
};

const loadBalancerShape = z.object({ ...loadBalancerFields, listeners: references, pools: references });

const listenerShape = z.object({
  ...common,
  description: text,
  protocol: z.string(),
  protocol_port: z.int(),
  /** Absent in the answer to a fully populated creation. */
  loadbalancers: references,
  default_pool_id: optional,
  connection_limit: z.int().nullish(),
  default_tls_container_ref: optional,
  insert_headers: z.record(z.string(), z.string()).nullish(),
  timeout_client_data: z.int().nullish(),
  timeout_member_connect: z.int().nullish(),
  timeout_member_data: z.int().nullish(),
  timeout_tcp_inspect: z.int().nullish(),
  /** Null for everybody. */
  allowed_cidrs: z.array(z.string()).nullish(),
});

const sessionPersistenceShape = z.object({
  type: z.string(),
  cookie_name: optional,
  persistence_timeout: z.int().nullish(),
  persistence_granularity: optional,
});

const poolFields = {
  ...common,
  description: text,
  protocol: z.string(),
  lb_algorithm: z.string(),
  session_persistence: sessionPersistenceShape.nullish(),
  /** Absent in the answer to a fully populated creation. */
  loadbalancers: references,
  listeners: references,
};

const poolShape = z.object({ ...poolFields, members: references, healthmonitor_id: optional });

const memberShape = z.object({
  ...common,
  address: z.string(),
  protocol_port: z.int(),
  weight: z.int().default(1),
  backup: z.boolean().default(false),
  subnet_id: optional,
  monitor_address: optional,
  monitor_port: z.int().nullish(),
});

const healthMonitorShape = z.object({
  ...common,
  type: z.string(),
  delay: z.int(),
  timeout: z.int(),
  max_retries: z.int(),
  max_retries_down: z.int().default(3),
  http_method: optional,
  url_path: optional,
  expected_codes: optional,
  /** Absent in the answer to a fully populated creation. */
  pools: references,
});

const populatedShape = z.object({
  ...loadBalancerFields,
  listeners: z.array(listenerShape).default([]),
  pools: z
    .array(
      z.object({
        ...poolFields,
        members: z.array(memberShape).default([]),
        healthmonitor: healthMonitorShape.nullish(),
      }),
    )
    .default([]),
});

const flavorShape = z.object({ id: z.string(), name: text, description: text, enabled: z.boolean().default(true) });

const statusFields = {
  id: z.string(),
  name: text,
  provisioning_status: z.string(),
  operating_status: text,
};

/** What `GET /loadbalancers/ID/status` shows below `statuses`. */
export const statusTreeShape = z.object({
  loadbalancer: z.object({
    ...statusFields,
    listeners: z
      .array(
        z.object({
          ...statusFields,
          pools: z
            .array(
              z.object({
                ...statusFields,
                health_monitor: z.object({ ...statusFields, type: text }).nullish(),
                members: z
                  .array(z.object({ ...statusFields, address: z.string(), protocol_port: z.int() }))
                  .default([]),
              }),
            )
            .default([]),
        }),
      )
      .default([]),
  }),
});

export const providerShape = z.object({ name: z.string(), description: text });

export const availabilityZoneShape = z.object({ name: z.string(), enabled: z.boolean().default(true) });

const limit = z.int().nullish();
/** What is allowed in a project: -1 is without limit. */
export const quotaShape = z.object({
  load_balancer: limit,
  listener: limit,
  pool: limit,
  member: limit,
  health_monitor: limit,
});

export type LoadBalancer = z.infer<typeof loadBalancerShape>;
/** A load balancer with all that was created together with it. */
export type PopulatedLoadBalancer = z.infer<typeof populatedShape>;
export type Listener = z.infer<typeof listenerShape>;
export type Pool = z.infer<typeof poolShape>;
export type Member = z.infer<typeof memberShape>;
export type HealthMonitor = z.infer<typeof healthMonitorShape>;
export type Flavor = z.infer<typeof flavorShape>;
export type LoadBalancerStatusTree = z.infer<typeof statusTreeShape>['loadbalancer'];
export type OctaviaProvider = z.infer<typeof providerShape>;
export type AvailabilityZone = z.infer<typeof availabilityZoneShape>;
export type OctaviaQuota = z.infer<typeof quotaShape>;

export const loadBalancers = resourceKind('lbaas/loadbalancers', 'loadbalancer', 'loadbalancers', loadBalancerShape);
export const populatedLoadBalancers = resourceKind(
  'lbaas/loadbalancers',
  'loadbalancer',
  'loadbalancers',
  populatedShape,
);
export const listeners = resourceKind('lbaas/listeners', 'listener', 'listeners', listenerShape);
export const pools = resourceKind('lbaas/pools', 'pool', 'pools', poolShape);
export const healthMonitors = resourceKind(
  'lbaas/healthmonitors',
  'healthmonitor',
  'healthmonitors',
  healthMonitorShape,
);
export const flavors = resourceKind('lbaas/flavors', 'flavor', 'flavors', flavorShape);

export const membersOf = (poolId: string): ResourceKind<Member> =>
  resourceKind(`lbaas/pools/${encodeURIComponent(poolId)}/members`, 'member', 'members', memberShape);
