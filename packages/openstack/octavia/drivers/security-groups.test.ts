import { expect, it, vi } from 'vitest';
import { emulated } from '../../client/testing/emulated.ts';
import { desiredBalancer } from '../balancer/desired.ts';
import type { KuryrLoadBalancer } from '../resource/types.ts';
import { testSite } from '../testing/test-site.ts';
import { memberRules, NeutronSecurityGroups } from './security-groups.ts';

it('lets the health of nodes be asked by TCP, whatever the ports are that they serve', () => {
  const spec = {
    ports: [{ protocol: 'UDP', port: 53, targetPort: '30053' }],
    endpointSlices: [{ endpoints: [{ addresses: ['10.1.0.1'] }], ports: [{ protocol: 'UDP', port: 30_053 }] }],
    health_monitor: { delay: 5, timeout: 3, max_retries: 1, max_retries_down: 3, node_port: 32_000 },
  } as const;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'dns', uid: 'uid-1' }];
  const resource: KuryrLoadBalancer = { metadata: { namespace: 'shop', name: 'dns', ownerReferences }, spec };
  const desired = desiredBalancer(resource, testSite);
  const rules = desired === undefined ? [] : memberRules(desired, ['nodes'], ['10.0.0.0/24']);
  expect(rules.map(({ protocol, port_range_min }) => [protocol, port_range_min])).toEqual([
    ['udp', 30_053],
    ['tcp', 32_000],
  ]);
});

it.each([
  ['SecurityGroupRuleExists', 'ensured', 1],
  ['Conflict', 'refused', 2],
])('takes a rule for one that is there when Neutron says %s: %s', async (code, outcome, calls) => {
  const { emulator, project, neutron, clock } = emulated();
  const group = emulator.create('security-groups', { name: 'nodes' }, project);
  const driver = new NeutronSecurityGroups(neutron, testSite.cluster, [group]);
  const range = { port_range_min: 30_080, port_range_max: 30_080, remote_ip_prefix: '10.0.0.0/24' };
  const rule = {
    security_group_id: group,
    direction: 'ingress',
    ethertype: 'IPv4',
    protocol: 'tcp',
    ...range,
  } as const;
  driver.want('shop/web', [rule]);
  const creating = vi.spyOn(neutron, 'createSecurityGroupRule');
  const ensured = async () => {
    const pass = driver.ensure('shop/web', new AbortController().signal);
    const said = pass.then(
      () => 'ensured',
      () => 'refused',
    );
    await clock.advance(1_000);
    return said;
  };
  emulator.faults.next({ method: 'POST', kind: 'security-group-rules' }, { kind: 'refuse', status: 409, code });
  expect(await ensured()).toBe(outcome);
  expect([await ensured(), creating.mock.calls.length]).toEqual(['ensured', calls]);
});
