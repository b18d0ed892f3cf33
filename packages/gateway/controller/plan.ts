import type { Clock } from '@fairlead/control';
import { findCondition } from '@fairlead/kube';
import {
  type DesiredServiceStatus,
  holdWrites,
  type IngressPoint,
  notProgrammed,
  PROGRAMMED_CONDITION,
  type Programmed,
  programmed,
  reachableAt,
  refused,
  releaseWrites,
  type ServiceWrite,
  shownAddresses,
  statusWrites,
  withdrawWrites,
} from '@fairlead/service';
import { type L2Port, l4PortText } from './addresses/l2-port.ts';
import { L2_PORTS_ANNOTATION, L4_PORTS_ANNOTATION } from './annotations.ts';
import type { ProgrammingState } from './agents/programming.ts';
import type { Outcome, ServedService } from './outcome.ts';
import type { Pool } from './pools.ts';

const RECORD = {
  name: 'record-assignment',
  ifItDiesHere: 'The next leader finds the assignment in the annotations and publishes the status.',
};
const FORGET = {
  name: 'forget-assignment',
  ifItDiesHere: 'The Service holds nothing and its status says why; the next leader finds no difference.',
};
const NOT_RECORDED = { [L2_PORTS_ANNOTATION]: undefined, [L4_PORTS_ANNOTATION]: undefined };

/** How far the gateways are: `leaving` when one of them may still serve a Service that is to be let go. */
export type Progress = ProgrammingState | { readonly kind: 'leaving' };

/** What can be said of the gateways without having talked to them. */
export function progressWithoutAgents(outcome: Outcome, pools: readonly Pool[]): Progress {
  if (outcome.kind !== 'serve') return { kind: 'unknown' };
  const hasGateways = ({ pool }: L2Port) => pools.some(({ name, gateways }) => name === pool && gateways.length > 0);
  return outcome.l2Ports.some(hasGateways) ? { kind: 'unknown' } : { kind: 'not-needed' };
}

/**
 * The writes that bring the Service to its outcome, in order; none when it is as it should be. Each holds only for the
 * version of the Service that the one before it left behind.
 */
export function writesFor(outcome: Outcome, clock: Pick<Clock, 'now'>, progress: Progress): readonly ServiceWrite[] {
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
      const status = servedStatus(outcome, progress);
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
      // The finalizer goes last, when no gateway that can be reached serves the Service any more.
      if (progress.kind === 'leaving') return withdrawWrites(outcome.claim, Object.keys(NOT_RECORDED));
      return releaseWrites(outcome.claim, Object.keys(NOT_RECORDED));
  }
}

function servedStatus(outcome: ServedService, progress: Progress): DesiredServiceStatus {
  const ingress = outcome.l2Ports.map((l2Port) => ingressOf(l2Port, outcome));
  return { ingress, programmed: conditionOf(outcome, progress) };
}

/** What the condition says of a Service that has addresses. */
export function conditionOf(outcome: ServedService, progress: Progress): Programmed {
  const { shortfall, l2Ports } = outcome;
  const addresses = l2Ports.map(({ ingress }) => ingress);
  if (shortfall !== undefined) {
    const message = `${reachableAt(addresses)}, but not as it asks: ${shortfall.message}.`;
    return notProgrammed(shortfall.code, message);
  }
  const assigned = notProgrammed(
    'address-assigned',
    `${addresses.join(' and ')} ${addresses.length > 1 ? 'are' : 'is'} assigned, and not yet served by the gateways.`,
  );
  switch (progress.kind) {
    case 'not-needed':
      return programmed(addresses);
    case 'programmed':
      return withIdlePorts(programmed(addresses), progress);
    case 'refused': {
      const { gateway, error } = progress;
      const message = `The gateway ${gateway} refuses ${error.frontend.address}: ${error.message} (${error.code}).`;
      return notProgrammed('gateway-refused', message);
    }
    case 'unknown':
      return toldBefore(outcome, addresses) ?? assigned;
    case 'waiting':
    case 'leaving':
      return assigned;
  }
}

function withIdlePorts(condition: Programmed, { idle, isIdle }: Extract<Progress, { kind: 'programmed' }>): Programmed {
  if (idle.length === 0) return condition;
  const which = isIdle ? 'connections' : `connections to ${idle.join(', ')}`;
  return { ...condition, message: `${condition.message} No endpoints: ${which} are refused.` };
}

const REASONS_OF_GATEWAYS = new Set(['Programmed', 'AddressAssigned', 'GatewayRefused']);

/** What is said of the same addresses already stands until the gateways have been heard. */
function toldBefore({ claim: { service } }: ServedService, addresses: readonly string[]): Programmed | undefined {
  const shown = shownAddresses(service);
  const condition = findCondition(service, PROGRAMMED_CONDITION);
  const isSame = shown.length === addresses.length && addresses.every((address, index) => shown[index] === address);
  if (condition === undefined || !isSame || !REASONS_OF_GATEWAYS.has(condition.reason)) return undefined;
  const { status, reason, message } = condition;
  return { status, reason, message };
}

/** With the ports it has there: so the status alone, which only we can write, tells what was given to whom. */
function ingressOf(l2Port: L2Port, outcome: ServedService): IngressPoint {
  const served = new Set(outcome.l4Ports.map(l4PortText));
  const ports = (outcome.claim.service.spec.ports ?? []).map(({ port, protocol = 'TCP' }) => {
    const isServed = served.has(l4PortText({ port, protocol }));
    return { port, protocol, ...(isServed ? {} : { error: 'fairlead.dev/PortTaken' as const }) };
  });
  return { address: l2Port.ingress, mode: 'VIP', ports };
}
