import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
  secrets,
  type Service,
  services,
} from '@fairlead/kube';
import { connect, type Connected } from '@fairlead/kube/adapters';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../scripts/run-command.ts';
import { type Cluster, eventually, Fairlead, type RunningFairlead, startCluster } from './harness/index.ts';

const PROGRAM = fileURLToPath(new URL('../packages/cli/main.ts', import.meta.url));
const DEFINITIONS = fileURLToPath(new URL('../deploy/chart/fairlead/custom-resources/clusterset', import.meta.url));
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

interface Member {
  readonly name: string;
  readonly cluster: Cluster;
  readonly fairlead: Fairlead;
  running: RunningFairlead;
  /** With the credentials that join gave it. */
  readonly atBroker: KubeClient;
  readonly connection: Connected;
}

describe('several clusters on real API servers', () => {
  let broker: Cluster;
  let folder: string;
  const members = new Map<string, Member>();
  const memberOf = (name: string): Member => {
    const found = members.get(name);
    if (found === undefined) throw new Error(`there is no cluster ${name}`);
    return found;
  };

  const command = (verb: 'join' | 'leave', name: string, cluster: Cluster, ...more: readonly string[]) =>
    runCommand(process.execPath, [
      PROGRAM,
      verb,
      '--clusterset=blue',
      `--cluster=${name}`,
      `--broker-kubeconfig=${broker.kubeconfigPath}`,
      `--kubeconfig=${cluster.kubeconfigPath}`,
      ...more,
    ]);

  /** As the kubelet does. */
  const mount = async (name: string, cluster: Cluster): Promise<string> => {
    const secret = await cluster.client.get(secrets, { namespace: 'fairlead-system', name: 'fairlead-broker' });
    await mkdir(join(folder, name), { recursive: true });
    for (const [file, data] of Object.entries(secret.data ?? {}))
      await writeFile(join(folder, name, file), Buffer.from(data, 'base64'));
    return join(folder, name, 'kubeconfig');
  };

  const start = async (name: string, cluster: Cluster): Promise<void> => {
    const applied = await cluster.kubectl(['apply', '-f', DEFINITIONS]);
    expect(applied.stderr).toBe('');
    await cluster.kubectl(['create', 'namespace', 'shop']);
    const joined = await command('join', name, cluster, '--yes');
    expect(joined).toMatchObject({ code: 0 });
    const kubeconfig = await mount(name, cluster);
    const { kubeconfigPath } = await cluster.createIdentity('fairlead');
    const fairlead = await Fairlead.configure({
      kubernetes: { kubeconfig: kubeconfigPath },
      parts: { clusterset: { clusterset: 'blue', cluster: name, broker: { kubeconfig }, whenSilent: 'keep' } },
    });
    const connection = await connect({ kubeconfig, userAgent: name });
    const atBroker = new KubeClient(connection.connection, systemClock);
    members.set(name, { name, cluster, fairlead, running: await fairlead.run(), atBroker, connection });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-clusterset-'));
    const [one, a, b] = await Promise.all([startCluster(), startCluster(), startCluster()]);
    broker = one;
    await start('a', a);
    await start('b', b);
  });

  afterAll(async () => {
    await Promise.all([...members.values()].map(({ running }) => running.kill()));
    await Promise.all([...members.values()].map(({ connection }) => connection.connection.close()));
    await Promise.all([broker, ...[...members.values()].map(({ cluster }) => cluster)].map((one) => one.stop()));
    await rm(folder, { recursive: true, force: true });
  });

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
  const aggregated = () => clustersIn(broker.client, { namespace: SHARED, name: 'web.shop' });
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
  const becomes = async (describe: string, look: () => Promise<unknown>, wanted: unknown) => {
    await eventually(async () => JSON.stringify(await look()) === JSON.stringify(wanted), {
      describe,
      timeoutMs: 20_000,
      intervalMs: 50,
    });
    expect(await look()).toEqual(wanted);
  };

  it('joins as it said it would, and again without a change but for the token', async () => {
    const { cluster } = memberOf('a');
    const dry = await command('join', 'a', cluster);
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
      `--broker-kubeconfig=${broker.kubeconfigPath}`,
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
    const shown = await memberOf('b').cluster.kubectl(['get', 'serviceimport', 'web', '-n', 'shop', '--no-headers']);
    expect(shown.stdout).toMatch(/^web\s+ClusterSetIP\s+.*a\s/);
    const local = await memberOf('a').cluster.kubectl(['get', 'serviceimport', '-n', 'fairlead-system', '-o', 'name']);
    expect(local.stdout.trim()).toBe('serviceimport.multicluster.x-k8s.io/web.shop');
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
    await patch(true);
    await becomes('both clusters', () => endpointsIn('b'), [`a ${await vipOf('a')}`, `b ${await vipOf('b')}`]);
    expect(await importedBy('b')).toBe('a,b');
  });

  it('removes an export, and does not export another type until the oldest is gone', async () => {
    const { cluster, fairlead } = memberOf('b');
    expect(await fairlead.command('unexport', 'shop/web')).toMatchObject({ code: 0 });
    await becomes('one cluster', () => importedBy('b'), 'a');
    await becomes('the aggregate', aggregated, 'a');
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
    await becomes('the cluster', () => importedBy('a'), 'b');
  });

  it('refuses what a member has no right to, and changes nothing on its peers', async () => {
    const { atBroker } = memberOf('a');
    const labels = {
      'clusterset.fairlead.dev/clusterset': 'blue',
      'clusterset.fairlead.dev/source-namespace': 'shop',
      'multicluster.kubernetes.io/service-name': 'web',
      'multicluster.kubernetes.io/source-cluster': 'a',
    };
    const spec: ServiceImport['spec'] = { type: 'ClusterSetIP', ports: [{ port: 80 }] };
    const record = (
      namespace: string,
      name: string,
      changed: Readonly<Record<string, string>> = {},
    ): ServiceImport => ({
      metadata: { namespace, name, labels: { ...labels, ...changed }, creationTimestamp: '2001-01-01T00:00:00Z' },
      spec,
    });
    const before = JSON.stringify([await endpointsIn('b'), await memberOf('b').cluster.client.get(imports, web)]);
    for (const namespace of [`${SHARED}-m-b`, 'kube-system', 'default']) {
      await expect(atBroker.create(imports, record(namespace, 'web.shop'))).rejects.toSatisfy(isForbidden);
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
    // In its own namespace it may write what it likes: the others do not believe it.
    const own = `${SHARED}-m-a`;
    const source = 'clusterset.fairlead.dev/source-namespace';
    await atBroker.create(
      imports,
      record(own, 'evil.kube-system', { [source]: 'kube-system', 'multicluster.kubernetes.io/service-name': 'evil' }),
    );
    await atBroker.create(
      imports,
      record(own, 'evil.nowhere', { [source]: 'nowhere', 'multicluster.kubernetes.io/service-name': 'evil' }),
    );
    const forged = await atBroker.create(
      imports,
      record(own, 'forged.shop', {
        'multicluster.kubernetes.io/source-cluster': 'b',
        'multicluster.kubernetes.io/service-name': 'forged',
      }),
    );
    expect(forged.metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const all = await memberOf('b').cluster.client.list(imports);
    expect(all.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted()).toEqual([
      'fairlead-system/web.shop',
      'shop/web',
    ]);
    expect(JSON.stringify([await endpointsIn('b'), await memberOf('b').cluster.client.get(imports, web)])).toBe(before);
  });

  it('rotates credentials: no token before counts any more, and the agent goes on with the new one', async () => {
    const { cluster } = memberOf('a');
    const before = join(folder, 'before');
    await cp(join(folder, 'a'), before, { recursive: true });
    const old = await connect({ kubeconfig: join(before, 'kubeconfig'), userAgent: 'before' });
    const client = new KubeClient(old.connection, systemClock);
    await client.list(imports, { namespace: SHARED });
    expect(await command('join', 'a', cluster, '--yes')).toMatchObject({ code: 0 });
    await eventually(
      async () =>
        client.list(imports, { namespace: SHARED }).then(
          () => false,
          (error: unknown) => isUnauthorized(error),
        ),
      { describe: 'a token that is revoked', timeoutMs: 20_000, intervalMs: 250 },
    );
    await old.connection.close();
    await mount('a', cluster);
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
    expect(status.stdout).toContain('shop/web: exported by b');
    const left = await command('leave', 'b', b.cluster, '--yes');
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
});
