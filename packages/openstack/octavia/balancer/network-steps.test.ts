import { expect, it } from 'vitest';
import { emulated, withNetwork } from '../../client/testing/emulated.ts';
import { performNetworkStep } from './network-steps.ts';

it('deletes no floating IP that has changed since it was read: a user may have taken it', async () => {
  const openstack = emulated();
  const { emulator, neutron, project, clock } = openstack;
  withNetwork(openstack);
  const floating_network_id = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: floating_network_id, ip_version: 4, cidr: '203.0.113.0/24' });
  const id = emulator.create('floatingips', { floating_network_id }, project);
  const { signal } = new AbortController();
  const attempt = performNetworkStep(neutron, { kind: 'delete-floating-ip', id, revision: 99 }, signal);
  const said = attempt.then(
    () => 'deleted',
    () => 'refused',
  );
  await clock.advance(60_000);
  expect([await said, emulator.resources('floatingips').length]).toEqual(['refused', 1]);
});
