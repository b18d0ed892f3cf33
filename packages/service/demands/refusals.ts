import { FairleadError, familyOf } from '@fairlead/control';
import type { IpFamily, Protocol } from '@fairlead/kube';
import type { ServiceDemands } from './service-demands.ts';

/** What a part's load balancers can do; whatever else a Service asks for is refused, never left out. */
export interface LoadBalancerCapabilities {
  readonly protocols: readonly Protocol[];
  /** Several protocols on one Service. */
  readonly mixedProtocols: boolean;
  readonly families: readonly IpFamily[];
  /** Both families on one Service. */
  readonly dualStack: boolean;
  /** Target ports given by name. */
  readonly namedTargetPorts: boolean;
  /** Two ports of a Service that lead to the same target port. */
  readonly repeatedTargetPorts: boolean;
  /** `externalTrafficPolicy: Local`. */
  readonly localTraffic: boolean;
  readonly sourceRanges: boolean;
  readonly clientAffinity: boolean;
  /** An address that the user chose. */
  readonly chosenAddresses: boolean;
  /** Whether the backends are node ports, which a Service may go without (`allocateLoadBalancerNodePorts: false`). */
  readonly needsNodePorts: boolean;
}

/** Something that a Service asks for and that cannot be honoured. */
export interface Refusal {
  /** Stable: conditions, Events and tests go by it. */
  readonly code: string;
  /** What cannot be honoured, in plain words, about «it», the Service; no capital, no full stop. */
  readonly message: string;
}

/** Throws a terminal error that names all of the refusals, if there are any; its code is that of the first. */
export function requireSupported(...refusals: readonly Iterable<Refusal>[]): void {
  const all = refusals.flatMap((list) => [...list]);
  const [first] = all;
  if (first !== undefined) throw refusal(first.code, all.map(({ message }) => message).join('; '));
}

/** What a reader of a Service throws when it cannot be served as it asks. */
export function refusal(code: string, message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code });
}

/** Each demand that the load balancer cannot honour; none: the Service can be served as it is. */
export function unsupported(demands: ServiceDemands, capabilities: LoadBalancerCapabilities): readonly Refusal[] {
  return [
    ...unsupportedPorts(demands, capabilities),
    ...unsupportedFamilies(demands, capabilities),
    ...unsupportedTraffic(demands, capabilities),
  ];
}

/** The families that the Service gets, the preferred one first: `PreferDualStack` is content with one. */
export function servedFamilies(demands: ServiceDemands, capabilities: LoadBalancerCapabilities): readonly IpFamily[] {
  const families = demands.families.filter((family) => capabilities.families.includes(family));
  return capabilities.dualStack ? families : families.slice(0, 1);
}

function* unsupportedPorts({ ports }: ServiceDemands, capabilities: LoadBalancerCapabilities): Generator<Refusal> {
  const protocols = [...new Set(ports.map((port) => port.protocol))];
  for (const protocol of protocols.filter((protocol) => !capabilities.protocols.includes(protocol))) {
    const message = `it has ${protocol} ports, and only ${capabilities.protocols.join(' and ')} can be balanced`;
    yield { code: 'protocol-unsupported', message };
  }
  if (protocols.length > 1 && !capabilities.mixedProtocols) {
    const message = `it mixes ${protocols.join(' and ')}, which takes a Service for each`;
    yield { code: 'mixed-protocols-unsupported', message };
  }
  const named = ports.flatMap(({ target }) => (target.kind === 'name' ? target.name : []));
  if (named.length > 0 && !capabilities.namedTargetPorts) {
    const message = `its target ports ${named.join(', ')} are names, and must be numbers`;
    yield { code: 'named-target-port-unsupported', message };
  }
  const byTarget = Map.groupBy(ports, ({ protocol, target }) => {
    return `${protocol} ${target.kind === 'name' ? target.name : target.port}`;
  });
  const repeated = [...byTarget].filter(([, sharing]) => sharing.length > 1).map(([target]) => target);
  if (repeated.length > 0 && !capabilities.repeatedTargetPorts) {
    const message = `several of its ports lead to the target port ${repeated.join(', ')}, and only one may`;
    yield { code: 'repeated-target-port-unsupported', message };
  }
  const unallocated = ports
    .filter((port) => port.nodePort === undefined)
    .map(({ protocol, port }) => `${protocol} ${port}`);
  if (unallocated.length > 0 && capabilities.needsNodePorts) {
    const message = `its ports ${unallocated.join(', ')} have no node port, which is where traffic would be sent`;
    yield { code: 'node-port-missing', message };
  }
}

function* unsupportedFamilies(demands: ServiceDemands, capabilities: LoadBalancerCapabilities): Generator<Refusal> {
  const served = servedFamilies(demands, capabilities);
  if (demands.familyPolicy === 'PreferDualStack' && served.length > 0) return;
  for (const family of demands.families.filter((family) => !capabilities.families.includes(family))) {
    const message = `it asks for ${family}, and only ${capabilities.families.join(' and ')} can be balanced`;
    yield { code: 'family-unsupported', message };
  }
  if (demands.families.length > 1 && !capabilities.dualStack) {
    const message = `it asks for ${demands.families.join(' and ')} at once, which takes a Service for each`;
    yield { code: 'dual-stack-unsupported', message };
  }
}

function* unsupportedTraffic(demands: ServiceDemands, capabilities: LoadBalancerCapabilities): Generator<Refusal> {
  if (demands.externalTraffic === 'Local' && !capabilities.localTraffic) {
    const message = 'it asks for externalTrafficPolicy: Local, and only Cluster can be honoured';
    yield { code: 'local-traffic-unsupported', message };
  }
  if (demands.sourceRanges.kind === 'only' && !capabilities.sourceRanges) {
    const message = 'it restricts the source ranges, which cannot be enforced; it would be open to everybody';
    yield { code: 'source-ranges-unsupported', message };
  }
  if (demands.affinity.kind === 'client-ip' && !capabilities.clientAffinity) {
    const message = 'it asks for sessionAffinity: ClientIP, and only None can be honoured';
    yield { code: 'affinity-unsupported', message };
  }
  const served = servedFamilies(demands, capabilities);
  const denied = demands.addresses.filter(
    (address) => !capabilities.chosenAddresses || !served.includes(familyOf(address)),
  );
  if (denied.length > 0) {
    const why = capabilities.chosenAddresses
      ? 'which is of a family it does not get'
      : 'and addresses cannot be chosen';
    yield { code: 'chosen-address-unsupported', message: `it asks for the address ${denied.join(', ')}, ${why}` };
  }
}
