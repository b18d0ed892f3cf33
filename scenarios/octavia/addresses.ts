import type { Invariant } from '@fairlead/sim';
import { SHARERS } from './edits.ts';
import { ownerByMark } from './marks.ts';
import { resources } from './resources.ts';
import { fieldText, NAMESPACE } from './site.ts';
import type { World } from './world.ts';

type Found = Readonly<Record<string, unknown>>;

/** The addresses of load balancers outlive whoever made them. */
export function addressInvariants(world: World): readonly Invariant[] {
  const { emulator, objects, vipPorts } = world;
  const sharedAddresses = new Map<string, string>();
  return [
    {
      name: 'the port of a VIP lasts as long as its resource',
      check() {
        const kept = new Map(
          objects(resources)
            // One that shares a load balancer needs none of its own any more.
            .filter(({ metadata, spec }) => {
              return metadata.deletionTimestamp === undefined && spec?.vip?.load_balancer_id === undefined;
            })
            .map(({ metadata, status }) => [metadata.ownerReferences?.[0]?.uid ?? '', status?.loadbalancer?.port_id]),
        );
        for (const uid of vipPorts.keys()) if (!kept.has(uid)) vipPorts.delete(uid);
        for (const [uid, told] of kept) {
          const ports = emulator.resources('ports').filter(({ name }) => name === `fairlead-octavia-${uid}`);
          const isThere = (port: string | undefined) => ports.some(({ id }) => id === port);
          const before = vipPorts.get(uid);
          if (before !== undefined && !isThere(before)) return `the port ${before} of ${uid} is gone`;
          // It may still tell of the one that it shared, which was handed to it in part, or of one of predecessors.
          if (told === undefined || !isThere(told) || !hasBalancerOn(world, uid, told)) continue;
          if (before !== undefined && before !== told) return `${uid} had the port ${before}, and has ${told}`;
          vipPorts.set(uid, told);
        }
        return undefined;
      },
    },
    {
      name: 'a load balancer has the port of its VIP for as long as it is there',
      check() {
        const ports = new Set(emulator.resources('ports').map(({ id }) => id));
        const without = emulator
          .octaviaResources('loadbalancers')
          .find((one) => ownerByMark(one) !== undefined && !isLeaving(one) && !ports.has(one['vip_port_id']));
        return without === undefined ? undefined : `the port of ${fieldText(without, 'name')} is gone`;
      },
    },
    {
      name: 'a floating IP lasts as long as someone shares the load balancer that it leads to',
      check() {
        const shared = emulator.octaviaResources('loadbalancers').filter((one) => isOfSharersAlone(world, one));
        const ids = new Set(shared.map((one) => fieldText(one, 'id')));
        for (const id of sharedAddresses.keys()) if (!ids.has(id)) sharedAddresses.delete(id);
        for (const balancer of shared) {
          const id = fieldText(balancer, 'id');
          const there = emulator
            .resources('floatingips')
            .filter(({ port_id }) => port_id === balancer['vip_port_id'])
            .map((one) => fieldText(one, 'floating_ip_address'));
          const before = sharedAddresses.get(id);
          if (before !== undefined && !there.includes(before)) return `${before} leads not to ${id} any more`;
          if (there[0] !== undefined) sharedAddresses.set(id, there[0]);
        }
        return undefined;
      },
    },
  ];
}

function isLeaving(balancer: Found): boolean {
  return balancer['provisioning_status'] === 'PENDING_DELETE';
}

function hasBalancerOn({ emulator }: World, uid: string, port: string): boolean {
  return emulator
    .octaviaResources('loadbalancers')
    .some((one) => ownerByMark(one) === uid && one['vip_port_id'] === port);
}

/**
 * Whether it is shared by those only that want nothing else of it. Others may be given it, and then ask for another
 * address, or for none.
 */
function isOfSharersAlone({ emulator, objects }: World, balancer: Found): boolean {
  const { owner, heirs } = SHARERS;
  if (balancer['name'] !== `${NAMESPACE}/${owner}` || isLeaving(balancer)) return false;
  const isOfThem = (one: Found) => [owner, ...heirs].some((name) => fieldText(one, 'description').endsWith(`/${name}`));
  const listeners = emulator.octaviaResources('listeners').filter((one) => one['loadbalancer_id'] === balancer['id']);
  const asking = objects(resources).filter(
    ({ metadata, spec }) => spec?.vip?.load_balancer_id === balancer['id'] && metadata.deletionTimestamp === undefined,
  );
  const isServedThere = (uid = '') => listeners.some((one) => ownerByMark(one) === uid);
  const isShared = asking.some(({ metadata }) => isServedThere(metadata.ownerReferences?.[0]?.uid));
  const isAskedByThem = asking.every(({ metadata }) => heirs.some((name) => name === metadata.name));
  return isShared && isAskedByThem && [balancer, ...listeners].every(isOfThem);
}
