import { addressWarnings } from '../../validation/addresses.ts';
import { isHeadless, type Service } from './service.ts';

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

/** What is valid in a Service and still unwise. */
export function serviceWarnings(service: Service): readonly string[] {
  const { metadata, spec } = service;
  const { externalIPs = [], loadBalancerIP = '', externalName = '', type } = spec;
  const headless = type === 'ClusterIP' && isHeadless(service);
  const warnings: string[] = [];
  if (metadata.annotations?.[HINTS] !== undefined) {
    warnings.push(`annotation ${HINTS} is deprecated, please use ${MODE} instead`);
  }
  if (headless) {
    if (loadBalancerIP !== '') warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  } else {
    const addresses = spec.clusterIPs ?? [];
    warnings.push(...addresses.flatMap((address, index) => addressWarnings(`spec.clusterIPs[${index}]`, address)));
  }
  warnings.push(...externalIPs.flatMap((address, index) => addressWarnings(`spec.externalIPs[${index}]`, address)));
  if (externalIPs.length > 0 && !headless && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (loadBalancerIP !== '') warnings.push(...addressWarnings('spec.loadBalancerIP', loadBalancerIP));
  if (type === 'ExternalName' && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (type !== 'ExternalName' && externalName !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}
