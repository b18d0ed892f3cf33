import { addressProblems, cidrProblems, familyOf, specialAddressProblems } from '../../validation/addresses.ts';
import {
  duplicate,
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../validation/field-problem.ts';
import { labelProblems } from '../../validation/metadata.ts';
import { dnsLabelProblems, labelKeyProblems, subdomainProblems } from '../../validation/names.ts';
import { PROTOCOLS, portNumberProblems, portReferenceProblems } from '../../validation/ports.ts';
import { clusterIPProblems, clusterIPUpdateProblems } from './cluster-ip-validation.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheckPort, type Service, type ServicePort } from './service.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const IP_MODES = ['Proxy', 'VIP'];
const SECONDS_PER_DAY = 86_400;
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const SOURCE_RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** What is wrong with a Service, apart from its metadata. */
export function serviceProblems(service: Service, previous?: Service): readonly FieldProblem[] {
  const { spec } = service;
  return [
    ...typeProblems(service),
    ...(spec.ports ?? []).flatMap((port, index, ports) => portProblems(port, index, ports)),
    ...labelProblems(spec.selector ?? {}, 'spec.selector'),
    ...affinityProblems(spec),
    ...clusterIPProblems(service, previous),
    ...externalIPProblems(spec, previous),
    ...(TYPES.includes(spec.type ?? '') ? [] : [notSupported('spec.type', spec.type ?? '', TYPES)]),
    ...portSetProblems(spec),
    ...sourceRangeProblems(service, previous),
    ...loadBalancerProblems(spec),
    ...trafficProblems(service),
  ];
}

/** What an update may not do to a Service. */
export function serviceUpdateProblems(next: Service, previous: Service): readonly FieldProblem[] {
  const problems = [...clusterIPUpdateProblems(next, previous)];
  const isLoadBalancer = next.spec.type === 'LoadBalancer' && previous.spec.type === 'LoadBalancer';
  if (isLoadBalancer && next.spec.loadBalancerClass !== previous.spec.loadBalancerClass) {
    const value = next.spec.loadBalancerClass ?? null;
    problems.push(invalidValue('spec.loadBalancerClass', value, 'may not change once set'));
  }
  problems.push(...loadBalancerClassProblems(next.spec));
  if (needsHealthCheckPort(next) && needsHealthCheckPort(previous)) {
    if (next.spec.healthCheckNodePort !== previous.spec.healthCheckNodePort) {
      problems.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'));
    }
  }
  return [...problems, ...serviceProblems(next, previous)];
}

/** What is wrong with the status of a Service. */
export function serviceStatusProblems(next: Service, previous: Service): readonly FieldProblem[] {
  const field = 'status.loadBalancer.ingress';
  const ingress = next.status.loadBalancer.ingress ?? [];
  if (next.spec.type !== 'LoadBalancer' && ingress.length > 0) {
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const known = new Set(previous.status.loadBalancer.ingress?.map(({ ip }) => ip));
  return ingress.flatMap(({ ip = '', ipMode, hostname = '' }, index) => {
    const place = `${field}[${index}]`;
    const problems: FieldProblem[] = [];
    if (ip !== '' && !known.has(ip)) problems.push(...addressProblems(`${place}.ip`, ip));
    if (ipMode === undefined) {
      if (ip !== '') problems.push(required(`${place}.ipMode`, 'must be specified when `ip` is set'));
    } else if (ip === '') {
      problems.push(forbiddenField(`${place}.ipMode`, 'may not be specified when `ip` is not set'));
    } else if (!IP_MODES.includes(ipMode)) problems.push(notSupported(`${place}.ipMode`, ipMode, IP_MODES));
    if (hostname === '') return problems;
    problems.push(
      ...subdomainProblems(hostname).map((problem) => invalidValue(`${place}.hostname`, hostname, problem)),
    );
    if (familyOf(hostname) !== undefined) {
      problems.push(invalidValue(`${place}.hostname`, hostname, 'must be a DNS name, not an IP address'));
    }
    return problems;
  });
}

function typeProblems(service: Service): readonly FieldProblem[] {
  const { spec } = service;
  const problems: FieldProblem[] = [];
  if ((spec.ports ?? []).length === 0 && !isHeadless(service) && spec.type !== 'ExternalName') {
    problems.push(required('spec.ports'));
  }
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(service)) {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    problems.push(invalidValue('spec.clusterIPs[0]', 'None', detail));
  }
  if (spec.type !== 'ExternalName') return problems;
  const rule = 'may not be set for ExternalName services';
  if ((spec.clusterIPs ?? []).length > 0) problems.push(forbiddenField('spec.clusterIPs', rule));
  if ((spec.ipFamilies ?? []).length > 0) problems.push(forbiddenField('spec.ipFamilies', rule));
  if (spec.ipFamilyPolicy !== undefined) problems.push(forbiddenField('spec.ipFamilyPolicy', rule));
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') return [...problems, required('spec.externalName')];
  return [...problems, ...subdomainProblems(name).map((problem) => invalidValue('spec.externalName', name, problem))];
}

function portProblems(port: ServicePort, index: number, ports: readonly ServicePort[]): readonly FieldProblem[] {
  const field = `spec.ports[${index}]`;
  const { name = '', protocol = '', appProtocol } = port;
  const problems: FieldProblem[] = [];
  if (name === '' && ports.length > 1) problems.push(required(`${field}.name`));
  if (name !== '') {
    problems.push(...dnsLabelProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem)));
    if (ports.findIndex((other) => other.name === name) < index) problems.push(duplicate(`${field}.name`, name));
  }
  problems.push(...portNumberProblems(`${field}.port`, port.port));
  if (!PROTOCOLS.includes(protocol)) problems.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  problems.push(...portReferenceProblems(`${field}.targetPort`, port.targetPort ?? 0));
  if (appProtocol !== undefined) {
    const malformed = labelKeyProblems(appProtocol);
    problems.push(...malformed.map((problem) => invalidValue(`${field}.appProtocol`, appProtocol, problem)));
  }
  return problems;
}

