import { clusterId } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { handOnSteps } from './hand-on.ts';
import { type BalancerOwner, descriptionOf, tagsOf } from '../marks.ts';

const cluster = clusterId('cluster-1');
const leaver = { cluster, uid: 'leaver', name: 'shop/leaver' };

/** What a Service that leaves has on the port of a load balancer of another. */
function stepsWith(keeper: BalancerOwner) {
  const mark = { description: descriptionOf(keeper), tags: [...tagsOf(keeper)] };
  const description = descriptionOf(leaver);
  return handOnSteps(leaver, {
    ports: [{ id: 'port', description }],
    floatingIps: [{ id: 'address', port_id: 'port', revision_number: 3, description }],
    users: [{ id: 'balancer', vip_port_id: 'port', ...mark }],
  });
}

it('keeps a floating IP of its own that is on another port', () => {
  const keeper = { cluster, uid: 'keeper', name: 'shop/keeper' };
  const mark = { description: descriptionOf(keeper), tags: [...tagsOf(keeper)] };
  const own = { id: 'address', port_id: 'own', revision_number: 3, description: descriptionOf(leaver) };
  const users = [{ id: 'balancer', vip_port_id: 'port', ...mark }];
  expect(handOnSteps(leaver, { ports: [], floatingIps: [own], users })).toEqual([]);
});

describe('what is on the port of a load balancer of another', () => {
  it('goes to the Service that it is of, the floating IP first', () => {
    const keeper = { cluster, uid: 'keeper', name: 'shop/keeper' };
    const to = { description: descriptionOf(keeper), heir: { relation: 'own', uid: 'keeper', balancerId: 'balancer' } };
    expect(stepsWith(keeper)).toEqual([
      { kind: 'hand-over-floating-ip', id: 'address', revision: 3, ...to },
      { kind: 'hand-over-vip-port', id: 'port', name: 'fairlead-octavia-keeper', ...to },
    ]);
  });

  it.each([
    ['of another namespace', { cluster, uid: 'other', name: 'other/keeper' }],
    ['of another cluster', { cluster: clusterId('cluster-2'), uid: 'other', name: 'shop/keeper' }],
    ['that leaves itself', leaver],
  ])('does not go to a Service %s', (_, keeper) => {
    expect(stepsWith(keeper)).toEqual([]);
  });
});
