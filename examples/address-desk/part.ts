import { JsonApi, jsonApiMetrics, withinLease } from '@fairlead/cloud';
import {
  type ClusterId,
  type HttpTransport,
  noMetrics,
  requireIpAddress,
  runSteps,
  seededRandom,
  type Step,
} from '@fairlead/control';
import { keyText, ObjectWriter, type Service, services } from '@fairlead/kube';
import * as part from '@fairlead/part';
import * as service from '@fairlead/service';
import { z } from 'zod';

/** What the operator writes under `parts.address-desk`. */
const schema = z.strictObject({ endpoint: z.url().describe('Where the address desk is.') });

const NAME = 'address-desk';
const CLASS = 'fairlead.dev/address-desk';
const heldBack = {
  name: 'fairlead_desk_held_back',
  kind: 'gauge',
  help: 'Leases that are not given back yet.',
} as const;

// The outside.
const leaseShape = z.object({ uid: z.string(), cluster: z.string(), address: z.string() });
type Lease = z.infer<typeof leaseShape>;

/** Leases out addresses: `GET /leases`, and `GET`, `PUT` and `DELETE /leases/UID`. Only what carries our mark is ours. */
const deskOf = (api: JsonApi, cluster: ClusterId, signal: AbortSignal) => ({
  async find(uid: string): Promise<Lease | undefined> {
    const found = leaseShape.safeParse(await api.get('leases', uid, { signal }));
    return found.success && found.data.cluster === cluster ? found.data : undefined;
  },
  /** The lease carries our mark in the very call that makes it; asking again gives the same address. */
  take: async (uid: string) => leaseShape.parse(await api.put('leases', uid, { uid, cluster }, { signal })),
  giveBack: (uid: string) => api.delete('leases', uid, { signal }),
  list: async () =>
    z
      .array(leaseShape)
      .parse(await api.get('leases', undefined, { signal }))
      .filter((lease) => lease.cluster === cluster),
});

// Desired and plan: pure.
const claimRules = (defaultClass: string | undefined): service.ClaimRules => ({
  loadBalancerClass: CLASS,
  finalizer: CLASS,
  isDefault: defaultClass === CLASS,
});

/** A Service that is served wants one address, and that is all there is to say of it. */
type Desired = service.ServiceReading<{ readonly uid: string }>;

const desiredFor = (one: Service, rules: service.ClaimRules): Desired =>
  service.readService(one, rules, ({ metadata: { uid = '' }, spec }) => {
    if (spec.ipFamilies?.includes('IPv6'))
      throw service.refusal('family-unsupported', 'it asks for IPv6, which the desk has not');
    return { uid };
  });

/** What is to be written to the Service: its finalizer before the desk is asked for anything, the rest afterwards. */
function writesFor(desired: Desired, lease: Lease | undefined, now: () => number): readonly service.ServiceWrite[] {
  if (desired.kind === 'release') return service.releaseWrites(desired.claim);
  if (desired.kind === 'foreign' || desired.kind === 'unreadable') return [];
  const hold = service.holdWrites(desired.claim);
  if (desired.kind === 'serve' && lease === undefined) return hold;
  // An edit that cannot be honoured takes no served address away.
  const shown = service.shownAddresses(desired.claim.service);
  const addresses = desired.kind === 'refuse' || lease === undefined ? shown : [requireIpAddress(lease.address)];
  const ingress = addresses.map((address) => ({ address, mode: 'VIP' as const }));
  const programmed = desired.kind === 'refuse' ? service.refused(desired.refusal) : service.programmed(addresses);
  return [...hold, ...service.statusWrites(desired.claim, { ingress, programmed }, { now })];
}

