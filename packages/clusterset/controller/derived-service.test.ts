import { silentLogger } from '@fairlead/control';
import { endpointSlices, type Service, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { removeImports } from '../membership/member-side.ts';
import { derivedLabels } from '../records/marks.ts';
import { derivedServiceName } from '../records/names.ts';
import { exports, imports, TestClusterSet, type TestMember } from '../testing/test-clusterset.ts';

const ON = { derivedServices: true };
const derivedWeb = { namespace: NAMESPACE, name: derivedServiceName('web') };
let set = new TestClusterSet();

/** Both export `web`; `a` derives Services, and `b` does not. */
async function both() {
  set = new TestClusterSet();
  const a = await set.add('a', ON);
  const b = await set.add('b');
  await set.export(a, 'web');
  await set.export(b, 'web');
  await set.settle();
  return { a, b };
}

afterEach(() => set.stop());

const derived = ({ cluster }: TestMember) => cluster.client.find(services, derivedWeb);
const ipsOf = async (member: TestMember) => (await set.imported(member, 'web'))?.spec.ips;

/** The addresses that kube-proxy finds behind the derived Service. */
async function behind({ cluster }: TestMember): Promise<readonly string[]> {
  const labelSelector = `kubernetes.io/service-name=${derivedWeb.name}`;
  const { items } = await cluster.client.list(endpointSlices, { namespace: NAMESPACE, labelSelector });
  return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)).toSorted();
}

const environmentOf = ({ cluster }: TestMember) => ({
  client: cluster.client,
  clock: set.clock,
  logger: silentLogger,
  signal: new AbortController().signal,
});

const exported = async (member: TestMember, ...from: readonly TestMember[]) => {
  const wanted = await Promise.all(from.map(async (one) => `${one.name} ${await set.vipOf(one, 'web')}`));
  expect(await set.endpointsOf(member, 'web')).toEqual(wanted);
};

