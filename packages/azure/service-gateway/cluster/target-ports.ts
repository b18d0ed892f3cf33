import { FairleadError, type IpAddress } from '@fairlead/control';
import { type DemandedPort, endpointsOfPort, type GatheredEndpoints } from '@fairlead/service';
import type { InboundPort } from '../engine/service-spec.ts';

export interface ResolvedPorts {
  /** Ports whose target is known, by port, then protocol. */
  readonly ports: readonly InboundPort[];
  /** Addresses that give a named port another number than most: the load balancer knows one number for all. */
  readonly deviating: ReadonlySet<IpAddress>;
}

/**
 * The numbers behind a Service's target ports. A name means what most of its ready endpoints say; without endpoints it
 * means nothing yet, and the port waits. Throws a terminal error when two ports lead to the same target.
 */
export function resolvePorts(demanded: readonly DemandedPort[], gathered: GatheredEndpoints): ResolvedPorts {
  const ports: InboundPort[] = [];
  const deviating = new Set<IpAddress>();
  for (const port of demanded) {
    const { protocol } = port;
    if (protocol === 'SCTP') continue;
    const targetPort = port.target.kind === 'number' ? port.target.port : numberOf(port, gathered, deviating);
    if (targetPort !== undefined) ports.push({ protocol, port: port.port, targetPort });
  }
  checkNoTargetTwice(ports);
  return {
    ports: ports.toSorted((left, right) => left.port - right.port || (left.protocol < right.protocol ? -1 : 1)),
    deviating,
  };
}

function numberOf(port: DemandedPort, gathered: GatheredEndpoints, deviating: Set<IpAddress>): number | undefined {
  const endpoints = endpointsOfPort(gathered, port);
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  const votes = new Map<number, number>();
  for (const endpoint of ready.length > 0 ? ready : endpoints) {
    votes.set(endpoint.port, (votes.get(endpoint.port) ?? 0) + 1);
  }
  const [winner] = [...votes].toSorted(
    ([left, leftVotes], [right, rightVotes]) => rightVotes - leftVotes || left - right,
  );
  if (winner === undefined) return undefined;
  const [number] = winner;
  for (const endpoint of endpoints) if (endpoint.port !== number) deviating.add(endpoint.address);
  return number;
}

function checkNoTargetTwice(ports: readonly InboundPort[]): void {
  const seen = new Set<string>();
  for (const { protocol, targetPort } of ports) {
    const target = `${protocol} ${targetPort}`;
    if (seen.has(target)) {
      throw new FairleadError(`several of its ports lead to the target port ${target}, and only one may`, {
        verdict: 'terminal',
        code: 'repeated-target-port-unsupported',
      });
    }
    seen.add(target);
  }
}