function affinityProblems({ sessionAffinity = '', sessionAffinityConfig }: Service['spec']): readonly FieldProblem[] {
  if (!AFFINITIES.includes(sessionAffinity)) return [notSupported('spec.sessionAffinity', sessionAffinity, AFFINITIES)];
  const field = 'spec.sessionAffinityConfig';
  if (sessionAffinity === 'None') {
    if (sessionAffinityConfig === undefined) return [];
    return [forbiddenField(field, 'must not be set when session affinity is None')];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (seconds === undefined) return [required(field, 'when session affinity type is ClientIP')];
  if (seconds > 0 && seconds <= SECONDS_PER_DAY) return [];
  const detail = `must be greater than 0 and less than ${SECONDS_PER_DAY}`;
  return [invalidValue(`${field}.clientIP.timeoutSeconds`, seconds, detail)];
}

function externalIPProblems({ externalIPs = [] }: Service['spec'], previous?: Service): readonly FieldProblem[] {
  return externalIPs.flatMap((address, index) => {
    const field = `spec.externalIPs[${index}]`;
    if (previous?.spec.externalIPs?.includes(address)) return [];
    const malformed = addressProblems(field, address);
    return malformed.length > 0 ? malformed : specialAddressProblems(field, address);
  });
}

function portSetProblems({ type, ports = [] }: Service['spec']): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [index, { nodePort = 0 }] of ports.entries()) {
    if (type !== 'ClusterIP' || nodePort === 0) continue;
    problems.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  }
  const isRepeated = (index: number, key: (port: ServicePort) => string): boolean =>
    ports.findIndex((other) => key(other) === key(ports[index] ?? other)) < index;
  for (const [index, { nodePort = 0 }] of ports.entries()) {
    if (nodePort === 0 || !isRepeated(index, (port) => `${port.protocol}/${port.nodePort}`)) continue;
    problems.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
  }
  for (const [index, { protocol = '', port }] of ports.entries()) {
    if (!isRepeated(index, (other) => `${other.protocol}/${other.port}`)) continue;
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    problems.push(duplicate(`spec.ports[${index}]`, shown));
  }
  return problems;
}

