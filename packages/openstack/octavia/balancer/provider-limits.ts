import type { BalancerCapabilities } from '../drivers/capabilities.ts';
import type { ServiceFields } from '../resource/types.ts';

/** What is asked for, and a load balancer of these capabilities can never do. */
export function* beyondProvider(fields: ServiceFields, can: BalancerCapabilities): Generator<string> {
  const { traffic = {}, health_monitor, timeout_client_data, timeout_member_data } = fields;
  const { lb_method, timeout_member_connect, timeout_tcp_inspect, connection_limit = -1, proxy_protocol } = traffic;
  const timeouts = [timeout_client_data, timeout_member_data, timeout_member_connect, timeout_tcp_inspect];
  if (traffic.allowed_cidrs !== undefined && !can.allowedCidrs) yield 'source ranges';
  if (traffic.affinity_seconds !== undefined && !can.sessionPersistence) yield 'session affinity';
  if (proxy_protocol === 'v1' && !can.layer7) yield 'the PROXY protocol';
  if (proxy_protocol === 'v2' && !can.proxyV2) yield 'the PROXY protocol, version 2';
  if (traffic.x_forwarded_for === true && !can.layer7) yield 'X-Forwarded-For';
  if (traffic.default_tls_container_ref !== undefined && !can.layer7) yield 'terminated TLS';
  if (timeouts.some((one) => one !== undefined) && !can.timeouts) yield 'timeouts';
  if (connection_limit >= 0 && !can.connectionLimit) yield 'a connection limit';
  if (lb_method !== undefined && !can.algorithms.some((one) => one === lb_method)) yield `the method ${lb_method}`;
  if (health_monitor?.node_port !== undefined && !can.httpMonitors) yield 'a health monitor by HTTP';
}
