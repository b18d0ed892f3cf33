import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type EndpointSlice, endpointSlices, type Service, services } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, eventually, playNode, playPod, removePod, setPodReady, startCluster } from './harness/index.ts';

const bothFamilies: Service['spec'] = {
  selector: { app: 'web' },
  ports: [{ name: 'http', port: 80, targetPort: 'http' }],
  ipFamilyPolicy: 'RequireDualStack',
};

describe('the real cluster', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
    await playNode(cluster.client, { name: 'node-1', addresses: ['192.0.2.10', '2001:db8::10'], zone: 'north' });
  });

  afterAll(() => cluster.stop());

  const createService = (namespace: string, spec: Service['spec']): Promise<Service> =>
    cluster.client.create(services, { metadata: { namespace, name: 'web' }, spec });

  const playWebPod = (namespace: string): Promise<unknown> =>
    playPod(cluster.client, {
      namespace,
      name: 'web-1',
      node: 'node-1',
      addresses: ['10.244.0.7', 'fd00:10:244::7'],
      labels: { app: 'web' },
      ports: [{ name: 'http', containerPort: 8080 }],
    });

  const slicesWhen = (namespace: string, describe: string, holds: (slice: EndpointSlice) => boolean) =>
    eventually(
      async () => {
        const { items } = await cluster.client.list(endpointSlices, { namespace });
        const byFamily = [...items].sort((left, right) => left.addressType.localeCompare(right.addressType));
        return byFamily.length === 2 && byFamily.every(holds) && byFamily;
      },
      { describe },
    );

  it('gives a dual-stack Service an address of each family', async () => {
    const service = await createService(await cluster.createNamespace(), bothFamilies);
    expect(service.spec.ipFamilies).toEqual(['IPv4', 'IPv6']);
    expect(service.spec.clusterIPs).toEqual([
      expect.stringMatching(/^10\.96\./),
      expect.stringMatching(/^fd00:10:96::/),
    ]);
  });

  it('follows a Pod in EndpointSlices of both families: ready, not ready, gone', async () => {
    const namespace = await cluster.createNamespace();
    await createService(namespace, bothFamilies);
    await playWebPod(namespace);
    const isReady = (slice: EndpointSlice): boolean => slice.endpoints?.[0]?.conditions?.ready === true;
    const slices = await slicesWhen(namespace, 'a ready endpoint in each family', isReady);
    expect(slices).toMatchObject([
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.244.0.7'], nodeName: 'node-1', zone: 'north' }],
        ports: [{ name: 'http', port: 8080 }],
      },
      { addressType: 'IPv6', endpoints: [{ addresses: ['fd00:10:244::7'] }] },
    ]);

    await setPodReady(cluster.client, { namespace, name: 'web-1' }, false);
    const isUnready = (slice: EndpointSlice): boolean => slice.endpoints?.[0]?.conditions?.ready === false;
    await slicesWhen(namespace, 'the endpoint to be not ready', isUnready);

    await removePod(cluster.client, { namespace, name: 'web-1' });
    await slicesWhen(namespace, 'the endpoint to go', (slice) => (slice.endpoints ?? []).length === 0);
  });

  it('accepts a load balancer class, and keeps it from being changed', async () => {
    const namespace = await cluster.createNamespace();
    const loadBalancerClass = 'fairlead.dev/gateway';
    const service = await createService(namespace, { ...bothFamilies, type: 'LoadBalancer', loadBalancerClass });
    expect(service.spec.loadBalancerClass).toBe(loadBalancerClass);
    const change = { spec: { loadBalancerClass: 'fairlead.dev/octavia' } };
    await expect(cluster.client.patchMerge(services, { namespace, name: 'web' }, change)).rejects.toThrow(
      /may not change once set/,
    );
  });

  it('answers kubectl of the same version', async () => {
    const namespace = await cluster.createNamespace();
    await createService(namespace, bothFamilies);
    const get = await cluster.kubectl(['get', 'services', '--namespace', namespace, '--no-headers']);
    expect(get).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^web +ClusterIP +10\.96\./) });
    const version = await cluster.kubectl(['version']);
    const [client, server] = ['Client', 'Server'].map((side) => version.stdout.match(`${side} Version: (.*)`)?.[1]);
    expect(server).toMatch(/^v1\.\d+\.\d+$/);
    expect(client).toBe(server);
    expect(await cluster.kubectl(['get', 'services', 'absent'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('NotFound'),
    });
  });

  it('counts the writes of each user, refused ones too, from the last reset on', async () => {
    const namespace = await cluster.createNamespace();
    const permitted = [{ apiGroups: [''], resources: ['services'], verbs: ['get', 'list'] }];
    const [writer, reader] = [
      await cluster.createIdentity('writer'),
      await cluster.createIdentity('reader', permitted),
    ];
    const as = (kubeconfig: string, ...parameters: string[]) =>
      cluster.kubectl(['--kubeconfig', kubeconfig, '--namespace', namespace, ...parameters]);
    const create = ['create', 'service', 'clusterip', 'web', '--tcp', '80'];
    await as(writer.kubeconfigPath, 'create', 'configmap', 'before');

    await cluster.resetWrites();
    expect(await as(reader.kubeconfigPath, ...create)).toMatchObject({ stderr: expect.stringContaining('forbidden') });
    expect(await as(writer.kubeconfigPath, ...create)).toMatchObject({ code: 0 });
    expect(await as(writer.kubeconfigPath, 'delete', 'service', 'web')).toMatchObject({ code: 0 });
    expect(await as(reader.kubeconfigPath, 'get', 'services')).toMatchObject({ code: 0 });

    expect(await cluster.writes((write) => write.user === writer.user)).toMatchObject([
      { verb: 'create', resource: 'services', namespace },
      { verb: 'delete', resource: 'services', namespace, name: 'web' },
    ]);
    expect(await cluster.writes((write) => write.user === reader.user)).toMatchObject([{ verb: 'create' }]);
  });
});