function sourceRangeProblems({ metadata, spec }: Service, previous?: Service): readonly FieldProblem[] {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges';
    const known = new Set(previous?.spec.loadBalancerSourceRanges?.map((range) => range.trim()));
    return [
      ...(spec.type === 'LoadBalancer' ? [] : [forbiddenField(field, ONLY_LOAD_BALANCER)]),
      ...ranges.flatMap((range, index) =>
        known.has(range.trim()) ? [] : cidrProblems(`${field}[${index}]`, range.trim()),
      ),
    ];
  }
  const annotation = metadata.annotations?.[SOURCE_RANGES_ANNOTATION];
  if (annotation === undefined) return [];
  const field = `metadata.annotations[${SOURCE_RANGES_ANNOTATION}]`;
  const misplaced = spec.type === 'LoadBalancer' ? [] : [forbiddenField(field, ONLY_LOAD_BALANCER)];
  const unchanged = previous?.metadata.annotations?.[SOURCE_RANGES_ANNOTATION] === annotation;
  if (unchanged || annotation.trim() === '') return misplaced;
  return [...misplaced, ...annotation.split(',').flatMap((range) => cidrProblems(field, range.trim()))];
}

function loadBalancerProblems(spec: Service['spec']): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer') {
    problems.push(forbiddenField('spec.allocateLoadBalancerNodePorts', ONLY_LOAD_BALANCER));
  }
  return [...problems, ...loadBalancerClassProblems(spec)];
}

function loadBalancerClassProblems({ type, loadBalancerClass }: Service['spec']): readonly FieldProblem[] {
  if (loadBalancerClass === undefined) return [];
  if (type !== 'LoadBalancer') return [forbiddenField('spec.loadBalancerClass', ONLY_LOAD_BALANCER)];
  return labelKeyProblems(loadBalancerClass).map((problem) =>
    invalidValue('spec.loadBalancerClass', loadBalancerClass, problem),
  );
}

function trafficProblems(service: Service): readonly FieldProblem[] {
  const { externalTrafficPolicy, internalTrafficPolicy, trafficDistribution } = service.spec;
  const problems: FieldProblem[] = [];
  if (externalTrafficPolicy !== undefined) {
    const field = 'spec.externalTrafficPolicy';
    if (!isExternallyAccessible(service)) {
      const detail = 'may only be set for externally-accessible services';
      problems.push(invalidValue(field, externalTrafficPolicy, detail));
    } else if (!POLICIES.includes(externalTrafficPolicy)) {
      problems.push(notSupported(field, externalTrafficPolicy, POLICIES));
    }
  }
  problems.push(...healthCheckProblems(service));
  if (internalTrafficPolicy !== undefined && !POLICIES.includes(internalTrafficPolicy)) {
    problems.push(notSupported('spec.internalTrafficPolicy', internalTrafficPolicy, POLICIES));
  }
  if (trafficDistribution !== undefined && !DISTRIBUTIONS.includes(trafficDistribution)) {
    problems.push(notSupported('spec.trafficDistribution', trafficDistribution, DISTRIBUTIONS));
  }
  return problems;
}

function healthCheckProblems(service: Service): readonly FieldProblem[] {
  const { healthCheckNodePort = 0 } = service.spec;
  const field = 'spec.healthCheckNodePort';
  if (needsHealthCheckPort(service)) {
    return healthCheckNodePort === 0 ? [required(field)] : portNumberProblems(field, healthCheckNodePort);
  }
  if (healthCheckNodePort === 0) return [];
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalidValue(field, healthCheckNodePort, detail)];
}
