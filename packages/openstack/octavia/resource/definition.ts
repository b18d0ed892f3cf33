import type { CustomResourceDefinition, PrinterColumn } from '@fairlead/kube';
import { KURYR_GROUP, kuryrLoadBalancers } from './types.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
/** What OpenStack takes for a name or an id. */
const name: Schema = { type: 'string', maxLength: 255 };
const number: Schema = { type: 'integer' };
const flag: Schema = { type: 'boolean' };
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
const milliseconds: Schema = { type: 'integer', minimum: 0, maximum: 31_536_000_000 };
const object = (properties: Schema, ...required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});
/** One that is replaced as a whole: there is one manager of all of its items. */
const list = (items: Schema): Schema => ({ type: 'array', 'x-kubernetes-list-type': 'atomic', items });

const balancedPort = object({ name: text, protocol: text, port, targetPort: text }, 'port', 'protocol', 'targetPort');

const endpoint = object(
  {
    addresses: list(text),
    conditions: object({ ready: flag, serving: flag, terminating: flag }),
    hostname: text,
    targetRef: object({ kind: text, name: text, namespace: text, resourceVersion: text, uid: text }),
  },
  'addresses',
);

const endpointSubset = object({
  endpoints: list(endpoint),
  ports: list(object({ name: text, port: number, protocol: text })),
});

const spec = object({
  schema_version: { type: 'integer', minimum: 1 },
  type: text,
  ip: text,
  lb_ip: { ...text, nullable: true },
  ports: list(balancedPort),
  project_id: name,
  security_groups_ids: list(name),
  members: { ...text, enum: ['pods', 'node-ports'] },
  node_selector: text,
  subnet_id: name,
  member_subnet_id: name,
  provider: name,
  flavor_id: name,
  availability_zone: name,
  timeout_client_data: milliseconds,
  timeout_member_data: milliseconds,
  adopts: flag,
  adopted_addresses: list(text),
  vip: object({
    network_id: name,
    port_id: name,
    load_balancer_id: name,
    additional: list(object({ subnet_id: name, ip_address: text }, 'subnet_id')),
  }),
  floating_ip: object({ network_id: name, subnet_id: name, address: text, keep: flag }, 'network_id'),
  traffic: object({
    lb_method: { ...text, enum: ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'] },
    connection_limit: { type: 'integer', minimum: -1 },
    timeout_member_connect: milliseconds,
    timeout_tcp_inspect: milliseconds,
    proxy_protocol: { ...text, enum: ['v1', 'v2'] },
    x_forwarded_for: flag,
    default_tls_container_ref: text,
    affinity_seconds: { type: 'integer', minimum: 1 },
    allowed_cidrs: list(text),
  }),
  health_monitor: object(
    {
      delay: { type: 'integer', minimum: 1 },
      timeout: { type: 'integer', minimum: 1 },
      max_retries: { type: 'integer', minimum: 1, maximum: 10 },
      max_retries_down: { type: 'integer', minimum: 1, maximum: 10 },
      node_port: port,
    },
    'delay',
    'timeout',
    'max_retries',
    'max_retries_down',
  ),
  endpointSlices: list(endpointSubset),
  // Kept, so that what an older Kuryr stored can still be read.
  subsets: list({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
});

const conditions: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: object(
    {
      type: { type: 'string', maxLength: 316 },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: { type: 'string', minLength: 1, maxLength: 1024 },
      message: { type: 'string', maxLength: 32_768 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    },
    'lastTransitionTime',
    'message',
    'reason',
    'status',
    'type',
  ),
};

const status = object({
  loadbalancer: {
    ...object(
      {
        id: text,
        ip: text,
        name: text,
        port_id: text,
        project_id: text,
        provider: text,
        security_groups: list(text),
        subnet_id: text,
        additional_ips: list(text),
      },
      'id',
    ),
    nullable: true,
  },
  listeners: list(
    object(
      {
        id: text,
        loadbalancer_id: text,
        name: text,
        port: number,
        project_id: text,
        protocol: text,
        timeout_client_data: number,
        timeout_member_data: number,
      },
      'id',
    ),
  ),
  pools: list(
    object({ id: text, listener_id: text, loadbalancer_id: text, name: text, project_id: text, protocol: text }, 'id'),
  ),
  members: list(
    object({ id: text, ip: text, name: text, pool_id: text, port: number, project_id: text, subnet_id: text }, 'id'),
  ),
  service_pub_ip_info: { ...object({ ip_id: text, ip_addr: text, alloc_method: text }), nullable: true },
  conditions,
});

const columns: readonly PrinterColumn[] = [
  { name: 'VIP', type: 'string', jsonPath: '.status.loadbalancer.ip' },
  { name: 'Public IP', type: 'string', jsonPath: '.status.service_pub_ip_info.ip_addr' },
  { name: 'Programmed', type: 'string', jsonPath: ".status.conditions[?(@.type=='Programmed')].status" },
  { name: 'Reason', type: 'string', jsonPath: ".status.conditions[?(@.type=='Programmed')].reason" },
  { name: 'Load balancer', type: 'string', jsonPath: '.status.loadbalancer.id', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

const { plural, kind, version } = kuryrLoadBalancers;

/** The load balancer as a resource: what Kuryr had, with a status of its own, conditions, and what Services ask today. */
export const kuryrLoadBalancerDefinition: CustomResourceDefinition = {
  metadata: { name: `${plural}.${KURYR_GROUP}` },
  spec: {
    group: KURYR_GROUP,
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, shortNames: ['klb'] },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: object({ apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status }),
        },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
      },
    ],
  },
};
