import type { Clock } from '@fairlead/control';
import {
  type DesiredServiceStatus,
  holdWrites,
  type IngressPoint,
  notProgrammed,
  programmed,
  reachableAt,
  refused,
  releaseWrites,
  type ServiceWrite,
  statusWrites,
} from '@fairlead/service';
import { type L2Port, l4PortText } from './addresses/l2-port.ts';
import { L2_PORTS_ANNOTATION, L4_PORTS_ANNOTATION } from './desired.ts';
import type { Outcome, ServedService } from './outcome.ts';

const RECORD = {
  name: 'record-assignment',
  ifItDiesHere: 'The next leader finds the assignment in the annotations and publishes the status.',
};
const FORGET = {
  name: 'forget-assignment',
  ifItDiesHere: 'The Service holds nothing and its status says why; the next leader finds no difference.',
};
const NOT_RECORDED = { [L2_PORTS_ANNOTATION]: undefined, [L4_PORTS_ANNOTATION]: undefined };

/**
 * The writes that bring the Service to its outcome, in order; none when it is as it should be. Each holds only for the
 * version of the Service that the one before it left behind.
 */
export function writesFor(outcome: Outcome, clock: Pick<Clock, 'now'>): readonly ServiceWrite[] {
  const { claim } = outcome;
  switch (outcome.kind) {
    case 'foreign':
    case 'unreadable':
      return [];
    case 'serve': {
      const { l2Ports, l4Ports } = outcome;
      const assignment = {
        [L2_PORTS_ANNOTATION]: l2Ports.map(({ id }) => id).join(','),
        [L4_PORTS_ANNOTATION]: l4Ports.map(l4PortText).join(','),
      };
      const status = servedStatus(outcome);
      return [...holdWrites(outcome.claim, assignment, RECORD), ...statusWrites(outcome.claim, status, clock)];
    }
    case 'refuse': {
      const status = { ingress: [], programmed: refused(outcome.refusal) };
      const { annotations = {} } = claim.service.metadata;
      const isRecorded = Object.keys(NOT_RECORDED).some((name) => name in annotations);
      return [
        ...holdWrites(outcome.claim),
        ...statusWrites(outcome.claim, status, clock),
        // Only when the status no longer shows the addresses: until then the record keeps them from others.
        ...(isRecorded ? holdWrites(outcome.claim, NOT_RECORDED, FORGET) : []),
      ];
    }
    case 'release':
      return releaseWrites(outcome.claim, Object.keys(NOT_RECORDED));
  }
}

function servedStatus(outcome: ServedService): DesiredServiceStatus {
  const { shortfall } = outcome;
  const ingress = outcome.l2Ports.map((l2Port) => ingressOf(l2Port, outcome));
  const addresses = outcome.l2Ports.map(({ address }) => address);
  if (shortfall === undefined) return { ingress, programmed: programmed(addresses) };
  const message = `${reachableAt(addresses)}, but not as it asks: ${shortfall.message}.`;
  return { ingress, programmed: notProgrammed(shortfall.code, message) };
}

/** With the ports it has there: so the status alone, which only we can write, tells what was given to whom. */
function ingressOf(l2Port: L2Port, outcome: ServedService): IngressPoint {
  const served = new Set(outcome.l4Ports.map(l4PortText));
  const ports = (outcome.claim.service.spec.ports ?? []).map(({ port, protocol = 'TCP' }) => {
    const isServed = served.has(l4PortText({ port, protocol }));
    return { port, protocol, ...(isServed ? {} : { error: 'fairlead.dev/PortTaken' as const }) };
  });
  return { address: l2Port.address, mode: 'VIP', ports };
}
