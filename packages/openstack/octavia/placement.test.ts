import { sleep } from '@fairlead/control';
import { type MergePatch, type Service, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it, vi } from 'vitest';
import { OctaviaWorld } from './testing/octavia-world.ts';

const PREFIX = 'loadbalancer.openstack.org';
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const key = { namespace: NAMESPACE, name: 'web' };
const addressOf = (service: Service | undefined) => service?.status?.loadBalancer?.ingress?.[0]?.ip;

describe('where a load balancer is', () => {
  it.each([
    ['address', { spec: { loadBalancerIP: '10.0.0.78' } }, /VIP 10\.0\.0\.78, and its load balancer has 10\.0\.0\.77,/],
    ['port', { metadata: { annotations: { [`${PREFIX}/port-id`]: 'another' } } }, /VIP's port another, and/],
  ] as const)(
    'never changes: another %s is refused, and takes the one that is there not away',
    async (_, patch, why) => {
      const world = await new OctaviaWorld().setUp();
      world.start();
      const before = addressOf(await world.serve('web', { loadBalancerIP: '10.0.0.77' }, INTERNAL));
      expect(before).toBe('10.0.0.77');
      const edited: MergePatch<Service> = patch;
      await world.cluster.client.patchMerge<Service>(services, key, edited);
      await world.run(30);
      const service = await world.cluster.service('web');
      expect(service?.status?.conditions).toMatchObject([{ reason: 'Immutable', message: expect.stringMatching(why) }]);
      expect([addressOf(service), world.steps]).toEqual([before, ['create-load-balancer']]);
    },
  );

  it('is known of one that is shared: another address is refused, and nothing is put there', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start();
    const address = addressOf(await world.serve('first')) ?? '';
    const [id = ''] = world.lbaas.balancers.keys();
    const ports = [{ port: 81, targetPort: 8080 }];
    const shares = { [`${PREFIX}/load-balancer-id`]: id };
    const second = await world.serve('second', { ports, loadBalancerIP: '203.0.113.99' }, shares);
    expect(second?.status?.conditions).toMatchObject([{ reason: 'AddressUnavailable' }]);
    expect(world.lbaas.listeners.size).toBe(1);
    const third = await world.serve('third', { ports, loadBalancerIP: address }, shares);
    expect([addressOf(third), world.lbaas.listeners.size]).toEqual([address, 2]);
  });

  it('is in the subnet of its family, of a network that it names', async () => {
    const world = await new OctaviaWorld().setUp();
    const { emulator, project } = world.openstack;
    const network_id = emulator.create('networks', { name: 'both' }, project);
    for (const ip_version of [6, 4, 6]) {
      const cidr = ip_version === 4 ? '10.9.0.0/24' : 'fd00:9::/64';
      emulator.create('subnets', { network_id, ip_version, cidr }, project);
    }
    world.start();
    const address = addressOf(await world.serve('web', {}, { ...INTERNAL, [`${PREFIX}/network-id`]: network_id }));
    expect(address).toMatch(/^10\.9\.0\./);
  });
});

describe('the floating IP of a load balancer', () => {
  it('stays with a Service that asks for it again before it is deleted', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    world.start({ comparisonIntervalSeconds: 0 });
    const address = addressOf(await world.serve('web'));
    expect(address).toMatch(/^203\./);
    const [name = ''] = Object.keys(INTERNAL);
    const ask = (isInternal: string | null) =>
      world.cluster.client.patchMerge<Service>(services, key, { metadata: { annotations: { [name]: isInternal } } });
    const { neutron, clock } = world.openstack;
    const list = neutron.listFloatingIps.bind(neutron);
    const listing = vi.spyOn(neutron, 'listFloatingIps').mockImplementationOnce(async (...call) => {
      const found = await list(...call);
      await ask(null);
      await sleep(clock, 5_000);
      return found;
    });
    await ask('true');
    await world.run(60);
    expect(listing).toHaveBeenCalled();
    expect(addressOf(await world.cluster.service('web'))).toBe(address);
  });
});
