import { result } from '@fairlead/control/testing';
import { describe, expect, it, vi } from 'vitest';
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
  const pools = (desired?.listeners ?? []).map(({ pool }) => pool);
  const rules = memberRules(pools, ['nodes'], ['10.0.0.0/24']);
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
  const driver = new NeutronSecurityGroups(neutron, testSite.cluster, [group], clock, () => {});
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

describe('the rules that are there', () => {
  async function setUp() {
    const { emulator, project, neutron, clock } = emulated();
    const group = emulator.create('security-groups', { name: 'nodes' }, project);
    const driver = new NeutronSecurityGroups(neutron, testSite.cluster, [group], clock, () => {});
    const range = { port_range_min: 80, port_range_max: 80 };
    const rule = {
      security_group_id: group,
      direction: 'ingress',
      ethertype: 'IPv4',
      protocol: 'tcp',
      ...range,
    } as const;
    const ensured = async () => {
      const pass = driver.ensure('shop/web', new AbortController().signal);
      await clock.advance(10_000);
      return pass;
    };
    return { emulator, project, neutron, driver, rule, ensured };
  }

  it('stand for none that is needed where they admit a security group alone', async () => {
    const { emulator, project, neutron, driver, rule, ensured } = await setUp();
    emulator.create('security-group-rules', { ...rule, remote_group_id: rule.security_group_id }, project);
    const creating = vi.spyOn(neutron, 'createSecurityGroupRule');
    driver.want('shop/web', [{ ...rule, remote_ip_prefix: '0.0.0.0/0' }]);
    expect([await ensured(), creating.mock.calls.length]).toEqual([true, 1]);
  });

  it('are looked at again when that was asked for during a look', async () => {
    const { neutron, driver, rule, ensured } = await setUp();
    const list = neutron.listSecurityGroupRules.bind(neutron);
    const listing = vi.spyOn(neutron, 'listSecurityGroupRules').mockImplementationOnce(async (...asked) => {
      driver.suspect();
      return list(...asked);
    });
    driver.want('shop/web', [{ ...rule, remote_ip_prefix: '10.0.0.0/24' }]);
    expect([await ensured(), listing.mock.calls.length]).toEqual([true, 2]);
    expect([await ensured(), listing.mock.calls.length]).toEqual([true, 2]);
  });
});

async function untilDone(driver: NeutronSecurityGroups, key: string): Promise<void> {
  const { signal } = new AbortController();
  let isDone = false;
  while (!isDone) isDone = await driver.ensure(key, signal);
}

describe('a Service that needs hundreds of rules', () => {
  const ruleFor = (group: string, port: number) =>
    ({
      security_group_id: group,
      direction: 'ingress',
      ethertype: 'IPv4',
      protocol: 'tcp',
      port_range_min: port,
      port_range_max: port,
      remote_ip_prefix: '10.0.0.0/24',
    }) as const;
  const many = (group: string) => Array.from({ length: 500 }, (_, index) => ruleFor(group, 10_000 + index));

  it('keeps no other waiting for more than a few of them, neither when it comes nor when it goes', async () => {
    const { emulator, project, neutron, clock } = emulated();
    const { signal } = new AbortController();
    const group = emulator.create('security-groups', { name: 'nodes' }, project);
    const driver = new NeutronSecurityGroups(neutron, testSite.cluster, [group], clock, () => {});
    const creating = vi.spyOn(neutron, 'createSecurityGroupRule');
    const deleting = vi.spyOn(neutron, 'deleteSecurityGroupRule');
    driver.want('shop/greedy', many(group));
    const greedy = untilDone(driver, 'shop/greedy');
    driver.want('shop/web', [ruleFor(group, 80)]);
    const before: number[] = [];
    const web = driver.ensure('shop/web', signal).then(() => before.push(creating.mock.calls.length));
    await clock.advance(3_600_000);
    await Promise.all([greedy, web]);
    expect(before[0]).toBeLessThan(100);
    expect(creating).toHaveBeenCalledTimes(501);
    driver.want('shop/greedy', []);
    const going = untilDone(driver, 'shop/greedy');
    driver.want('shop/web', [ruleFor(group, 81)]);
    const again = driver.ensure('shop/web', signal).then(() => before.push(deleting.mock.calls.length));
    await clock.advance(3_600_000);
    await Promise.all([going, again]);
    expect(before[1]).toBeLessThan(100);
    expect(deleting).toHaveBeenCalledTimes(501);
  });

  it('comes back for the next of them, and keeps no place meanwhile', async () => {
    const { emulator, project, neutron, clock } = emulated();
    const group = emulator.create('security-groups', { name: 'nodes' }, project);
    const driver = new NeutronSecurityGroups(neutron, testSite.cluster, [group], clock, () => {});
    driver.want('shop/greedy', many(group));
    const turn = driver.ensure('shop/greedy', new AbortController().signal);
    await clock.advance(3_600_000);
    expect([await turn, emulator.resources('security-group-rules').length]).toEqual([false, 12]);
  });

  it('has them made by nobody else', async () => {
    const { emulator, project, neutron, clock } = emulated();
    const group = emulator.create('security-groups', { name: 'nodes' }, project);
    const driver = new NeutronSecurityGroups(neutron, testSite.cluster, [group], clock, () => {});
    const creating = vi.spyOn(neutron, 'createSecurityGroupRule');
    driver.want('shop/greedy', many(group));
    driver.want('shop/web', [ruleFor(group, 80)]);
    const web = driver.ensure('shop/web', new AbortController().signal);
    await clock.advance(3_600_000);
    await web;
    expect(creating).toHaveBeenCalledTimes(1);
  });
});

