import { result } from '@fairlead/control/testing';
import { expect, it, vi } from 'vitest';
import { emulated, withNetwork } from '../../client/testing/emulated.ts';
import { MemoryLbaas } from '../testing/memory-lbaas.ts';
import { testSite } from '../testing/test-site.ts';
import { BalancerCloud } from './cloud.ts';
import { descriptionOf, tagsOf, vipPortName } from './marks.ts';

it('makes no port for a Service that is handed one at the same time', async () => {
  const openstack = emulated();
  const { emulator, project, neutron, clock } = openstack;
  const network_id = withNetwork(openstack);
  const lbaas = new MemoryLbaas();
  const owner = { cluster: testSite.cluster, uid: 'uid-2', name: 'shop/second' };
  const description = descriptionOf(owner);
  await lbaas.perform({ kind: 'create-load-balancer', body: { name: 'web', description, tags: [...tagsOf(owner)] } });
  const [balancerId = ''] = lbaas.balancers.keys();
  const cloud = new BalancerCloud(lbaas, neutron, { sharers: () => [], servedOn: () => [], hasChanged() {} });
  const creating = vi.spyOn(neutron, 'createPort');
  const name = vipPortName(owner.uid);
  const id = emulator.create('ports', { network_id }, project);
  const heir = { relation: 'own', uid: owner.uid, balancerId } as const;
  const { signal } = new AbortController();
  const steps = [
    cloud.toStep({ kind: 'hand-over-vip-port', id, name, description, heir }),
    cloud.toStep({ kind: 'create-vip-port', body: { network_id, name, description } }),
  ];
  const all = Promise.all(steps.map((step) => step.run(signal)));
  await clock.advance(1_000);
  await all;
  expect(emulator.resources('ports').find((one) => one['id'] === id)).toMatchObject({ name, description });
  expect(creating).not.toHaveBeenCalled();
});

it('hands nothing to a Service whose load balancer has passed to another meanwhile', async () => {
  const openstack = emulated();
  const { emulator, project, neutron, clock } = openstack;
  const network_id = withNetwork(openstack);
  const lbaas = new MemoryLbaas();
  const tags = [...tagsOf({ cluster: testSite.cluster, uid: 'uid-3' })];
  await lbaas.perform({ kind: 'create-load-balancer', body: { name: 'web', tags } });
  const [balancerId = ''] = lbaas.balancers.keys();
  const cloud = new BalancerCloud(lbaas, neutron, { sharers: () => [], servedOn: () => [], hasChanged() {} });
  const id = emulator.create('ports', { network_id, name: 'before' }, project);
  const heir = { relation: 'own', uid: 'uid-2', balancerId } as const;
  const step = cloud.toStep({ kind: 'hand-over-vip-port', id, name: 'after', description: 'of uid-2', heir });
  await result(clock, step.run(new AbortController().signal));
  expect(emulator.resources('ports').find((one) => one['id'] === id)).toMatchObject({ name: 'before' });
});

it.each([
  ['nothing', 'asks for its own again by now', 'before'],
  ['it', 'shares the load balancer still', 'after'],
])('hands %s to a Service that %s', async (_, how, name) => {
  const openstack = emulated();
  const { emulator, project, neutron, clock } = openstack;
  const network_id = withNetwork(openstack);
  const lbaas = new MemoryLbaas();
  const tags = [...tagsOf({ cluster: testSite.cluster, uid: 'uid-2' })];
  const listener = { protocol: 'TCP', protocol_port: 80, tags } as const;
  await lbaas.perform({ kind: 'create-load-balancer', body: { name: 'web', listeners: [listener] } });
  const [balancerId = ''] = lbaas.balancers.keys();
  const sharers = () => (how.startsWith('shares') ? [{ uid: 'uid-2', balancerId }] : []);
  const cloud = new BalancerCloud(lbaas, neutron, { sharers, servedOn: () => [], hasChanged() {} });
  const id = emulator.create('ports', { network_id, name: 'before' }, project);
  const heir = { relation: 'shared', uid: 'uid-2', tags, balancerId } as const;
  const step = cloud.toStep({ kind: 'hand-over-vip-port', id, name: 'after', description: 'of uid-2', heir });
  await result(clock, step.run(new AbortController().signal));
  expect(emulator.resources('ports').find((one) => one['id'] === id)).toMatchObject({ name });
});

it('finds all load balancers on which a Service has something, its own and those of others', async () => {
  const { neutron, clock } = emulated();
  const lbaas = new MemoryLbaas();
  const owner = { cluster: testSite.cluster, uid: 'uid-1', name: 'shop/web' };
  const tags = [...tagsOf(owner)];
  const listener = { protocol: 'TCP', protocol_port: 80, tags } as const;
  await lbaas.perform({ kind: 'create-load-balancer', body: { name: 'own', tags } });
  await lbaas.perform({ kind: 'create-load-balancer', body: { name: 'shared', listeners: [listener] } });
  await lbaas.perform({ kind: 'create-load-balancer', body: { name: 'other' } });
  const cloud = new BalancerCloud(lbaas, neutron, { sharers: () => [], servedOn: () => [], hasChanged() {} });
  const standing = await result(clock, cloud.standing(owner, new AbortController().signal));
  expect(standing.map(({ balancer }) => balancer.name)).toEqual(['own', 'shared']);
});
