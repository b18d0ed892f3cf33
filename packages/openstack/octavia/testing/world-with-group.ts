import { OctaviaWorld } from './octavia-world.ts';

/** One whose members are in a security group, with the rules of ours that are there. */
export async function worldWithGroup() {
  const world = await new OctaviaWorld().setUp();
  const { emulator, project } = world.openstack;
  const group = emulator.create('security-groups', { name: 'pods' }, project);
  world.site = { ...world.site, memberSecurityGroupIds: [group] };
  const rules = () =>
    emulator
      .resources('security-group-rules')
      .filter(({ description }) => JSON.stringify(description).includes('fairlead'));
  return { world, rules, sources: () => rules().map(({ remote_ip_prefix }) => remote_ip_prefix) };
}
