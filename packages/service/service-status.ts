import type { Clock, IpAddress } from '@fairlead/control';
import {
  type Condition,
  findCondition,
  type KubeClient,
  type LoadBalancerIngress,
  type LoadBalancerIngressPort,
  type MergePatch,
  type Service,
  services,
  statusOf,
  type WriteOptions,
} from '@fairlead/kube';
import { type ClaimedService, isOwnerFinalizer, type ServiceToRelease } from './class-claim.ts';

/** The one condition Fairlead keeps on a Service: whether its load balancer is as the Service asks. */
export const PROGRAMMED_CONDITION = 'fairlead.dev/Programmed';

const serviceStatus = statusOf(services);

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
  readonly programmed: Pick<Condition, 'status' | 'reason' | 'message'>;
}

export type ServiceStatusPatch = MergePatch<Service>;

/**
 * The patch that makes the status as desired, or undefined when it is so already. It holds only for the very
 * version of the Service that was claimed: if that changed since, and with it perhaps the class, the server refuses.
 */
export function statusPatch(
  claim: ClaimedService,
  desired: DesiredServiceStatus,
  clock: Pick<Clock, 'now'>,
): ServiceStatusPatch | undefined {
  const { service } = claim;
  const ingress = service.spec.type === 'LoadBalancer' ? desired.ingress.map(toIngress) : [];
  return patchOf(service, ingress, withProgrammed(service, desired.programmed, clock));
}

/**
 * The patch that takes back what we wrote, or undefined when nothing is left of it. Where the Service has gone to
 * another load balancer, the addresses are that one's and stay.
 */
export function releaseStatusPatch(claim: ServiceToRelease): ServiceStatusPatch | undefined {
  const { service, rules, reason } = claim;
  const movedOn = reason === 'class-changed' || reason === 'owned-by-other-part';
  const hasOtherPart = service.metadata.finalizers?.some((held) => isOwnerFinalizer(held) && held !== rules.finalizer);
  const conditions = conditionsOf(service);
  return patchOf(
    service,
    movedOn ? ingressOf(service) : [],
    hasOtherPart ? conditions : conditions.filter((condition) => condition.type !== PROGRAMMED_CONDITION),
  );
}

/** Makes the status as desired, writing only on a difference. Rejects as stale when the Service changed meanwhile. */
export async function writeServiceStatus(
  client: Pick<KubeClient, 'patchMerge'>,
  claim: ClaimedService,
  desired: DesiredServiceStatus,
  clock: Pick<Clock, 'now'>,
  options?: WriteOptions,
): Promise<Service> {
  return writePatch(client, claim.service, statusPatch(claim, desired, clock), options);
}

/** Takes back what we wrote to the status, if any of it is left. Rejects as stale when the Service changed since. */
export async function clearServiceStatus(
  client: Pick<KubeClient, 'patchMerge'>,
  claim: ServiceToRelease,
  options?: WriteOptions,
): Promise<Service> {
  return writePatch(client, claim.service, releaseStatusPatch(claim), options);
}

async function writePatch(
  client: Pick<KubeClient, 'patchMerge'>,
  service: Service,
  patch: ServiceStatusPatch | undefined,
  options?: WriteOptions,
): Promise<Service> {
  return patch === undefined ? service : client.patchMerge<Service>(serviceStatus, service.metadata, patch, options);
}

function patchOf(
  service: Service,
  ingress: readonly LoadBalancerIngress[],
  conditions: readonly Condition[],
): ServiceStatusPatch | undefined {
  const newIngress = spelled(ingress) !== spelled(ingressOf(service));
  const newConditions = JSON.stringify(conditions) !== JSON.stringify(conditionsOf(service));
  if (!newIngress && !newConditions) return undefined;
  const { resourceVersion } = service.metadata;
  return {
    ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }),
    status: {
      ...(newIngress ? { loadBalancer: { ingress: ingress.length > 0 ? ingress : null } } : {}),
      // A merge patch replaces the whole list: the version above keeps the conditions of others from being lost.
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
  const { status, reason, message } = programmed;
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