describe('a derived Service', () => {
  it('gives the import an address, with its own pods and the VIPs of the others behind it', async () => {
    const { a, b } = await both();
    const service = await derived(a);
    expect(service?.spec).toMatchObject({
      type: 'ClusterIP',
      ports: [{ name: 'http', port: 80 }],
      internalTrafficPolicy: 'Cluster',
    });
    expect(service?.spec.selector).toBeUndefined();
    expect(await ipsOf(a)).toEqual([service?.spec.clusterIP]);
    expect(await behind(a)).toEqual(['10.9.0.1', await set.vipOf(b, 'web')].toSorted());
    expect(
      await a.part.explain(environmentOf(a), { kind: 'service', namespace: NAMESPACE, name: 'web' }),
    ).toMatchObject({
      state: 'as-wanted',
      there: expect.arrayContaining([
        expect.stringMatching(/^the derived Service .* and 1 endpoints of this cluster$/),
      ]),
    });
    // The records of DNS are made of these: nothing has come to them.
    await exported(a, a, b);
    expect(await derived(b)).toBeUndefined();
    expect(await ipsOf(b)).toBeUndefined();
  });

  it('writes nothing more once all is as it should be, also after a restart', async () => {
    const { a } = await both();
    const before = a.cluster.writes.length;
    await set.restart(a);
    await set.settle(600_000);
    expect(a.cluster.writes.length).toBe(before);
  });

  it('follows the pods of this cluster, also while the broker is away', async () => {
    const { a, b } = await both();
    set.isCut = true;
    await a.cluster.putSlice('web', 'web-1', ['10.9.0.1@node-1', '10.9.0.2@node-2'], { name: 'http', port: 8080 });
    await set.settle();
    expect(await behind(a)).toEqual(['10.9.0.1', '10.9.0.2', await set.vipOf(b, 'web')].toSorted());
  });

  it('follows the ports of the import and keeps its address', async () => {
    const { a, b } = await both();
    const before = await ipsOf(a);
    const ports = [
      { name: 'http', port: 80 },
      { name: 'metrics', port: 9090 },
    ];
    for (const member of [a, b]) await member.cluster.editService('web', { spec: { ports } });
    await set.settle();
    expect((await derived(a))?.spec.ports?.map(({ port }) => port)).toEqual([80, 9090]);
    expect(await ipsOf(a)).toEqual(before);
  });

  it('is made again after a user deleted it, and the import gets its new address', async () => {
    const { a } = await both();
    await a.cluster.client.delete(services, derivedWeb);
    await set.settle();
    const service = await derived(a);
    expect(service).toBeDefined();
    expect(await ipsOf(a)).toEqual([service?.spec.clusterIP]);
  });

  it('loses the share of this cluster with its export, and goes with the import', async () => {
    const { a, b } = await both();
    await set.unexport(a, 'web');
    await set.settle();
    expect(await behind(a)).toEqual([await set.vipOf(b, 'web')]);
    await set.unexport(b, 'web');
    await set.settle();
    expect(await set.imported(a, 'web')).toBeUndefined();
    expect(await derived(a)).toBeUndefined();
    expect(await behind(a)).toEqual([]);
  });

  it('goes when the setting is turned off, with its address and what stood behind it', async () => {
    const { a, b } = await both();
    await set.restart(a, {});
    await set.settle();
    expect(await derived(a)).toBeUndefined();
    expect(await ipsOf(a)).toBeUndefined();
    expect(await behind(a)).toEqual([]);
    await exported(a, a, b);
  });

  it('goes when the setting is turned off while the broker is away', async () => {
    const { a, b } = await both();
    set.isCut = true;
    await set.restart(a, {});
    await set.settle(120_000);
    expect(await derived(a)).toBeUndefined();
    const left = await set.imported(a, 'web');
    expect(left?.spec.ips).toBeUndefined();
    expect(left?.status?.conditions?.map(({ reason }) => reason)).toEqual(['BrokerUnreachable']);
    await exported(a, a, b);
  });

  it('goes also where its import was gone before it', async () => {
    const { a, b } = await both();
    await a.leader.stop();
    for (const member of [a, b]) await set.unexport(member, 'web');
    await set.settle();
    await a.cluster.client.delete(imports, { namespace: NAMESPACE, name: 'web' });
    await set.restart(a);
    await set.settle();
    expect(await derived(a)).toBeUndefined();
  });

  it('is planned to go, and goes, where nothing else is left', async () => {
    set = new TestClusterSet();
    const a = await set.add('a', ON);
    await a.leader.stop();
    const metadata = { ...derivedWeb, labels: derivedLabels('web') };
    await a.cluster.client.create<Service>(services, { metadata, spec: { ports: [{ port: 80 }] } });
    expect((await a.part.plan(environmentOf(a))).changes).toMatchObject([{ action: 'delete', writes: 1 }]);
    await set.restart(a);
    await set.settle();
    expect(await derived(a)).toBeUndefined();
  });

  it('leaves a Service of its name alone that is not ours, says so, and takes the name once it is free', async () => {
    set = new TestClusterSet();
    const a = await set.add('a', ON);
    const b = await set.add('b');
    const theirs: Service = { metadata: derivedWeb, spec: { ports: [{ port: 7 }] } };
    const before = await a.cluster.client.create<Service>(services, theirs);
    await set.export(a, 'web');
    await set.export(b, 'web');
    await set.settle();
    expect(await derived(a)).toEqual(before);
    expect(await behind(a)).toEqual([]);
    const found = await set.imported(a, 'web');
    expect(found?.spec.ips).toBeUndefined();
    expect(found?.status?.conditions).toMatchObject([{ type: 'fairlead.dev/DerivedService', reason: 'NameTaken' }]);
    await a.cluster.client.delete(services, derivedWeb);
    await set.settle();
    expect(await ipsOf(a)).toEqual([(await derived(a))?.spec.clusterIP]);
    expect((await set.imported(a, 'web'))?.status?.conditions ?? []).toEqual([]);
    expect(await behind(a)).toHaveLength(2);
  });

  it('keeps the address that another controller gave an import', async () => {
    set = new TestClusterSet();
    const a = await set.add('a');
    await set.export(a, 'web');
    await set.settle();
    await a.cluster.client.patchMerge(imports, { namespace: NAMESPACE, name: 'web' }, { spec: { ips: ['10.96.9.9'] } });
    await set.settle();
    expect(await ipsOf(a)).toEqual(['10.96.9.9']);
  });

  it('is not exported again', async () => {
    const { a, b } = await both();
    await a.cluster.client.create(exports, { metadata: derivedWeb });
    await set.settle();
    expect(await set.conditionsOf(a, derivedWeb.name)).toMatchObject({ Valid: 'False InvalidExport' });
    expect(await set.imported(b, derivedWeb.name)).toBeUndefined();
  });

  it('is removed by fairlead leave', async () => {
    const { a } = await both();
    await a.leader.stop();
    const { signal } = new AbortController();
    for (const step of await removeImports(a.cluster.client, signal)) await step.run(signal);
    expect(await derived(a)).toBeUndefined();
    expect(await set.vipOf(a, 'web')).not.toBe('');
  });
});