describe('a sweep', () => {
  function setUp() {
    const { emulator, project, neutron, clock } = emulated();
    const group = emulator.create('security-groups', { name: 'nodes' }, project);
    const onUnswept = vi.fn<() => void>();
    const driver = new NeutronSecurityGroups(neutron, testSite.cluster, [group], clock, onUnswept);
    const ruleFor = (port: number) =>
      memberRules([{ protocol: 'TCP', members: [{ protocol_port: port }] }], [group], ['10.0.0.0/24']);
    const { signal } = new AbortController();
    return {
      driver,
      neutron,
      onUnswept,
      ruleFor,
      clock,
      done: (what: () => Promise<unknown>) => result(clock, what()),
      signal,
    };
  }

  it('is asked for when a Service needs less, and when the rules may have changed', () => {
    const { driver, onUnswept, ruleFor } = setUp();
    driver.want('shop/web', ruleFor(80));
    expect(onUnswept).toHaveBeenCalledTimes(0);
    driver.want('shop/web', []);
    expect(onUnswept).toHaveBeenCalledTimes(1);
    driver.suspect();
    expect(onUnswept).toHaveBeenCalledTimes(2);
  });

  it('is asked for when who has taken its own away leaves others', async () => {
    const { driver, onUnswept, ruleFor, done, signal } = setUp();
    const many = Array.from({ length: 9 }, (_, index) => ruleFor(80 + index)).flat();
    for (const key of ['shop/one', 'shop/two']) {
      driver.want(
        key,
        many.map((rule) => ({ ...rule, protocol: key === 'shop/one' ? 'tcp' : 'udp' })),
      );
      await done(() => driver.ensure(key, signal));
    }
    driver.want('shop/one', []);
    driver.want('shop/two', []);
    onUnswept.mockClear();
    expect(await done(() => driver.ensure('shop/one', signal))).toBe(true);
    expect(onUnswept).toHaveBeenCalledTimes(1);
  });

  it('leaves a Service waiting until all are gone that it needed, be it that it needed less twice', async () => {
    const { driver, ruleFor, done, signal } = setUp();
    const many = Array.from({ length: 24 }, (_, index) => ruleFor(80 + index)).flat();
    driver.want('shop/web', many);
    await done(() => untilDone(driver, 'shop/web'));
    driver.want('shop/web', many.slice(12));
    driver.want('shop/web', []);
    const turns = [];
    for (let turn = 0; turn < 3; turn += 1) turns.push(await done(() => driver.ensure('shop/web', signal)));
    expect(turns).toEqual([false, false, true]);
  });

  it('is made again when a rule of who leaves cannot be deleted', async () => {
    const { driver, neutron, onUnswept, ruleFor, done, signal } = setUp();
    driver.want('shop/web', ruleFor(80));
    await done(() => untilDone(driver, 'shop/web'));
    driver.want('shop/web', []);
    onUnswept.mockClear();
    vi.spyOn(neutron, 'deleteSecurityGroupRule').mockRejectedValueOnce(new Error('not now'));
    await expect(done(() => driver.ensure('shop/web', signal))).rejects.toThrow('not now');
    expect(onUnswept).toHaveBeenCalledTimes(1);
    await done(() => driver.sweep(signal));
    expect(await done(() => neutron.listSecurityGroupRules({ port_range_min: '80' }))).toEqual([]);
  });

  it('has as much patience with the next Service as with the one before it', async () => {
    const { driver, clock, done, signal } = setUp();
    driver.wantAtLeast('shop/one', []);
    driver.wantAtLeast('shop/two', []);
    expect(await done(() => driver.sweep(signal))).toBeGreaterThan(299_000);
    await clock.advance(200_000);
    driver.want('shop/one', []);
    expect(await done(() => driver.sweep(signal))).toBeGreaterThan(299_000);
  });

  it('has no patience for ever with many that are looked at one after the other', async () => {
    const { driver, clock, done, signal } = setUp();
    const keys = Array.from({ length: 20 }, (_, index) => `shop/${index}`);
    for (const key of keys) driver.wantAtLeast(key, []);
    await done(() => driver.sweep(signal));
    for (const key of keys.slice(0, 14)) {
      await clock.advance(240_000);
      driver.want(key, []);
      expect(await done(() => driver.sweep(signal))).toBeGreaterThan(200_000);
    }
    await clock.advance(240_000);
    driver.want('shop/14', []);
    expect(await done(() => driver.sweep(signal))).toBeUndefined();
  });
});
