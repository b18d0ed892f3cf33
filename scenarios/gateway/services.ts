import type { Clock } from '@fairlead/control';
import { silentLogger } from '@fairlead/control';
import { keyText, removeFinalizer, type Service, services } from '@fairlead/kube';
import { type LeaderPart, writesOf } from '@fairlead/part';
import type { Invariant } from '@fairlead/sim';
import type { Cluster } from '../kubernetes.ts';
import { whenChanged } from '../when-changed.ts';

export const NAMESPACE = 'shop';
export const REPLICAS = ['replica-1', 'replica-2'];
export const CLASS = 'fairlead.dev/gateway';
export const FINALIZER = 'fairlead.dev/gateway';
export const L2_PORTS = 'gateway.fairlead.dev/l2-ports';
export const FORMER_PORT = 'cah-loadbalancer.k8s.cloudandheat.com/inbound-port';
export const L4_PORTS = 'gateway.fairlead.dev/l4-ports';
export const POOL = 'gateway.fairlead.dev/pool';
export const SHARING = 'gateway.fairlead.dev/sharing';
/** Of another controller, which takes it off only when the Service is being deleted and nothing else holds it. */
export const BACKUP = 'example.com/backup';

/** What users and their controllers did, beside what the objects tell. */
export interface Deeds {
  /** UIDs of the Services that another controller holds. */
  readonly backedUp: Set<string>;
  /** UIDs of those whose owner forged a record: it is theirs to take off where we never held it. */
  readonly forged: Set<string>;
}

/** What is asked about the Services of a world. */
export interface ServiceWorld extends Cluster, Deeds {
  readonly part: LeaderPart;
  readonly promises: Promises;
  /** Addresses that another program deleted outside: the Services that show them are to get others. */
  readonly takenAway?: ReadonlySet<string>;
}

/** What must hold of Services at every step. */
export function serviceInvariants(world: ServiceWorld): readonly Invariant[] {
  const { objects, backedUp, promises, takenAway } = world;
  return whenChanged(
    () => [objects(services), backedUp.size, takenAway?.size],
    [
      { name: 'no address twice', check: () => givenTwice(world) },
      { name: 'what was given stays given', check: () => promises.broken(objects(services), takenAway) },
      { name: 'others untouched', check: () => touched(world) },
      { name: 'held while shown', check: () => shownAndLetGo(world) },
    ],
  );
}

export function isOurs({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.loadBalancerClass === CLASS;
}

function ingressOf(service: Service) {
  return service.status?.loadBalancer?.ingress ?? [];
}

/** What its status says that it was given: `192.0.2.1 TCP/80`. */
export function givenTo(service: Service): readonly string[] {
  return ingressOf(service).flatMap(({ ip = '', ports = [] }) =>
    ports.flatMap(({ port, protocol, error }) => (error === undefined ? [`${ip} ${protocol}/${port}`] : [])),
  );
}

/** The address in what a Service was given. */
export function addressOf(pair: string): string {
  return pair.split(' ')[0] ?? '';
}

/** A Service loses nothing that it was given as long as its owner asks for the same, whatever others do or crash. */
export class Promises {
  /** UID -> what it asks for, what it was given for that, and the status that said so. */
  readonly #promises = new Map<string, { asks: string; given: readonly string[]; status: string }>();

  /** `takenAway` are addresses that another program deleted outside: no leader can keep them. */
  broken(all: readonly Service[], takenAway: ReadonlySet<string> = new Set()): string | undefined {
    for (const service of all) {
      const { uid = '', annotations = {}, deletionTimestamp } = service.metadata;
      const asks = JSON.stringify([service.spec, annotations[SHARING], annotations[POOL], deletionTimestamp]);
      const status = JSON.stringify(ingressOf(service));
      const before = this.#promises.get(uid);
      if (before?.asks !== asks) {
        this.#promises.set(uid, { asks, given: [], status });
        continue;
      }
      if (before.status === status) continue;
      // One that is served in part moves to where all of it can be had.
      const isWhole = service.status?.conditions?.[0]?.status === 'True';
      const given = isWhole ? givenTo(service) : [];
      const isLost = (pair: string) => !givenTo(service).includes(pair) && !takenAway.has(addressOf(pair));
      const lost = before.given.find(isLost);
      if (lost !== undefined) return `${nameOf(service)} lost ${lost} without having asked for anything else`;
      this.#promises.set(uid, { asks, given, status });
    }
    return undefined;
  }
}

function givenTwice({ objects }: ServiceWorld): string | undefined {
  const holders = new Map<string, Service>();
  for (const service of objects(services)) {
    for (const pair of givenTo(service)) {
      const other = holders.get(pair);
      if (other !== undefined) return `${pair} is given to ${nameOf(other)} and ${nameOf(service)}`;
      holders.set(pair, service);
    }
  }
  return undefined;
}

export function nameOf(service: Service): string {
  return keyText(service.metadata);
}

function touched({ objects, backedUp }: ServiceWorld): string | undefined {
  for (const service of objects(services)) {
    if (backedUp.has(service.metadata.uid ?? '') && !service.metadata.finalizers?.includes(BACKUP)) {
      return `${nameOf(service)} lost the finalizer of another controller`;
    }
    if (service.spec.loadBalancerClass !== 'example.com/other') continue;
    const { finalizers = [], annotations = {} } = service.metadata;
    if (finalizers.includes(FINALIZER) || L2_PORTS in annotations || service.status?.conditions !== undefined) {
      return `${nameOf(service)} is of another class, and was touched`;
    }
  }
  return undefined;
}

function shownAndLetGo({ objects }: ServiceWorld): string | undefined {
  for (const service of objects(services)) {
    const { finalizers = [], annotations = {} } = service.metadata;
    if (ingressOf(service).length === 0 || finalizers.includes(FINALIZER)) continue;
    // What ch-k8s-lbaas shows, before we have seen it.
    if (FORMER_PORT in annotations && !(L2_PORTS in annotations)) continue;
    return `${nameOf(service)} shows an address, and nobody holds it by a finalizer`;
  }
  return undefined;
}

/** Stands still: no time passes while it is asked. */
const STILL: Clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }), turn: async () => {} };

/** What a leader has still to do. */
export async function unfinishedServices(world: ServiceWorld): Promise<string | undefined> {
  for (const service of world.objects(services)) {
    if (service.metadata.deletionTimestamp === undefined) continue;
    // The other controller has done its work when nothing else holds the Service.
    if (service.metadata.finalizers?.join() === BACKUP) {
      world.backedUp.delete(service.metadata.uid ?? '');
      await removeFinalizer(world.editor, services, service, BACKUP);
    }
    return `${nameOf(service)} is still being deleted`;
  }
  const plan = await world.part.plan({
    client: world.editor,
    clock: STILL,
    logger: silentLogger,
    signal: new AbortController().signal,
  });
  if (writesOf(plan) === 0) return undefined;
  const first = plan.changes.find((change) => change.writes > 0);
  return `${first?.subject}: ${first?.action}, ${first?.detail}`;
}

/** Services that are not ours, and marked as if they were. */
export function leakedMarks({ objects, forged }: ServiceWorld): readonly string[] {
  const isRecorded = ({ metadata }: Service) =>
    L2_PORTS in (metadata.annotations ?? {}) && !forged.has(metadata.uid ?? '');
  return [...objects(services)]
    .filter((service) => !isOurs(service))
    .filter((service) => service.metadata.finalizers?.includes(FINALIZER) || isRecorded(service))
    .map((service) => `${nameOf(service)} is not ours any more, and still marked as if it were`);
}
