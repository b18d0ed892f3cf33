import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServiceExport, type ServiceImport, serviceExports, serviceImports } from '@fairlead/clusterset';
import { systemClock } from '@fairlead/control/adapters';
import {
  type ConfigMap,
  configMaps,
  type EndpointSlice,
  endpointSlices,
  isForbidden,
  isUnauthorized,
  KubeClient,
  type KubeObject,
  type Lease,
  leases,
  type Resource,
  type Service,
  services,
} from '@fairlead/kube';
import { connect } from '@fairlead/kube/adapters';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../scripts/run-command.ts';
import { ClusterSetStage, CoreDns, dig, dnsPortOf, eventually } from './harness/index.ts';

const PROGRAM = fileURLToPath(new URL('../packages/cli/main.ts', import.meta.url));
const SHARED = 'fairlead-broker';
const exports = serviceExports('v1beta1');
const imports = serviceImports('v1beta1');
const web = { namespace: 'shop', name: 'web' };

const tokens: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'TokenRequest',
  namespaced: true,
  subresource: 'token',
};
const tokenRequest = (namespace: string) => ({
  apiVersion: 'authentication.k8s.io/v1',
  metadata: { namespace, name: 'member' },
  spec: { expirationSeconds: 3_600 },
});

describe('several clusters on real API servers', () => {
  let stage: ClusterSetStage;
  /** In front of the DNS server of b. */
  let coreDns: CoreDns | undefined;
  const memberOf = (name: string) => stage.member(name);

  beforeAll(async () => {
    stage = await ClusterSetStage.start();
    await Promise.all([stage.add('a'), stage.add('b')]);
    coreDns = await CoreDns.start(await dnsPortOf(memberOf('b').running));
  });

  afterAll(async () => {
    await coreDns?.stop();
    await stage.stop();
  });

  /** What dig shows in b of a name below the clusterset's zone: the rcode where there are no answers. */
  const dug = async (name: string, type?: string) => {
    const { status, answers } = await dig(coreDns?.port ?? 0, `${name}.svc.clusterset.local`, type);
    return answers.length === 0 ? status : answers.join();
  };

  const create = async (name: string, spec: Service['spec'], address = '10.244.0.7') => {
    const { client } = memberOf(name).cluster;
    await client.create<Service>(services, { metadata: web, spec });
    await client.create<EndpointSlice>(endpointSlices, {
      metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true }, hostname: 'first' }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    });
  };
  const ports = (...numbers: readonly number[]) => numbers.map((port) => ({ name: `p${port}`, port }));

  const clustersIn = async (client: KubeClient, key: { namespace: string; name: string }) => {
    const found = await client.find(imports, key);
    return found === undefined ? 'none' : (found.status?.clusters ?? []).map(({ cluster }) => cluster).join(',');
  };
  const importedBy = (name: string) => clustersIn(memberOf(name).cluster.client, web);
  const aggregated = () => clustersIn(stage.broker.client, { namespace: SHARED, name: 'web.shop' });
  const endpointsIn = async (name: string) => {
    const labelSelector = 'multicluster.kubernetes.io/service-name=web';
    const { items } = await memberOf(name).cluster.client.list<EndpointSlice>(endpointSlices, {
      namespace: 'shop',
      labelSelector,
    });
    return items
      .flatMap(({ metadata, endpoints }) =>
        (endpoints ?? []).map(
          ({ addresses }) => `${metadata.labels?.['multicluster.kubernetes.io/source-cluster']} ${addresses.join()}`,
        ),
      )
      .toSorted();
  };
  const vipOf = async (name: string) => (await memberOf(name).cluster.client.get(services, web)).spec.clusterIP ?? '';
  const conditionsOf = async (name: string) => {
    const { status } = await memberOf(name).cluster.client.get(exports, web);
    return Object.fromEntries(
      (status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]),
    );
  };
  const becomes = async (describe: string, look: () => Promise<unknown>, wanted: unknown, intervalMs = 50) => {
    let seen: unknown;
    const isAsWanted = async () => {
      seen = await look();
      return JSON.stringify(seen) === JSON.stringify(wanted);
    };
    await eventually(isAsWanted, { describe, timeoutMs: 20_000, intervalMs }).catch(() => {});
    // Also when it was waited for in vain: this says what there is instead.
    expect({ [describe]: seen }).toEqual({ [describe]: wanted });
  };

  /** The same by kubectl, of which five at once have two cores busy. */
  const shows = (describe: string, look: () => Promise<unknown>, wanted: unknown) =>
    becomes(describe, look, wanted, 500);

  it('joins as it said it would, and again without a change but for the token', async () => {
    const { cluster } = memberOf('a');
    const dry = await stage.command('join', 'a', cluster);
    expect(dry.stdout.split('\n').filter((line) => line.startsWith('would'))).toEqual([
      'would make ServiceAccount fairlead-broker-m-a/member anew, which revokes all its tokens',
      'would write a new token for the broker into Secret fairlead-system/fairlead-broker of this cluster',
    ]);
    const other = await runCommand(process.execPath, [
      PROGRAM,
      'join',
      '--clusterset=green',
      '--cluster=c',
      '--yes',
      `--broker-kubeconfig=${stage.broker.kubeconfigPath}`,
      `--kubeconfig=${cluster.kubeconfigPath}`,
    ]);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('is of the clusterset blue: choose another with --broker-namespace');
  });

  it('adds an export: local import, aggregate, imports and endpoints in every cluster', async () => {
    await create('a', { ports: ports(80, 443) });
    expect(await memberOf('a').fairlead.command('export', 'shop/web')).toMatchObject({ code: 0 });
    const vip = await vipOf('a');
    for (const name of ['a', 'b']) {
      await becomes(`the import in ${name}`, () => importedBy(name), 'a');
      await becomes(`the endpoints in ${name}`, () => endpointsIn(name), [`a ${vip}`]);
    }
    await becomes('the aggregate', aggregated, 'a');
    await becomes('the answer', () => dug('web.shop'), `A ${vip}`);
    const shown = await memberOf('b').cluster.kubectl(['get', 'serviceimport', 'web', '-n', 'shop', '--no-headers']);
    expect(shown.stdout).toMatch(/^web\s+ClusterSetIP\s+.*a\s/);
    const local = await memberOf('a').cluster.kubectl(['get', 'serviceimport', '-n', 'fairlead-system', '-o', 'name']);
    expect(local.stdout.trim()).toBe('serviceimport.multicluster.x-k8s.io/web.shop');
  });

  it('answers for an export in another cluster within a second', async () => {
    const { client } = memberOf('a').cluster;
    const quick = { namespace: 'shop', name: 'quick' };
    const { spec } = await client.create<Service>(services, { metadata: quick, spec: { ports: ports(80) } });
    const labels = { 'kubernetes.io/service-name': 'quick' };
    await client.create<EndpointSlice>(endpointSlices, {
      metadata: { namespace: 'shop', name: 'quick-1', labels },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.244.0.9'], conditions: { ready: true } }],
      ports: [{ name: 'p80', port: 8080, protocol: 'TCP' }],
    });
    expect(await dug('quick.shop')).toBe('NXDOMAIN');
    const begunAt = performance.now();
    await client.create<ServiceExport>(exports, { metadata: quick });
    await eventually(async () => (await dug('quick.shop')) === `A ${spec.clusterIP}`, {
      describe: 'the answer in b',
      intervalMs: 5,
    });
    expect(performance.now() - begunAt).toBeLessThan(1_000);
    await client.delete(exports, quick);
    await client.delete(services, quick);
    await becomes('no answer in b any more', () => dug('quick.shop'), 'NXDOMAIN');
  });

  it('merges the ports of a second export, and tells both of the conflict', async () => {
    await create('b', { ports: ports(80) });
    await memberOf('b').fairlead.command('export', 'shop/web');
    for (const name of ['a', 'b']) {
      await becomes(`the clusters in ${name}`, () => importedBy(name), 'a,b');
      await becomes(`the conflict in ${name}`, async () => (await conditionsOf(name))['Conflict'], 'True PortConflict');
    }
    expect((await memberOf('a').cluster.client.get(imports, web)).spec.ports).toEqual([
      { name: 'p80', protocol: 'TCP', port: 80 },
    ]);
    await becomes('the aggregate', aggregated, 'a,b');
    const name = 'web.shop.svc.clusterset.local';
    await becomes('the port of both', () => dug('web.shop', 'SRV'), `SRV 0 100 80 ${name}.`);
    expect((await dug('a.web.shop', 'SRV')).split(',').toSorted()).toEqual([
      `SRV 0 100 443 a.${name}.`,
      `SRV 0 100 80 a.${name}.`,
    ]);
  });

  it('clears the endpoints of a cluster without pods, and brings them back', async () => {
    const { client } = memberOf('a').cluster;
    const patch = (ready: boolean) =>
      client.patchMerge<EndpointSlice>(
        endpointSlices,
        { namespace: 'shop', name: 'web-1' },
        { endpoints: [{ addresses: ['10.244.0.7'], conditions: { ready } }] },
      );
    await patch(false);
    await becomes('one cluster', () => endpointsIn('b'), [`b ${await vipOf('b')}`]);
    await becomes('no answer for a', () => dug('a.web.shop'), 'NXDOMAIN');
    await patch(true);
    await becomes('both clusters', () => endpointsIn('b'), [`a ${await vipOf('a')}`, `b ${await vipOf('b')}`]);
    expect(await importedBy('b')).toBe('a,b');
  });

  it('removes an export, and does not export another type until the oldest is gone', async () => {
    const { cluster, fairlead } = memberOf('b');
    expect(await fairlead.command('unexport', 'shop/web')).toMatchObject({ code: 0 });
    await becomes('one cluster', () => importedBy('b'), 'a');
    await becomes('the aggregate', aggregated, 'a');
    await becomes('the answer', async () => dug('web.shop'), `A ${await vipOf('a')}`);
    await cluster.client.delete(services, web);
    await cluster.client.delete(endpointSlices, { namespace: 'shop', name: 'web-1' });
    await create('b', { ports: ports(80), clusterIP: 'None' }, '10.245.0.9');
    await cluster.client.create<ServiceExport>(exports, { metadata: web });
    await becomes('the conflict', () => conditionsOf('b'), {
      Valid: 'True Valid',
      Conflict: 'True TypeConflict',
      Ready: 'False Failed',
    });
    expect(await endpointsIn('a')).toEqual([`a ${await vipOf('a')}`]);
    await memberOf('a').fairlead.command('unexport', 'shop/web');
    await becomes('the other type', () => endpointsIn('a'), ['b 10.245.0.9']);
    for (const name of ['a', 'b']) await becomes(`the cluster in ${name}`, () => importedBy(name), 'b');
  });

  it('refuses what a member has no right to', async () => {
    const { atBroker } = memberOf('a');
    const labels = {
      'clusterset.fairlead.dev/clusterset': 'blue',
      'clusterset.fairlead.dev/source-namespace': 'shop',
      'multicluster.kubernetes.io/service-name': 'web',
      'multicluster.kubernetes.io/source-cluster': 'a',
    };
    const spec: ServiceImport['spec'] = { type: 'ClusterSetIP', ports: [{ port: 80 }] };
    for (const namespace of [`${SHARED}-m-b`, 'kube-system', 'default']) {
      const record: ServiceImport = { metadata: { namespace, name: 'web.shop', labels }, spec };
      await expect(atBroker.create(imports, record)).rejects.toSatisfy(isForbidden);
    }
    const lease = atBroker.patchMerge<Lease>(
      leases,
      { namespace: SHARED, name: 'b' },
      { spec: { holderIdentity: 'a' } },
    );
    await expect(lease).rejects.toSatisfy(isForbidden);
    const registration = { namespace: SHARED, name: 'member.a' };
    const admitted = atBroker.patchMerge<ConfigMap>(configMaps, registration, { data: { ranges: '0.0.0.0/0' } });
    await expect(admitted).rejects.toSatisfy(isForbidden);
    // It renews its own token, and gets none of another.
    const tokenOf = (name: string) => atBroker.create<KubeObject>(tokens, tokenRequest(`${SHARED}-m-${name}`));
    await expect(tokenOf('b')).rejects.toSatisfy(isForbidden);
    expect(await tokenOf('a')).toMatchObject({ status: { token: expect.any(String) } });
  });

  it('believes nothing that a member without Fairlead writes where it has the right to', async () => {
    const { cluster } = memberOf('a');
    expect(await stage.command('join', 'mallory', cluster, '--namespace=mallory', '--yes')).toMatchObject({ code: 0 });
    const mallory = await connect({
      kubeconfig: await stage.mount('mallory', cluster, 'mallory'),
      userAgent: 'mallory',
    });
    onTestFinished(() => mallory.connection.close());
    const atBroker = new KubeClient(mallory.connection, systemClock);
    const namespace = `${SHARED}-m-mallory`;
    const labelsOf = (name: string, source: string, changed: object = {}) => ({
      'clusterset.fairlead.dev/clusterset': 'blue',
      'clusterset.fairlead.dev/source-namespace': source,
      'multicluster.kubernetes.io/service-name': name,
      'multicluster.kubernetes.io/source-cluster': 'mallory',
      ...changed,
    });
    const forge = (name: string, source: string, changed?: object) =>
      atBroker.create<ServiceImport>(imports, {
        metadata: {
          namespace,
          name: `${name}.${source}`,
          labels: labelsOf(name, source, changed),
          creationTimestamp: '2001-01-01T00:00:00Z',
        },
        spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] },
      });
    const seen = async () =>
      JSON.stringify([await endpointsIn('b'), await memberOf('b').cluster.client.get(imports, web)]);
    const before = await seen();
    await forge('evil', 'kube-system');
    await forge('evil', 'nowhere');
    // It has the name of the record of another cluster, and says that it is that.
    const forged = await forge('web', 'shop', { 'multicluster.kubernetes.io/source-cluster': 'b' });
    expect(forged.metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z');
    const lead = (address: string) =>
      atBroker.create<EndpointSlice>(endpointSlices, {
        metadata: { namespace, name: 'evil.shop.ipv4', labels: labelsOf('evil', 'shop') },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports: [{ port: 80 }],
      });
    // The API server of the broker refuses some special addresses itself, and lets others pass.
    await expect(lead('169.254.169.254')).rejects.toThrow('link-local');
    await lead('240.0.0.1');
    const valid = await forge('evil', 'shop');
    await becomes('an import', () => clustersIn(memberOf('b').cluster.client, { ...web, name: 'evil' }), 'mallory');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const imported = async () => {
      const { items } = await memberOf('b').cluster.client.list(imports);
      return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted();
    };
    expect(await imported()).toEqual(['fairlead-system/web.shop', 'shop/evil', 'shop/web']);
    const behind = ['get', 'endpointslice', '-n', 'shop', '-l', 'multicluster.kubernetes.io/service-name=evil'];
    expect((await memberOf('b').cluster.kubectl([...behind, '-o', 'name'])).stdout).toBe('');
    expect(await seen()).toBe(before);
    await atBroker.delete(imports, valid.metadata);
    await becomes('no import', imported, ['fairlead-system/web.shop', 'shop/web']);
    await atBroker.delete(imports, forged.metadata);
  });

  it('rotates credentials: no token before counts any more, and the agent goes on with the new one', async () => {
    const { cluster } = memberOf('a');
    const before = join(stage.folder, 'before');
    await cp(join(stage.folder, 'a'), before, { recursive: true });
    const old = await connect({ kubeconfig: join(before, 'kubeconfig'), userAgent: 'before' });
    const client = new KubeClient(old.connection, systemClock);
    await client.list(imports, { namespace: SHARED });
    expect(await stage.command('join', 'a', cluster, '--yes')).toMatchObject({ code: 0 });
    await eventually(
      async () =>
        client.list(imports, { namespace: SHARED }).then(
          () => false,
          (error: unknown) => isUnauthorized(error),
        ),
      { describe: 'a token that is revoked', timeoutMs: 20_000, intervalMs: 250 },
    );
    await old.connection.close();
    await stage.mount('a', cluster);
    await cluster.client.create<ServiceExport>(exports, { metadata: web });
    await becomes('the exports of both', () => conditionsOf('a'), {
      Valid: 'True Valid',
      Conflict: 'True TypeConflict',
      Ready: 'False Failed',
    });
    await memberOf('a').fairlead.command('unexport', 'shop/web');
  });

  it('leaves with all it exported, and its credentials with it', async () => {
    const b = memberOf('b');
    const status = await memberOf('a').fairlead.command('clusterset', 'status');
    expect(status.stdout).toMatch(/^shop\/web +TCP\/\d+ +b( |$)/m);
    const left = await stage.command('leave', 'b', b.cluster, '--yes');
    expect(left).toMatchObject({ code: 0 });
    await becomes('no import', () => importedBy('a'), 'none');
    await becomes('no endpoints', () => endpointsIn('a'), []);
    await becomes('no aggregate', aggregated, 'none');
    await eventually(
      async () =>
        b.atBroker.list(imports).then(
          () => false,
          (error: unknown) => isUnauthorized(error) || isForbidden(error),
        ),
      { describe: 'credentials that are refused', timeoutMs: 20_000, intervalMs: 250 },
    );
  });

  /** As kubectl shows it, or nothing where it is not there. */
  const shown = async (name: string, kind: string, path: string, object = 'all', namespace = 'shop') => {
    const { kubectl } = { kubectl: (words: readonly string[]) => clusterOf(name).kubectl(words) };
    const { stdout } = await kubectl(['get', kind, object, '-n', namespace, '-o', `jsonpath=${path}`]);
    return stdout;
  };
  const clusterOf = (name: string) => (name === 'broker' ? stage.broker : memberOf(name).cluster);
  const everywhere = async (look: (name: string) => Promise<string>) =>
    [...new Set(await Promise.all(['a', 'b', 'c', 'd', 'e'].map(look)))].join(' | ');
  const clustersOf = (name: string) => shown(name, 'serviceimport', '{.status.clusters[*].cluster}');
  const portsOf = (name: string) => shown(name, 'serviceimport', '{.spec.ports[*].port}');
  const addressesIn = async (name: string) => {
    const selector = 'multicluster.kubernetes.io/service-name=all';
    const path = 'jsonpath={range .items[*]}{.endpoints[*].addresses[0]} {end}';
    const { stdout } = await clusterOf(name).kubectl([
      'get',
      'endpointslice',
      '-n',
      'shop',
      '-l',
      selector,
      '-o',
      path,
    ]);
    return String(stdout.trim().split(/\s+/).filter(Boolean).length);
  };
  const conflictOf = (name: string) =>
    shown(name, 'serviceexport', "{.status.conditions[?(@.type=='Conflict')].reason}");
  const applied = async (name: string, ...objects: readonly object[]) => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    expect((await clusterOf(name).kubectl(['apply', '-f', '-'], list)).stderr).toBe('');
  };
  const metadata = { namespace: 'shop', name: 'all' };
  const serviceObject = (numbers: readonly number[], more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { ports: ports(...numbers), ...more },
  });
  const exportObject = { apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceExport', metadata };
  const sliceObject = (isReady: boolean) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name: 'all-1', labels: { 'kubernetes.io/service-name': 'all' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.244.0.9'], conditions: { ready: isReady } }],
    ports: [{ name: 'p80', port: 8080, protocol: 'TCP' }],
  });
  const OLD = { broker: 'submariner-k8s-broker', local: 'submariner-operator' };
  const olderObject = (namespace: string, cluster: string) => ({
    apiVersion: 'multicluster.x-k8s.io/v1beta1',
    kind: 'ServiceImport',
    metadata: {
      namespace,
      name: `all-shop-${cluster}`,
      labels: {
        'lighthouse.submariner.io/sourceCluster': cluster,
        'lighthouse.submariner.io/sourceName': 'all',
        'lighthouse.submariner.io/sourceNamespace': 'shop',
      },
    },
    spec: { type: 'ClusterSetIP', ips: ['10.55.0.1'], ports: [{ port: 80 }] },
  });

  it('brings in three more clusters, and all five export one Service', async () => {
    await stage.end('b');
    const own = ['get', 'namespace', `${SHARED}-m-b`, '--ignore-not-found', '-o', 'name'];
    const joinAgain = async () => {
      await shows('the end of its namespace', async () => (await stage.broker.kubectl(own)).stdout, '');
      await stage.add('b');
    };
    await stage.broker.kubectl(['create', 'namespace', OLD.broker]);
    await Promise.all([
      joinAgain(),
      stage.add('c', { older: { clusters: ['d', 'old'] } }, `--older-namespace=${OLD.broker}`),
      stage.add('d'),
      stage.add('e'),
    ]);
    await memberOf('c').cluster.kubectl(['create', 'namespace', OLD.local]);
    await applied('broker', olderObject(OLD.broker, 'd'), olderObject(OLD.broker, 'c'), olderObject(OLD.broker, 'x'));
    const copies = () =>
      shown('c', 'serviceimport', '{.items[*].metadata.name}', '--ignore-not-found', OLD.local).then((text) => text);
    await applied('a', serviceObject([80, 443]), sliceObject(true), exportObject);
    await shows('the first export everywhere', () => everywhere(clustersOf), 'a');
    await shows('a copy of what an older cluster exports', copies, 'all-shop-d');
    await shows('the ports of the first', () => everywhere(portsOf), '80 443');
    for (const name of ['b', 'c']) await applied(name, serviceObject([80]), sliceObject(true), exportObject);
    await shows('three clusters', () => everywhere(clustersOf), 'a b c');
    await shows('the intersection of the ports', () => everywhere(portsOf), '80');
    await shows('the conflict', () => conflictOf('c'), 'PortConflict');
    const kept = () => shown('broker', 'serviceimport', '{.spec.ips[0]}', 'all-shop-c', OLD.broker);
    await shows('our import of before, kept true', kept, await shown('c', 'service', '{.spec.clusterIP}'));
    await applied('d', serviceObject([80]), sliceObject(true), exportObject);
    await shows('four clusters', () => everywhere(clustersOf), 'a b c d');
    await shows('no copy of a cluster that was upgraded', copies, '');
    const left = () => shown('broker', 'serviceimport', '{.items[*].metadata.name}', '--ignore-not-found', OLD.broker);
    await shows('our import of before, gone', left, 'all-shop-d all-shop-x');
    await applied('e', serviceObject([80], { clusterIP: 'None' }), sliceObject(true), exportObject);
    await shows('a type that is refused', () => conflictOf('e'), 'TypeConflict,PortConflict');
    expect(await shown('e', 'serviceexport', "{.status.conditions[?(@.type=='Valid')].status}")).toBe('True');
    expect(await everywhere(clustersOf)).toBe('a b c d');
    await shows('the addresses of four', () => everywhere(addressesIn), '4');
    await shows(
      'the aggregate',
      () => shown('broker', 'serviceimport', '{.status.clusters[*].cluster}', 'all.shop', SHARED),
      'a b c d',
    );
  });

  it('takes them out one by one, and exports the other type once all of the first are gone', async () => {
    await applied('d', sliceObject(false));
    await shows('a cluster without pods', () => everywhere(addressesIn), '3');
    expect(await everywhere(clustersOf)).toBe('a b c d');
    const remove = (name: string) => clusterOf(name).kubectl(['delete', 'serviceexport', 'all', '-n', 'shop']);
    await remove('a');
    await shows('three left', () => everywhere(clustersOf), 'b c d');
    await shows('only the type in conflict', () => conflictOf('b'), 'TypeConflict');
    for (const name of ['b', 'c', 'd']) await remove(name);
    await shows('the last one', () => everywhere(clustersOf), 'e');
    await shows('its type', () => everywhere((name) => shown(name, 'serviceimport', '{.spec.type}')), 'Headless');
    await remove('e');
    await shows('nothing', () => everywhere(clustersOf), '');
    await shows('no addresses', () => everywhere(addressesIn), '0');
    await shows('no aggregate', () => shown('broker', 'serviceimport', '{.metadata.name}', 'all.shop', SHARED), '');
    // It had joined again with the export of before, which is nothing to them.
    expect(await importedBy('a')).toBe('b');
  });
});
