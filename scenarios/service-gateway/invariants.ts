import { hasFinalizer, keyText, leases, type Pod, pods, type Service, services } from '@fairlead/kube';
import type { Invariant } from '@fairlead/sim';
import type { LoggedCall } from '@fairlead/sim/azure';
import { listAt, objectAt, textAt } from './arm-body.ts';
import { Continuity } from './continuity.ts';
import { RefusedServices } from './refused-services.ts';
import { Sight } from './sight.ts';
import { addressNames, FINALIZER, GATEWAY, loadBalancerId, POD_FINALIZER, publicIpId } from './site.ts';
import { canonical, familyOfService, isOurs, uidOf } from './wanted.ts';
import type { World } from './world.ts';

/** What must hold after every step. */
export function invariants(world: World): readonly Invariant[] {
  const sight = new Sight(world);
  const pods = new HeldPods();
  const held = new HeldServices();
  const addresses = new PublicAddresses();
  const continuity = new Continuity();
  const refused = new RefusedServices();
  const whenever = (hasChanged: () => boolean, check: (sight: Sight) => string | undefined) => () =>
    hasChanged() ? check(sight) : undefined;
  const onAzure = (check: (sight: Sight) => string | undefined) => whenever(() => sight.azureChanged, check);
  const onCluster = (check: (sight: Sight) => string | undefined) => whenever(() => sight.clusterChanged, check);
  const onEither = (check: (sight: Sight) => string | undefined) =>
    whenever(() => sight.clusterChanged || sight.azureChanged, check);
  const others = onAzure(() => world.neighbours.disturbed());
  return [
    {
      name: 'others are left alone',
      check: () => {
        sight.refresh();
        return others();
      },
    },
    { name: "nobody's change is overwritten", check: onAzure(() => world.azure.overwrites[0]) },
    { name: 'held before it exists outside', check: onAzure(writtenUnheld) },
    { name: 'one leader writes', check: onAzure(writtenOnStandby) },
    { name: 'drained before it is unregistered', check: onAzure(unregisteredInUse) },
    { name: 'other classes are left alone', check: onCluster(touched) },
    { name: 'no pod is let go early', check: onCluster((now) => pods.letGoEarly(now)) },
    { name: 'no Service is let go early', check: onCluster((now) => held.letGoEarly(now)) },
    { name: 'a public address stays', check: onEither((now) => addresses.changed(now)) },
    { name: 'an address stays in service', check: onEither((now) => continuity.gap(now)) },
    {
      name: 'an address never enters a refused Service that showed no ingress',
      check: onEither((now) => refused.entered(now)),
    },
  ];
}

/** Each write to Azure comes from the replica that holds the Lease, or held it last. */
function writtenOnStandby({ world, writes: [write] }: Sight): string | undefined {
  if (write === undefined) return undefined;
  const holder = world.objects(leases)[0]?.spec?.holderIdentity;
  if (holder === undefined || holder === null || holder.startsWith(`${write.correlationId}_`)) return undefined;
  return `${write.correlationId} wrote ${write.kind}/${write.name} while ${holder} leads`;
}

/** Nothing is made for a Service that no finalizer of ours holds. */
function writtenUnheld({ world, writes }: Sight): string | undefined {
  for (const { method, kind, name } of writes) {
    if (method !== 'PUT' || (kind !== 'publicIPAddresses' && kind !== 'loadBalancers')) continue;
    const uid = name.replace(/-pip(?:-v6)?$/, '');
    const service = world.objects(services).find((candidate) => uidOf(candidate) === uid);
    if (service === undefined || hasFinalizer(service, FINALIZER) || world.meddling.freed.has(uid)) continue;
    return `${kind}/${name} is written, and no finalizer of ours holds ${keyText(service.metadata)}`;
  }
  return undefined;
}

function unregisteredInUse({ world, writes, named }: Sight): string | undefined {
  for (const name of writes.flatMap(unregistered)) {
    const place = [...named].find(([, names]) => names.includes(name))?.[0];
    if (place === undefined || world.meddling.stuffed.has(name)) continue;
    return `${name} was to be unregistered, and ${place} is still under it`;
  }
  return undefined;
}

