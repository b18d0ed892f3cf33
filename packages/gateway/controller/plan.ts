import type { Clock } from '@fairlead/control';
import type { MergePatch, Service } from '@fairlead/kube';
import { type DesiredServiceStatus, type IngressPoint, releaseStatusPatch, statusPatch } from '@fairlead/service';
import { type L2Port, l4PortText } from './l2-port.ts';
import { L2_PORTS_ANNOTATION, L4_PORTS_ANNOTATION } from './desired.ts';
import type { Outcome } from './outcome.ts';

/** One write to the Service. */
export interface GatewayStep {
  readonly name: 'hold' | 'record-assignment' | 'publish-status' | 'forget-assignment' | 'withdraw-status' | 'let-go';
  /** What the world looks like if the process dies right after it, and who mends it. */
  readonly ifItDiesHere: string;
  readonly subresource: 'metadata' | 'status';
  readonly patch: MergePatch<Service>;
}

/**
 * The writes that bring the Service to its outcome, in order; none when it is as it should be. Each holds only for the
 * version of the Service that the one before it left behind.
 */
export function stepsFor(outcome: Outcome, clock: Pick<Clock, 'now'>): readonly GatewayStep[] {
  return allSteps(outcome, clock).filter((step) => step !== undefined);
}

function allSteps(outcome: Outcome, clock: Pick<Clock, 'now'>): readonly (GatewayStep | undefined)[] {
  switch (outcome.kind) {
    case 'foreign':
    case 'unreadable':
      return [];
    case 'serve':
      return [record(outcome), publish(outcome.claim, servedStatus(outcome), clock)];
    case 'refuse':
      return [hold(outcome), publish(outcome.claim, refusedStatus(outcome), clock), forget(outcome.claim.service)];
    case 'release':
      return [withdraw(outcome.claim), letGo(outcome.claim)];
  }
}

type Serving = Extract<Outcome, { kind: 'serve' }>;
type Refusing = Extract<Outcome, { kind: 'refuse' }>;
type Releasing = Extract<Outcome, { kind: 'release' }>;

/** A Service that gets nothing is held, too, so that what its status says is taken back when it is no longer ours. */
function hold({ claim }: Refusing): GatewayStep | undefined {
  const { finalizers = [] } = claim.service.metadata;
  if (finalizers.includes(claim.rules.finalizer)) return undefined;
  return {
    name: 'hold',
    ifItDiesHere: 'The next leader decides for the Service afresh; nothing was given to it.',
    subresource: 'metadata',
    patch: { metadata: { finalizers: [...finalizers, claim.rules.finalizer] } },
  };
}

function record({ claim, l2Ports, l4Ports }: Serving): GatewayStep | undefined {
  const { service, rules } = claim;
  const finalizers = service.metadata.finalizers ?? [];
  const isHeld = finalizers.includes(rules.finalizer);
  const wanted = {
    [L2_PORTS_ANNOTATION]: l2Ports.map((l2Port) => l2Port.id).join(','),
    [L4_PORTS_ANNOTATION]: l4Ports.map(l4PortText).join(','),
  };
  const { annotations = {} } = service.metadata;
  const isRecorded = Object.entries(wanted).every(([name, value]) => annotations[name] === value);
  if (isRecorded && isHeld) return undefined;
  return {
    name: 'record-assignment',
    ifItDiesHere: 'The next leader finds the assignment in the annotations and publishes the status.',
    subresource: 'metadata',
    patch: {
      metadata: { annotations: wanted, ...(isHeld ? {} : { finalizers: [...finalizers, rules.finalizer] }) },
    },
  };
}

function publish(
  claim: Serving['claim'],
  status: DesiredServiceStatus,
  clock: Pick<Clock, 'now'>,
): GatewayStep | undefined {
  const patch = statusPatch(claim, status, clock);
  if (patch === undefined) return undefined;
  return {
    name: 'publish-status',
    ifItDiesHere: 'Nothing is left to do but the Event, which is lost; the condition on the Service says the same.',
    subresource: 'status',
    patch,
  };
}

function forget(service: Service): GatewayStep | undefined {
  const annotations = forgottenAnnotations(service);
  if (annotations === undefined) return undefined;
  return {
    name: 'forget-assignment',
    ifItDiesHere: 'The Service holds nothing and its status says why; the next leader finds no difference.',
    subresource: 'metadata',
    patch: { metadata: { annotations } },
  };
}

function withdraw(claim: Releasing['claim']): GatewayStep | undefined {
  const patch = releaseStatusPatch(claim);
  if (patch === undefined) return undefined;
  return {
    name: 'withdraw-status',
    ifItDiesHere: 'The finalizer still holds the Service; the next leader goes on with letting it go.',
    subresource: 'status',
    patch,
  };
}

function letGo({ service, rules }: Releasing['claim']): GatewayStep | undefined {
  const annotations = forgottenAnnotations(service);
  const finalizers = (service.metadata.finalizers ?? []).filter((held) => held !== rules.finalizer);
  if (annotations === undefined && finalizers.length === (service.metadata.finalizers ?? []).length) return undefined;
  return {
    name: 'let-go',
    ifItDiesHere: 'The Service is no longer ours; a static address needs no clean-up outside.',
    subresource: 'metadata',
    patch: {
      metadata: {
        finalizers: finalizers.length > 0 ? finalizers : null,
        ...(annotations === undefined ? {} : { annotations }),
      },
    },
  };
}

/** Takes both annotations off; undefined when none is there. */
function forgottenAnnotations(service: Service): Readonly<Record<string, null>> | undefined {
  const { annotations = {} } = service.metadata;
  const there = [L2_PORTS_ANNOTATION, L4_PORTS_ANNOTATION].filter((name) => name in annotations);
  return there.length === 0 ? undefined : Object.fromEntries(there.map((name) => [name, null]));
}

function servedStatus(outcome: Serving): DesiredServiceStatus {
  const ingress = outcome.l2Ports.map((l2Port) => ingressOf(l2Port, outcome));
  const reachable = `Reachable at ${outcome.l2Ports.map((l2Port) => l2Port.address).join(' and ')}`;
  const { shortfall } = outcome;
  if (shortfall === undefined) {
    return { ingress, programmed: { status: 'True', reason: 'AddressAssigned', message: `${reachable}.` } };
  }
  const message = `${reachable}, but not as it asks: ${shortfall.message}`;
  return { ingress, programmed: { status: 'False', reason: reasonOf(shortfall.code), message } };
}

/** Ports are listed only when one of them has an error: the API wants all of a Service's ports, or none. */
function ingressOf(l2Port: L2Port, outcome: Serving): IngressPoint {
  const point = { address: l2Port.address, mode: 'VIP' } as const;
  const served = new Set(outcome.l4Ports.map(l4PortText));
  const ports = (outcome.claim.service.spec.ports ?? []).map(({ port, protocol = 'TCP' }) => {
    const isServed = served.has(l4PortText({ port, protocol }));
    return { port, protocol, ...(isServed ? {} : { error: 'fairlead.dev/PortTaken' as const }) };
  });
  return ports.some((port) => 'error' in port) ? { ...point, ports } : point;
}

function refusedStatus(outcome: Refusing): DesiredServiceStatus {
  return {
    ingress: [],
    programmed: { status: 'False', reason: reasonOf(outcome.code), message: outcome.message },
  };
}

/** `port-taken` as a condition's reason: `PortTaken`. */
function reasonOf(code: string): string {
  return code
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