describe('starting and stopping clusters', () => {
  it('runs two at once that know nothing of each other, and leaves nothing behind', async () => {
    const clusters = await Promise.all([
      startCluster({ serviceCidrs: ['10.1.0.0/16'] }),
      startCluster({ serviceCidrs: ['fd00:2::/112'], apiServerFlags: ['--max-requests-inflight=100'] }),
    ]);
    try {
      const addresses = clusters.map(({ client }) =>
        client.get(services, { namespace: 'default', name: 'kubernetes' }),
      );
      const clusterIps = (await Promise.all(addresses)).map((service) => service.spec.clusterIP);
      expect(clusterIps).toEqual(['10.1.0.1', 'fd00:2::1']);
    } finally {
      await Promise.all(clusters.map((cluster) => cluster.stop()));
    }
    for (const { pid, directory } of clusters) expect([isAlive(pid), existsSync(directory)]).toEqual([false, false]);
  });

  it('says why a cluster did not start', async () => {
    const starting = startCluster({ apiServerFlags: ['--no-such-flag'] });
    await expect(starting).rejects.toThrow(/did not start:\n.*unknown flag: --no-such-flag/s);
  });

  it('takes the cluster down with a process that is killed', async () => {
    const harness = fileURLToPath(new URL('harness/index.ts', import.meta.url));
    const program = `
      const { startCluster } = await import(${JSON.stringify(harness)});
      const { pid, directory } = await startCluster();
      console.log(pid + ' ' + directory);
      await new Promise((resolve) => setTimeout(resolve, 600_000));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid, directory] = await new Promise<string[]>((resolve) => {
      createInterface({ input: parent.stdout }).on('line', (line) => resolve(line.split(' ')));
    });
    expect(isAlive(Number(pid))).toBe(true);
    parent.kill('SIGKILL');
    await eventually(() => !isAlive(Number(pid)), { describe: 'the cluster to end with its parent' });
    expect(existsSync(directory ?? '')).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
