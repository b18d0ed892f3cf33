import { clusterId } from '@fairlead/control';
import { result } from '@fairlead/control/testing';
import { expect, it } from 'vitest';
import { emulated, withNetwork } from '../../client/testing/emulated.ts';
import { octaviaConfiguration } from '../configuration.ts';
import { readSite } from './read-site.ts';

it('finds what a class names, each in its place', async () => {
  const openstack = emulated();
  const { clock, emulator, project } = openstack;
  withNetwork(openstack);
  const networks = ['vips', 'public'].map((name) => emulator.create('networks', { name }, project));
  const [networkId = '', floatingNetworkId = ''] = networks;
  const [subnetId, floatingSubnetId, memberSubnetId] = ['vips-4', 'public-4', 'pods-4'].map((name, index) => {
    const cidr = `10.${index + 1}.0.0/24`;
    return emulator.create('subnets', { network_id: networks[index] ?? networkId, name, ip_version: 4, cidr }, project);
  });
  const gold = { network: 'vips', subnet: 'vips-4', floatingNetwork: 'public', floatingSubnet: 'public-4' };
  const classes = { gold: { ...gold, memberSubnet: 'pods-4' }, plain: {} };
  const configuration = octaviaConfiguration.parse({ network: 'nodes', classes });
  const reading = readSite(openstack, configuration, clusterId('cluster-1'), new AbortController().signal);
  expect((await result(clock, reading)).classes).toEqual({
    gold: { networkId, subnetId, floatingNetworkId, floatingSubnetId, memberSubnetId },
    plain: {},
  });
});
