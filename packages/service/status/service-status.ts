import { type Clock, type IpAddress, parseIpAddress } from '@fairlead/control';
import {
  conditionMessage,
  type Condition,
  findCondition,
  type LoadBalancerIngress,
  type LoadBalancerIngressPort,
  type MergePatch,
  reasonOf,
  type Service,
} from '@fairlead/kube';
import { type ClaimedService, hasMovedOn, isOwnerFinalizer, type ServiceToRelease } from '../claim/class-claim.ts';
import type { Refusal } from '../demands/refusals.ts';

/** The one condition Fairlead keeps on a Service: whether its load balancer is as the Service asks. */
export const PROGRAMMED_CONDITION = 'fairlead.dev/Programmed';

/** A port of an address, with what is wrong with it, if anything; a Service's ports are all listed, or none. */
export interface IngressPort extends Omit<LoadBalancerIngressPort, 'error'> {
  readonly error?: `fairlead.dev/${string}`;
}

/** Where a Service can be reached. */
export type IngressPoint =
  | {
      readonly address: IpAddress;
      /** `VIP`: packets reach the nodes with this address as destination; `Proxy`: with the node's or the pod's. */
      readonly mode: 'VIP' | 'Proxy';
      readonly ports?: readonly IngressPort[];
    }
  | { readonly hostname: string; readonly ports?: readonly IngressPort[] };

export interface DesiredServiceStatus {
  /** In the order in which they are shown. Only Services of type LoadBalancer have a place for them. */
  readonly ingress: readonly IngressPoint[];
  readonly programmed: Programmed;
}

/** What the condition says. */
export type Programmed = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The Service is served as it asks. */
export function programmed(addresses: readonly string[]): Programmed {
  return { status: 'True', reason: 'Programmed', message: `${reachableAt(addresses)}.` };
}

/** What keeps the Service from being served as it asks; `code` becomes the reason. */
export function notProgrammed(code: string, message: string): Programmed {
  return { status: 'False', reason: reasonOf(code), message };
}

/** The Service asks for what cannot be honoured. */
export function refused({ code, message }: Refusal): Programmed {
  return notProgrammed(code, `Refused: ${message}.`);
}

/** Where a Service can be reached, for conditions, Events and answers to `why`. */
export function reachableAt(addresses: readonly string[]): string {
  return `Reachable at ${addresses.join(' and ')}`;
}

/** The addresses that the status of the Service shows now. */
export function shownAddresses(service: Service): readonly IpAddress[] {
  return ingressOf(service).flatMap(({ ip }) => parseIpAddress(ip ?? '')?.address ?? []);
}

/**
 * The patch that makes the status as desired, or undefined when it is so already. It must be written with the version
 * that was claimed as a precondition: if the Service changed since, and with it perhaps the class, it does not hold.
 */
export function statusPatch(
  claim: ClaimedService,
  desired: DesiredServiceStatus,
  clock: Pick<Clock, 'now'>,
): MergePatch<Service> | undefined {
  const { service } = claim;
  const ingress = service.spec.type === 'LoadBalancer' ? desired.ingress.map(toIngress) : [];
  return patchOf(service, ingress, withProgrammed(service, desired.programmed, clock));
}

/**
 * The patch that takes back what we wrote, or undefined when nothing is left of it. Where the Service has gone to
 * another load balancer, the addresses are that one's and stay.
 */
export function releaseStatusPatch(claim: ServiceToRelease): MergePatch<Service> | undefined {
  const { service } = claim;
  const conditions = conditionsOf(service);
  return patchOf(
    service,
    hasMovedOn(claim) ? ingressOf(service) : [],
    hasOtherPart(claim) ? conditions : conditions.filter((condition) => condition.type !== PROGRAMMED_CONDITION),
  );
}

/**
 * The patch by which a Service that cannot be let go yet says why, or undefined when it says so already, or when what it
 * says is another part's. Its addresses stay.
 */
export function heldStatusPatch(
  claim: ServiceToRelease,
  why: Programmed,
  clock: Pick<Clock, 'now'>,
): MergePatch<Service> | undefined {
  const { service } = claim;
  if (hasOtherPart(claim)) return undefined;
  return patchOf(service, ingressOf(service), withProgrammed(service, why, clock));
}

function hasOtherPart({ service, rules }: ServiceToRelease): boolean {
  const { finalizers = [] } = service.metadata;
  return finalizers.some((held) => isOwnerFinalizer(held) && held !== rules.finalizer);
}

function patchOf(
  service: Service,
  ingress: readonly LoadBalancerIngress[],
  conditions: readonly Condition[],
): MergePatch<Service> | undefined {
  const newIngress = spelled(ingress) !== spelled(ingressOf(service));
  const newConditions = JSON.stringify(conditions) !== JSON.stringify(conditionsOf(service));
  if (!newIngress && !newConditions) return undefined;
  return {
    status: {
      ...(newIngress ? { loadBalancer: { ingress: ingress.length > 0 ? ingress : null } } : {}),
      // A merge patch replaces the whole list: only the precondition of the write keeps the conditions of others.
      ...(newConditions ? { conditions: conditions.length > 0 ? conditions : null } : {}),
    },
  };
}

function toIngress(point: IngressPoint): LoadBalancerIngress {
  const ports = point.ports === undefined || point.ports.length === 0 ? {} : { ports: point.ports };
  if ('hostname' in point) return { hostname: point.hostname, ...ports };
  return { ip: point.address, ipMode: point.mode, ...ports };
}

function withProgrammed(
  service: Service,
  programmed: DesiredServiceStatus['programmed'],
  clock: Pick<Clock, 'now'>,
): readonly Condition[] {
  const { status, reason } = programmed;
  const message = conditionMessage(programmed.message);
  const conditions = conditionsOf(service);
  const present = findCondition(service, PROGRAMMED_CONDITION);
  // Whole seconds are all that the API keeps.
  const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const lastTransitionTime = present?.status === status ? present.lastTransitionTime : now;
  const wanted = { type: PROGRAMMED_CONDITION, status, reason, message, lastTransitionTime };
  if (present === undefined) return [...conditions, wanted];
  return conditions.map((condition) => (condition === present ? { ...present, ...wanted } : condition));
}

/** One text for all spellings of the same ingress: a server that is older than `ipMode` leaves it out. */
function spelled(ingress: readonly LoadBalancerIngress[]): string {
  const normal = ingress.map(({ ip, hostname, ipMode, ports = [] }) => ({
    ip,
    hostname,
    ipMode: ip === undefined ? undefined : (ipMode ?? 'VIP'),
    ports: ports.map(({ port, protocol, error }) => [port, protocol, error]),
  }));
  return JSON.stringify(normal);
}

function ingressOf(service: Service): readonly LoadBalancerIngress[] {
  return service.status?.loadBalancer?.ingress ?? [];
}

function conditionsOf(service: Service): readonly Condition[] {
  return service.status?.conditions ?? [];
}