// Apply: while we lead.
async function lead(desk: ReturnType<typeof deskOf>, environment: part.LeaderEnvironment): Promise<void> {
  const { caches, clock, events, journal, readiness, signal } = environment;
  const rules = claimRules(environment.defaultClass);
  const cache = caches.projected(services, service.serviceProjection({ rules }));
  const writer = new ObjectWriter<Service>({ ...environment, resource: services, fieldManager: `fairlead-${NAME}` });
  const failureReason = () => 'SyncLoadBalancerFailed';
  const watched = { name: NAME, resource: services, cache, concurrency: 10, failureReason };
  const controller = part.objectController(environment, watched);

  const outside = (key: string, step: Step) => runSteps([step], { journal, key: `service ${key}` }, signal);

  async function reconcile(key: string): Promise<void> {
    const one = writer.latest(key, cache.get(key));
    if (one === undefined) return;
    const desired = desiredFor(one, rules);
    if (desired.kind === 'unreadable') throw desired.error;
    if (desired.kind === 'serve') return serve(desired, key);
    if (desired.kind === 'release') {
      const ifItDiesHere = 'The finalizer holds the Service: the next leader finds no lease and lets it go.';
      const run = () => desk.giveBack(one.metadata.uid ?? '');
      await outside(key, { name: 'give-back', call: 'DELETE leases', ifItDiesHere, run });
    }
    const writes = writesFor(desired, undefined, () => clock.now());
    await writer.write(one, writes, signal);
    if (writes.length > 0) service.announceUnserved(events, desired);
  }

  async function serve(desired: Extract<Desired, { kind: 'serve' }>, key: string): Promise<void> {
    const { uid } = desired.wanted;
    const hold = writesFor(desired, undefined, () => clock.now());
    const claim = await service.writeClaimed(writer, desired.claim, hold, signal);
    let lease = await desk.find(uid);
    if (lease === undefined) {
      const ifItDiesHere = 'The lease carries the UID: the next leader finds it and publishes the address.';
      const run = async () => void (lease = await desk.take(uid));
      await outside(key, { name: 'take-lease', call: 'PUT leases', ifItDiesHere, run });
    }
    const writes = writesFor({ ...desired, claim }, lease, () => clock.now());
    await writer.write(claim.service, writes, signal);
    const note = service.serviceNotes.reachable([lease?.address ?? '']);
    if (writes.length > 0) service.recordOnService(events, claim.service, 'EnsuredLoadBalancer', note);
  }

  const cluster = new part.ClusterEvents(environment);
  const brake = { things: 'leases' };
  const guard = new part.DeletionGuard<string>({ ...environment, cluster, brake, gauge: heldBack });

  /** Gives back what no Service stands behind, and has every Service looked at again. */
  async function compare(): Promise<void> {
    const begunAt = clock.monotonic();
    const leases = await desk.list();
    // Only now: a lease that was listed was taken for a Service that the cache had before.
    const ours = cache.list().filter((one) => service.claimService(one, rules).state !== 'foreign');
    const owners = new Set(ours.map(({ metadata }) => metadata.uid));
    const leftovers = leases.map(({ uid }) => uid).filter((uid) => !owners.has(uid));
    for (const uid of guard.allow(leftovers, leases.length, begunAt)) await desk.giveBack(uid);
    for (const { metadata } of ours) controller.add(keyText(metadata));
  }

  const health = new part.Health(readiness);
  const times = { intervalMilliseconds: 600_000, outside: 'the address desk' };
  const comparison = new part.Comparison({ ...environment, health, ...times, compare });
  await controller.synced(signal);
  health.started();
  comparison.suspect('a new leader looks for what the one before it left behind');
  await Promise.all([controller.run(reconcile, signal), comparison.run(signal)]);
}

// The part, as the command line sees it.
/** Gives Services addresses that a desk leases out. `transport` is how it gets there. */
export function addressDeskPart(transport: HttpTransport): part.Part<part.LeaderPart> {
  async function look({ endpoint }: z.infer<typeof schema>, environment: part.ReadEnvironment) {
    const { client, clock, signal, defaultClass } = environment;
    const cluster = await part.readClusterId(undefined, client, { signal });
    const quiet = { clock, random: seededRandom(1), metrics: noMetrics };
    const desk = deskOf(new JsonApi({ name: NAME, endpoint, transport, ...quiet }), cluster, signal);
    const leases = await desk.list();
    const { items } = await client.list(services, { signal });
    const reported = items.map((one) => {
      const reading = desiredFor(one, claimRules(defaultClass));
      const lease = leases.find(({ uid }) => uid === one.metadata.uid);
      // Where there is no lease, taking one and publishing its address are to come.
      const missing = reading.kind === 'serve' && lease === undefined ? 2 : 0;
      const writes = writesFor(reading, lease, () => clock.now()).length + missing;
      const detail = `has ${lease?.address ?? 'no address yet'}`;
      return [keyText(one.metadata), { reading, writes, detail, isThere: lease !== undefined }] as const;
    });
    return new Map(reported);
  }

  return part.definePart({
    name: NAME,
    summary: 'Gives Services addresses that a desk leases out.',
    loadBalancerClass: CLASS,
    schema,
    permissions: [...service.servicePermissions, part.clusterPermission],
    metrics: [heldBack, ...jsonApiMetrics],
    events: service.describeServiceEvents('EnsuredLoadBalancer', 'LoadBalancerRefused', 'DeletedLoadBalancer'),
    explains: ['service'],
    configure: (configuration): part.LeaderPart => ({
      runs: 'leader',
      async start(environment) {
        const cluster = await part.readClusterId(undefined, environment.client, environment);
        const beforeCall = withinLease(environment.leadership);
        const api = new JsonApi({ ...environment, ...configuration, name: NAME, transport, beforeCall });
        await lead(deskOf(api, cluster, environment.signal), environment);
      },
      plan: async (environment) => ({ changes: service.serviceChanges(await look(configuration, environment)) }),
      async explain(environment, subject) {
        const found = (await look(configuration, environment)).get(keyText(subject));
        if (subject.kind !== 'service' || found === undefined) return undefined;
        return service.explainReported(found, { subject: `Service ${keyText(subject)}`, servedBy: 'the address desk' });
      },
      async status(environment) {
        const counts = service.countServices((await look(configuration, environment)).values());
        return { summary: `${counts.served} Services served`, figures: { ...counts } };
      },
    }),
  });
}
