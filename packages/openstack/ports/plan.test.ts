import { clusterId } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { FloatingIp, Port } from '../client/index.ts';
import { isIntact } from './assignments.ts';
import { unassignedNamed } from './named.ts';
import { ownPorts } from './observed.ts';
import { descriptionFor, tagsFor } from './owner.ts';
import { nextStep } from './plan.ts';

const pool = { name: 'web', networkId: 'nodes', subnetIds: { IPv4: 'subnet' }, floatingNetworkId: 'internet' };
const scope = { cluster: clusterId('cluster-1'), part: 'gateway', pools: [pool] };
const marks = { project_id: 'demo', description: descriptionFor(scope, 'web'), tags: [...tagsFor(scope, 'web')] };

const port: Port = {
  ...marks,
  id: 'port-1',
  name: 'fairlead-web',
  network_id: 'nodes',
  device_id: '',
  device_owner: '',
  mac_address: 'fa:16:3e:00:00:01',
  fixed_ips: [{ subnet_id: 'subnet', ip_address: '10.0.0.5' }],
  allowed_address_pairs: [],
  security_groups: [],
  revision_number: 1,
};

function floatingIp(change: Partial<FloatingIp>): FloatingIp {
  return {
    ...marks,
    id: 'floating-1',
    floating_network_id: 'internet',
    floating_ip_address: '203.0.113.5',
    fixed_ip_address: null,
    port_id: null,
    revision_number: 1,
    ...change,
  };
}

function stepWith(...floatingIps: readonly FloatingIp[]) {
  const observed = { ports: [port], floatingIps };
  const [own] = ownPorts(scope, observed);
  return own === undefined ? undefined : nextStep(scope, own, observed);
}

describe('a port of ours', () => {
  it('gets a floating IP of ours that no port has, if it is of the network of its pool', () => {
    expect(stepWith(floatingIp({}))).toMatchObject({ kind: 'assign-floating-ip', id: 'floating-1' });
    expect(stepWith(floatingIp({ floating_network_id: 'partners' }))).toMatchObject({ kind: 'create-floating-ip' });
  });

  it('is shown by the floating IP that leads to its own address, and not to another that a user gave it', () => {
    const its = floatingIp({ port_id: 'port-1', fixed_ip_address: '10.0.0.5' });
    const users = floatingIp({
      id: 'floating-2',
      floating_ip_address: '203.0.113.6',
      port_id: 'port-1',
      fixed_ip_address: '10.0.0.6',
    });
    for (const floatingIps of [
      [its, users],
      [users, its],
    ]) {
      expect(ownPorts(scope, { ports: [port], floatingIps })).toMatchObject([{ address: '203.0.113.5' }]);
    }
  });
});

it('ports that users made are given before ours, each in the order of their ids', () => {
  const users = { ...port, id: 'port-9', description: '', tags: [] };
  const named = { ...scope, pools: [{ ...pool, portIds: ['port-9'] }] };
  const ports = [{ ...port, id: 'port-2' }, users, port];
  expect(ownPorts(named, { ports, floatingIps: [] }).map((own) => own.port.id)).toEqual(['port-9', 'port-1', 'port-2']);
});

it('what was given is not all there is while a floating IP that a pool names has no port', () => {
  const named = { ...scope, pools: [{ ...pool, floatingAddresses: ['203.0.113.5'] }] };
  const given = { ports: [], pools: [], isGiven: () => true, isKnown: () => true };
  const isWhole = (floatingIps: readonly FloatingIp[], unmended: ReadonlySet<string> = new Set()) =>
    isIntact(named, { ports: [], floatingIps }, { ...given, unmended });
  const free = floatingIp({ tags: [], description: '' });
  expect(isWhole([])).toBe(true);
  expect(isWhole([free])).toBe(false);
  expect(isWhole([free], new Set(['web']))).toBe(true);
});

it('a floating IP that a pool names is waited for only if it is of the network of the pool', () => {
  const named = { ...scope, pools: [{ ...pool, floatingAddresses: ['203.0.113.5'] }] };
  const names = (one: FloatingIp) => unassignedNamed(named, { ports: [], floatingIps: [one] }).map(({ name }) => name);
  expect(names(floatingIp({ tags: [], description: '' }))).toEqual(['web']);
  expect(names(floatingIp({ tags: [], description: '', floating_network_id: 'partners' }))).toEqual([]);
});
