import { expect, it } from 'vitest';
import { problemIn } from '../../../client/index.ts';
import { emulated, withNetwork } from '../../../client/testing/emulated.ts';
import { performNetworkStep } from './network-steps.ts';

it.each([
  { kind: 'delete-floating-ip' },
  { kind: 'give-away-floating-ip' },
  { kind: 'detach-floating-ip' },
  { kind: 'assign-floating-ip', portId: 'port' },
  { kind: 'hand-over-floating-ip', description: 'ours' },
] as const)('does not $kind that has changed since it was read: a user may have taken it', async (step) => {
  const openstack = emulated();
  const { emulator, neutron, project, clock } = openstack;
  withNetwork(openstack);
  const floating_network_id = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: floating_network_id, ip_version: 4, cidr: '203.0.113.0/24' });
  const id = emulator.create('floatingips', { floating_network_id }, project);
  const { signal } = new AbortController();
  const before = emulator.resources('floatingips');
  const attempt = performNetworkStep(neutron, { ...step, id, revision: 99 }, signal);
  const said = attempt.then(
    () => 'done',
    (error: unknown) => problemIn(error),
  );
  await clock.advance(60_000);
  expect([await said, emulator.resources('floatingips')]).toEqual(['precondition', before]);
});
