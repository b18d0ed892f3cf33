import { parseIpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { DemandedPort, Refusal, ServiceDemands } from '@fairlead/service';
import type { BalancerCapabilities, MemberKind } from '../drivers/capabilities.ts';
import type { Site } from '../drivers/site.ts';
import type { Annotations } from './annotations.ts';
import { ADDRESS_AS_HOST_NAME } from './inheritance.ts';

/** As API servers take it in the status of a Service: it would never be shown otherwise. */
const HOST_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What is read as a name or an id in OpenStack, beside what one that shares cannot have. */
const OTHER_NAMES = ['load-balancer-id', 'member-subnet-id', 'floating-network-id', 'floating-subnet-id'] as const;

/** There is nothing that a load balancer could have for an address. */
export function* headless({ spec }: Service): Generator<Refusal> {
  if (spec.clusterIP === 'None' && spec.type !== 'LoadBalancer') {
    yield { code: 'headless', message: 'it is headless: it has no address that a load balancer could have' };
  }
}

/** What the operator leaves to no Service: where its load balancer is, or which one it shares. */
export function* forbidden(annotations: Annotations, names: readonly string[]): Generator<Refusal> {
  for (const name of annotations.among(names)) {
    yield { code: 'annotation-forbidden', message: `its annotation ${name} is forbidden by the configuration` };
  }
}

/**
 * Those who served a Service before show its address so, and by that address its load balancer is taken over: a tenant
 * who could have it shown would take that of another. Only Services without a class are taken over.
 */
export function* forged(annotations: Annotations, { spec }: Service, { adoptedClusterName }: Site): Generator<Refusal> {
  if (adoptedClusterName === undefined || spec.loadBalancerClass !== undefined) return;
  if (!ADDRESS_AS_HOST_NAME.test(annotations.text('hostname') ?? '')) return;
  const message =
    'its hostname begins with an address, which only Services of a class may have while others are adopted';
  yield { code: 'annotation-invalid', message };
}

/** What its provider of load balancers, or this version of Octavia, has not. */
export function* unsupportedAnnotations(
  annotations: Annotations,
  { ports, externalTraffic }: ServiceDemands,
  can: BalancerCapabilities,
  members: MemberKind,
) {
  const asked: readonly (readonly [isAsked: boolean, what: string, can: boolean])[] = [
    [annotations.proxyProtocol === 'v1', 'the PROXY protocol', can.layer7],
    [annotations.proxyProtocol === 'v2', 'the PROXY protocol, version 2', can.proxyV2],
    [annotations.flag('x-forwarded-for') === true, 'X-Forwarded-For', can.layer7],
    [annotations.text('default-tls-container-ref') !== undefined, 'terminated TLS', can.layer7],
    [annotations.text('flavor-id') !== undefined, 'a flavor', can.flavors],
    [annotations.text('availability-zone') !== undefined, 'an availability zone', can.availabilityZones],
    [hasTimeouts(annotations), 'timeouts', can.timeouts],
    [(annotations.number('connection-limit') ?? -1) >= 0, 'a connection limit', can.connectionLimit],
  ];
  for (const [isAsked, what, isPossible] of asked) {
    if (isAsked && !isPossible) {
      yield {
        code: 'annotation-unsupported',
        message: `it asks for ${what}, which its provider of load balancers has not`,
      };
    }
  }
  if (annotations.patterns.length > 0) {
    const message = `it chooses the floating subnet by ${annotations.patterns.join(' and ')}: use floating-subnet-id`;
    yield { code: 'annotation-unsupported', message };
  }
  const method = annotations.text('lb-method');
  if (method !== undefined && !can.algorithms.some((algorithm) => algorithm === method)) {
    const message = `it asks for the method ${JSON.stringify(method)}, and there are ${can.algorithms.join(', ')}`;
    yield { code: 'annotation-unsupported', message };
  }
  if (samePortTwice(ports) && !can.mixedProtocols) {
    yield {
      code: 'mixed-protocols-unsupported',
      message: 'it has the same port for two protocols, which takes Octavia API 2.13',
    };
  }
  const isLocal = externalTraffic === 'Local' && members === 'node-ports';
  const hasUdp = ports.some(({ protocol }) => protocol !== 'TCP');
  if (isLocal && (!can.httpMonitors || (hasUdp && !can.udpHttpMonitors))) {
    const what = can.httpMonitors ? 'of UDP takes Octavia API 2.16' : 'its provider of load balancers has not';
    const message = `externalTrafficPolicy: Local with node ports takes a health monitor by HTTP, which ${what}`;
    yield { code: 'local-traffic-unsupported', message };
  }
}

function samePortTwice(ports: readonly DemandedPort[]): boolean {
  return new Set(ports.map(({ port }) => port)).size < ports.length;
}

function hasTimeouts(annotations: Annotations): boolean {
  const others = ['timeout-member-connect', 'timeout-tcp-inspect'] as const;
  return (
    annotations.timeoutClientData !== undefined ||
    annotations.timeoutMemberData !== undefined ||
    others.some((name) => annotations.number(name) !== undefined)
  );
}

/** What cannot be had together, or is malformed. */
export function* contradictions(annotations: Annotations, { ports }: ServiceDemands, members: MemberKind) {
  const code = 'annotations-contradict';
  const isForwarded = annotations.flag('x-forwarded-for') === true;
  const hasTls = annotations.text('default-tls-container-ref') !== undefined;
  if (isForwarded && annotations.proxyProtocol !== undefined) {
    yield { code, message: 'it asks for X-Forwarded-For and for the PROXY protocol: keep one' };
  }
  if (hasTls && annotations.proxyProtocol !== undefined) {
    yield { code, message: 'it asks for terminated TLS and for the PROXY protocol: keep one' };
  }
  const needsTcp = isForwarded || hasTls || annotations.proxyProtocol !== undefined;
  if (needsTcp && ports.some(({ protocol }) => protocol !== 'TCP')) {
    yield { code, message: 'it asks for what only TCP has (X-Forwarded-For, TLS or PROXY), and has other ports' };
  }
  const shared = annotations.text('load-balancer-id') !== undefined;
  const own = ['subnet-id', 'network-id', 'port-id', 'flavor-id', 'availability-zone'] as const;
  const provider = annotations.provider === undefined ? [] : ['octavia-provider'];
  const given = [...own.filter((name) => annotations.text(name) !== undefined), ...provider];
  if (shared && given.length > 0) {
    yield { code, message: `it shares a load balancer, and asks for ${given.join(', ')} of its own` };
  }
  const places = (['subnet-id', 'network-id'] as const).filter((name) => annotations.text(name) !== undefined);
  if (annotations.text('port-id') !== undefined && places.length > 0) {
    yield { code, message: `it names the port of its VIP, and ${places.join(', ')}: keep one` };
  }
  const floating = (['floating-network-id', 'floating-subnet-id'] as const).filter(
    (name) => annotations.text(name) !== undefined,
  );
  if (annotations.isInternal && floating.length > 0) {
    yield { code, message: `it is internal, and names where floating IPs are (${floating.join(', ')})` };
  }
  if (members === 'pods' && annotations.text('node-selector') !== undefined) {
    yield { code, message: 'it selects nodes, and its members are pods' };
  }
  const hostname = annotations.text('hostname') ?? 'a';
  if (hostname.length > 253 || !HOST_NAME.test(hostname) || parseIpAddress(hostname) !== undefined) {
    yield { code: 'annotation-invalid', message: 'its hostname is no name of at most 253 characters' };
  }
  const long = [...own, ...OTHER_NAMES].filter((name) => (annotations.text(name)?.length ?? 0) > 255);
  const names = [...long, ...((annotations.provider?.length ?? 0) > 255 ? ['octavia-provider'] : [])];
  if (names.length > 0) yield { code: 'annotation-invalid', message: `its ${names.join(', ')} is longer than 255` };
}
