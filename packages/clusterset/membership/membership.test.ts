import { leases, namespaces, statusOf } from '@fairlead/kube';
import { TestCluster } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { type ServiceImport, serviceImports } from '../mcs/types.ts';
import { type Member, memberObjects } from './broker-objects.ts';
import { joinSteps, leaveSteps } from './membership.ts';

const { signal } = new AbortController();
const imports = serviceImports('v1beta1');
const member = (cluster: string, ...ranges: readonly string[]): Member => ({
  clusterset: 'blue',
  cluster,
  brokerNamespace: 'broker',
  ranges,
});

function setUp() {
  const { client, clock } = new TestCluster();
  const join = async (one: Member, choices = {}) => {
    const steps = await joinSteps(client, one, signal, choices);
    for (const step of steps) await step.run(signal);
    return steps.map(({ text }) => text);
  };
  const leave = async (one: Member) => {
    const steps = await leaveSteps(client, one, signal);
    for (const step of steps) await step.run(signal);
    return steps.map(({ text }) => text);
  };
  return { client, clock, join, leave };
}

describe('joining', () => {
  it('makes what a member needs, says so, and finds nothing to do the second time', async () => {
    const { client, join } = setUp();
    expect(await join(member('a'))).toEqual([
      'create CustomResourceDefinition serviceexports.multicluster.x-k8s.io',
      'create CustomResourceDefinition serviceimports.multicluster.x-k8s.io',
      'create Namespace broker',
      'create Namespace broker-m-a',
      'create ServiceAccount broker-m-a/member',
      'create Role broker-m-a/member',
      'create RoleBinding broker-m-a/member',
      'create Role broker/broker-m-a',
      'create RoleBinding broker/broker-m-a',
      'create ClusterRole broker-m-a',
      'create ClusterRoleBinding broker-m-a',
      'create ConfigMap broker/member.a',
      'create Lease broker/a',
    ]);
    expect(await join(member('a'))).toEqual([]);
    expect((await client.get(leases, { namespace: 'broker', name: 'a' })).spec?.holderIdentity).toBe('a');
  });

  it('brings the roles of an earlier release up to date', async () => {
    const { client, join } = setUp();
    await join(member('a'));
    const [role] = memberObjects(member('a')).filter(({ resource }) => resource.kind === 'Role');
    if (role === undefined) throw new Error('there is no role');
    const emptied = { ...(await client.get(role.resource, role.object.metadata)), rules: [] };
    await client.update(role.resource, emptied);
    expect(await join(member('a'))).toEqual(['bring up to date Role broker-m-a/member']);
    expect(await join(member('a'))).toEqual([]);
  });

  it('finishes what was begun', async () => {
    const { client, join } = setUp();
    const [first, second, third] = await joinSteps(client, member('a'), signal);
    for (const step of [first, second, third]) await step?.run(signal);
    expect((await join(member('a')))[0]).toBe('create Namespace broker-m-a');
  });

  it('goes on when another cluster joins at the same time', async () => {
    const { client } = setUp();
    const both = [await joinSteps(client, member('a'), signal), await joinSteps(client, member('b'), signal)];
    for (const step of both.flat()) await step.run(signal);
    expect(await joinSteps(client, member('a'), signal)).toEqual([]);
  });

  it('is refused at the broker of another clusterset, and in a namespace of others', async () => {
    const { client, join } = setUp();
    await join(member('a'));
    await expect(join({ ...member('b'), clusterset: 'green' })).rejects.toThrow('is of the clusterset blue');
    await client.create(namespaces, { metadata: { name: 'broker-m-c' } });
    await expect(join(member('c'))).rejects.toThrow('belongs to others');
    await client.create(namespaces, { metadata: { name: 'other' } });
    await expect(join({ ...member('b'), brokerNamespace: 'other' })).rejects.toThrow('is of no clusterset');
  });

  it('is refused under the name of another member, unless it has left or is replaced', async () => {
    const { clock, join, leave } = setUp();
    const [first, second] = [
      { ...member('a'), uid: 'one' },
      { ...member('a'), uid: 'two' },
    ];
    await join(first);
    await clock.advance(1_000);
    expect(await join(first)).toEqual([]);
    await expect(join(second)).rejects.toThrow(
      'another cluster is the member a: choose another name, or give --replace',
    );
    expect(await join(second, { replaces: true })).toEqual(['admit it with other data: ConfigMap broker/member.a']);
    await expect(join(first)).rejects.toThrow('another cluster');
    await leave(second);
    await clock.advance(10_000);
    expect(await join(first)).toContain('take back that the cluster leaves, on Lease broker/a');
    expect(await join(first)).toEqual([]);
  });

  it('is refused with ranges that another member has', async () => {
    const { clock, join, leave } = setUp();
    await join(member('a', '10.0.0.0/16', '2001:db8::/48'));
    await clock.advance(1_000);
    await expect(join(member('b', '10.0.128.0/20'))).rejects.toThrow(
      '10.0.128.0/20 overlaps 10.0.0.0/16 of the cluster a: give --translated',
    );
    await expect(join(member('b', '10.0.0.0/8'))).rejects.toThrow('overlaps');
    await expect(join(member('b', '10.0.0.0'))).rejects.toThrow('"10.0.0.0" is no range');
    expect(await join(member('b', '10.1.0.0/16'))).not.toEqual([]);
    expect(await join(member('a', '10.0.0.0/16'))).toEqual(['admit it with other data: ConfigMap broker/member.a']);
    expect(await join(member('a'))).toEqual([]);
    await expect(join(member('c', '10.0.0.0/24'))).rejects.toThrow('overlaps 10.0.0.0/16 of the cluster a');
    await leave(member('a', '10.0.0.0/16'));
    expect(await join(member('c', '10.0.0.0/24'))).not.toEqual([]);
  });

  it('gives no member the right to write what it was admitted with', () => {
    const rules = memberObjects(member('a')).flatMap(({ object }) =>
      'rules' in object && Array.isArray(object.rules) ? object.rules : [],
    );
    const verbs = rules.filter(({ resources }) => resources.includes('configmaps')).flatMap((rule) => rule.verbs);
    expect(verbs).toEqual(['get', 'list', 'watch']);
  });
});

