import { seededRandom, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { OpenStackEmulator } from '../emulator.ts';
import { transcripts } from './adapters/transcripts.ts';
import type { ContractCloud } from './endpoint.ts';
import { playScene } from './scene.ts';
import { contractScenes } from './scenes/index.ts';

function simulated(): ContractCloud {
  const clock = new VirtualClock();
  const octavia = { duration: { minimum: 2_000, maximum: 2_000 }, providers: ['amphora'] };
  const behaviour = { tokenCacheMilliseconds: 300_000, octavia };
  const emulator = new OpenStackEmulator({ clock, random: seededRandom(1), behaviour });
  for (const name of ['demo', 'other']) emulator.identity.addUser(name, 'demopw', [emulator.identity.addProject(name)]);
  emulator.addAdministrator('adminpw');
  const network_id = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id, ip_version: 4, cidr: '203.0.113.0/24' });
  return {
    transport: emulator,
    authUrl: 'http://openstack.test/identity/v3',
    networkUrl: 'http://openstack.test/network/v2.0',
    loadBalancerUrl: 'http://openstack.test/load-balancer/v2',
    passwords: { admin: 'adminpw', demo: 'demopw', other: 'demopw' },
    now: () => clock.now(),
    wait: (milliseconds) => clock.advance(milliseconds),
  };
}

/** The end-to-end tests hold real Keystone, Neutron and Octavia to the same transcripts. */
describe('the simulated OpenStack keeps the contract', () => {
  it.each(contractScenes)('$name', async (scene) => {
    expect(await playScene(scene, simulated())).toEqual(await transcripts.read(scene));
  });
});
