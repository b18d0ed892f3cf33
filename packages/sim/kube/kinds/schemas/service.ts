import {
  always,
  atomicMap,
  bool,
  int32,
  intOrString,
  list,
  listMap,
  optional,
  struct,
  text,
  withDefault,
} from '../../schema/schema.ts';
import { condition, objectMeta } from './meta.ts';

const servicePort = struct('ServicePort', {
  name: text,
  protocol: withDefault(text, 'TCP'),
  appProtocol: optional(text),
  port: always(int32),
  targetPort: intOrString,
  nodePort: int32,
});

const clientIPConfig = struct('ClientIPConfig', {
  timeoutSeconds: optional(int32),
});

const sessionAffinityConfig = struct('SessionAffinityConfig', {
  clientIP: clientIPConfig,
});

export const serviceSpec = struct('ServiceSpec', {
  ports: listMap(servicePort, ['port', 'protocol'], { patchMerge: 'port' }),
  selector: atomicMap(text),
  clusterIP: text,
  clusterIPs: list(text),
  type: text,
  externalIPs: list(text),
  sessionAffinity: text,
  loadBalancerIP: text,
  loadBalancerSourceRanges: list(text),
  externalName: text,
  externalTrafficPolicy: text,
  healthCheckNodePort: int32,
  publishNotReadyAddresses: bool,
  sessionAffinityConfig,
  ipFamilies: list(text),
  ipFamilyPolicy: optional(text),
  allocateLoadBalancerNodePorts: optional(bool),
  loadBalancerClass: optional(text),
  internalTrafficPolicy: optional(text),
  trafficDistribution: optional(text),
});

const portStatus = struct('PortStatus', {
  port: always(int32),
  protocol: always(text),
  error: optional(text),
});

const loadBalancerIngress = struct('LoadBalancerIngress', {
  ip: text,
  hostname: text,
  ipMode: optional(text),
  ports: list(portStatus),
});

const loadBalancerStatus = struct('LoadBalancerStatus', {
  ingress: list(loadBalancerIngress),
});

const serviceStatus = struct('ServiceStatus', {
  loadBalancer: always(loadBalancerStatus),
  conditions: listMap(condition, ['type'], { patchMerge: 'type' }),
});

export const service = struct('Service', {
  metadata: always(objectMeta),
  spec: always(serviceSpec),
  status: always(serviceStatus),
});