describe('leaving', () => {
  it('takes everything away but the Lease, which says so, and joining takes that back', async () => {
    const { client, clock, join, leave } = setUp();
    await join(member('a'));
    await clock.advance(1_000);
    const steps = await leave(member('a'));
    expect(steps[0]).toBe('mark the Lease broker/a as that of a cluster that leaves');
    expect(steps.at(-1)).toBe('delete Namespace broker-m-a');
    await expect(join(member('a'))).rejects.toThrow('broker-m-a at the broker is still being deleted: try again');
    await clock.advance(10_000);
    expect(await leave(member('a'))).toEqual([]);
    expect(await client.find(namespaces, { name: 'broker-m-a' })).toBeUndefined();
    expect(await join(member('a'))).toContain('take back that the cluster leaves, on Lease broker/a');
  });

  it('is refused for the name of another cluster, or of another clusterset', async () => {
    const { client, clock, join, leave } = setUp();
    const [first, second] = [
      { ...member('a'), uid: 'one' },
      { ...member('a'), uid: 'two' },
    ];
    await join(first);
    await clock.advance(1_000);
    await expect(leave(second)).rejects.toThrow('another cluster is the member a: give the name of this one');
    await expect(leave({ ...first, clusterset: 'green' })).rejects.toThrow('is of the clusterset blue');
    expect(await client.find(namespaces, { name: 'broker-m-a' })).toBeDefined();
    expect(await leave(first)).not.toEqual([]);
  });

  it('deletes no aggregate that another cluster has come to export meanwhile', async () => {
    const { client, clock, join } = setUp();
    await join(member('a'));
    await clock.advance(1_000);
    const key = { namespace: 'broker', name: 'web.shop' };
    const spec = { type: 'ClusterSetIP', ports: [{ port: 80 }] } as const;
    await client.create<ServiceImport>(imports, { metadata: key, spec });
    const listed = async (...clusters: readonly string[]) =>
      client.patchMerge<ServiceImport>(statusOf(imports), key, {
        status: { clusters: clusters.map((cluster) => ({ cluster })) },
      });
    await listed('a');
    const steps = await leaveSteps(client, member('a'), signal);
    await listed('a', 'b');
    for (const step of steps) await step.run(signal);
    expect((await client.find(imports, key))?.status?.clusters).toEqual([{ cluster: 'a' }, { cluster: 'b' }]);
  });
});
