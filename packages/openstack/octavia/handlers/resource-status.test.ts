import { FairleadError } from '@fairlead/control';
import { expect, it } from 'vitest';
import { desiredBalancer } from '../balancer/desired.ts';
import type { KuryrLoadBalancer } from '../resource/types.ts';
import { testSite } from '../testing/test-site.ts';
import { failureWrites, settledWrites, waitingWrites } from './resource-status.ts';

it('takes out of the status a floating IP that is no longer there', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-1' }];
  const resource: KuryrLoadBalancer = {
    metadata: { namespace: 'shop', name: 'web', ownerReferences },
    spec: { ports: [], endpointSlices: [] },
    status: { service_pub_ip_info: { ip_id: 'ip-1', ip_addr: '203.0.113.1', alloc_method: 'pool' } },
  };
  const desired = desiredBalancer(resource, testSite);
  if (desired === undefined) throw new Error('it is not complete');
  const nothing = { serving: undefined, tree: undefined, namesake: undefined };
  const observed = { ...nothing, vipPorts: [], subnets: [], floatingIps: [], users: [] };
  expect(settledWrites(resource, desired, observed, 0)).toMatchObject([
    { patch: { status: { service_pub_ip_info: null } } },
  ]);
});

it('tells of a refusal once, whatever number the request had', () => {
  const refusal = (number: string) =>
    new FairleadError(`no such flavor req-${number}`, { verdict: 'terminal', code: 'bad-request' });
  const resource: KuryrLoadBalancer = { metadata: { namespace: 'shop', name: 'web' } };
  const [first] = failureWrites(resource, refusal('0a1b'), 0);
  const { status } = JSON.parse(JSON.stringify(first?.patch));
  expect(status.conditions).toMatchObject([{ message: 'Refused: no such flavor.' }]);
  expect(failureWrites({ ...resource, status }, refusal('2c3d'), 1_000)).toEqual([]);
});

it('tells of another refusal for the same reason', () => {
  const refusal = (flavor: string) =>
    new FairleadError(`no flavor ${flavor}`, { verdict: 'terminal', code: 'bad-request' });
  const resource: KuryrLoadBalancer = { metadata: { namespace: 'shop', name: 'web' } };
  const [first] = failureWrites(resource, refusal('gold'), 0);
  const { status } = JSON.parse(JSON.stringify(first?.patch));
  const [second] = failureWrites({ ...resource, status }, refusal('silver'), 1_000);
  expect(second?.patch.status).toMatchObject({ conditions: [{ message: 'Refused: no flavor silver.' }] });
});

it('tells of nothing that changed under our hands', () => {
  const resource: KuryrLoadBalancer = { metadata: { namespace: 'shop', name: 'web' } };
  expect(failureWrites(resource, new FairleadError('gone', { verdict: 'stale', code: 'conflict' }), 0)).toEqual([]);
});

it('goes on telling of what is below a load balancer while Octavia is at a change of it', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-1' }];
  const [listeners, pools, members] = [[{ id: 'listener' }], [{ id: 'pool' }], [{ id: 'member' }]];
  const resource: KuryrLoadBalancer = {
    metadata: { namespace: 'shop', name: 'web', ownerReferences },
    spec: { ports: [], endpointSlices: [] },
    status: { listeners, pools, members },
  };
  const desired = desiredBalancer(resource, testSite);
  if (desired === undefined) throw new Error('it is not complete');
  const nothing = { serving: undefined, tree: undefined, namesake: undefined };
  const observed = { ...nothing, vipPorts: [], subnets: [], floatingIps: [], users: [] };
  const [write] = waitingWrites(resource, desired, observed, false, 0);
  expect(write?.patch.status).toMatchObject({ listeners, pools, members });
});