function unregistered({ kind, body = {} }: LoggedCall): readonly string[] {
  if (kind !== 'updateServices') return [];
  return listAt(body, 'serviceRequests').flatMap((request) =>
    request['isDelete'] === true ? textAt(objectAt(request, 'service'), 'name').toLowerCase() : [],
  );
}

function touched({ world }: Sight): string | undefined {
  for (const service of world.objects(services)) {
    if (service.spec.loadBalancerClass !== 'example.com/other') continue;
    if (hasFinalizer(service, FINALIZER) || service.status?.conditions !== undefined) {
      return `${keyText(service.metadata)} is of another class, and was touched`;
    }
  }
  return undefined;
}

/** The pods that were held a step ago. */
class HeldPods {
  /** UID -> all addresses that it had. */
  readonly #addresses = new Map<string, ReadonlySet<string>>();
  #held = new Map<string, Pod>();

  letGoEarly(sight: Sight): string | undefined {
    const present = sight.world.objects(pods);
    for (const pod of present) {
      const addresses = (pod.status?.podIPs ?? []).map(({ ip }) => canonical(ip));
      this.#addresses.set(uidOf(pod), new Set([...(this.#addresses.get(uidOf(pod)) ?? []), ...addresses]));
    }
    const held = new Map(present.filter((pod) => hasFinalizer(pod, POD_FINALIZER)).map((pod) => [uidOf(pod), pod]));
    const before = this.#held;
    this.#held = held;
    for (const [uid, pod] of before) {
      if (held.has(uid)) continue;
      const others = present.filter((other) => uidOf(other) !== uid).map(uidOf);
      const isElsewhere = (address: string) => others.some((other) => this.#addresses.get(other)?.has(address));
      for (const [place, names] of sight.named) {
        const [address = ''] = place.split('@');
        if (this.#addresses.get(uid)?.has(address) !== true || isElsewhere(address)) continue;
        const egress = names.find((name) => sight.isEgressOfOurs(name));
        if (egress !== undefined) return `${pod.metadata.name} was let go, and ${place} is still under ${egress}`;
      }
    }
    return undefined;
  }
}

/** The Services that were held a step ago. */
class HeldServices {
  #held = new Map<string, Service>();

  letGoEarly({ world }: Sight): string | undefined {
    const { azure, meddling } = world;
    const present = world.objects(services).filter((service) => hasFinalizer(service, FINALIZER));
    const before = this.#held;
    this.#held = new Map(present.map((service) => [uidOf(service), service]));
    for (const [uid, { metadata }] of before) {
      if (this.#held.has(uid) || meddling.freed.has(uid)) continue;
      const ids = [loadBalancerId(uid), ...addressNames(uid).map(publicIpId)];
      const left = ids.find((id) => azure.resource(id) !== undefined);
      if (left !== undefined) return `${keyText(metadata)} was let go, and ${left} is still there`;
      if (azure.gateway(GATEWAY).services.has(uid)) return `${keyText(metadata)} was let go while it is registered`;
    }
    return undefined;
  }
}

/** The addresses under which Services were reachable. */
class PublicAddresses {
  /** UID -> the address; `undefined` for one that was not to be served for a while, so that it may have another. */
  readonly #shown = new Map<string, string | undefined>();

  changed({ world }: Sight): string | undefined {
    for (const service of world.objects(services)) {
      const uid = uidOf(service);
      if (!isOurs(service)) {
        this.#shown.set(uid, undefined);
        continue;
      }
      if ((this.#shown.has(uid) && this.#shown.get(uid) === undefined) || world.meddling.robbed.has(uid)) continue;
      const address = service.status?.loadBalancer?.ingress?.[0]?.ip;
      const before = this.#shown.get(uid);
      if (before === undefined) {
        if (address !== undefined) this.#shown.set(uid, address);
        continue;
      }
      const name = keyText(service.metadata);
      if (address !== before) return `${name} was reachable at ${before}, and shows ${address ?? 'no address'} now`;
      const id = publicIpId(familyOfService(service) === 'IPv6' ? `${uid}-pip-v6` : `${uid}-pip`);
      const there = textAt(objectAt(world.azure.resource(id), 'properties'), 'ipAddress');
      if (there !== before) return `${name} was reachable at ${before}, and Azure has ${there || 'no address'} now`;
    }
    return undefined;
  }
}
