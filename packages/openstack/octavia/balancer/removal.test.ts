import { clusterId } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { FloatingIp } from '../../client/index.ts';
import { MemoryLbaas } from '../testing/memory-lbaas.ts';
import { type BalancerOwner, descriptionOf, tagsOf } from './marks.ts';
import { planRemoval } from './removal.ts';

const owner: BalancerOwner = { cluster: clusterId('cluster-1'), uid: 'uid-1', name: 'shop/web' };
const neighbour: BalancerOwner = { ...owner, uid: 'uid-2', name: 'shop/other' };
const stranger: BalancerOwner = { ...neighbour, cluster: clusterId('cluster-2') };

/** A load balancer of the owner's, with a listener there and a floating IP on its port that are of others. */
async function left(listenerOf: BalancerOwner, floatingIpOf: BalancerOwner) {
  const lbaas = new MemoryLbaas();
  const markOf = (one: BalancerOwner) => ({ description: descriptionOf(one), tags: [...tagsOf(one)] });
  const listener = { name: 'theirs', protocol: 'TCP', protocol_port: 80, ...markOf(listenerOf) } as const;
  const body = { name: owner.name, vip_port_id: 'port', listeners: [listener], ...markOf(owner) };
  await lbaas.perform({ kind: 'create-load-balancer', body });
  const [balancer] = lbaas.balancers.values();
  if (balancer === undefined) throw new Error('there is none');
  const floatingIp: FloatingIp = {
    id: 'address',
    project_id: 'p',
    floating_ip_address: '203.0.113.7',
    floating_network_id: 'public',
    fixed_ip_address: null,
    port_id: 'port',
    description: descriptionOf(floatingIpOf),
    revision_number: 1,
    tags: [],
  };
  const sharers = [{ uid: listenerOf.uid, balancerId: balancer.id }];
  const nothing = { shared: [], vipPorts: [], users: [] };
  return { ...nothing, own: [await lbaas.tree(balancer)], floatingIps: [floatingIp], sharers };
}

async function stepsWith(...others: Parameters<typeof left>): Promise<readonly string[]> {
  return planRemoval(owner, false, await left(...others)).steps.map(({ kind }) => kind);
}

describe('a load balancer whose Service leaves', () => {
  it('passes to a neighbour that shares it, and to none of another cluster, be its namespace called the same', async () => {
    expect(await stepsWith(neighbour, owner)).toEqual(['hand-over-floating-ip', 'update-load-balancer']);
    expect(await stepsWith(stranger, owner)).toEqual(['delete-floating-ip', 'delete-load-balancer']);
  });

  it('takes the floating IP back that a neighbour was to inherit, and none of another cluster', async () => {
    expect(await stepsWith(owner, neighbour)).toEqual(['hand-over-floating-ip', 'delete-load-balancer']);
    expect(await stepsWith(owner, stranger)).toEqual(['delete-load-balancer']);
  });
});
