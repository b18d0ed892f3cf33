import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, Fairlead, startCluster } from './harness/index.ts';

describe('bad input to fairlead run', () => {
  let cluster: Cluster;
  let folder: string;

  beforeAll(async () => {
    cluster = await startCluster();
    folder = await mkdtemp(join(tmpdir(), 'fairlead-bad-input-'));
  });

  afterAll(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  const gateway = { addresses: ['192.0.2.1'] };

  const kubeconfigWith = async (name: string, change: (text: string) => string) => {
    const path = join(folder, name);
    await writeFile(path, change(await readFile(cluster.kubeconfigPath, 'utf8')));
    return path;
  };

  /** Runs it and gives the one line it ends with. */
  const complaintOf = async (configuration: object) => {
    const { code, stdout, stderr } = await (await Fairlead.configure(configuration)).command('run');
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toMatch(/^\s+at /m);
    return stderr.trimEnd();
  };

  it('names the kubeconfig that cannot be read, and the line', async () => {
    const kubeconfig = await kubeconfigWith('broken', () => 'apiVersion: v1\nclusters: [\n');
    const complaint = await complaintOf({ kubernetes: { kubeconfig }, parts: { gateway } });
    expect(complaint).toContain(kubeconfig);
    expect(complaint).toMatch(/line \d/);
  });

  it('names the server that cannot be reached', async () => {
    const vacated = await vacatedPort();
    const kubeconfig = await kubeconfigWith('unreachable', (text) =>
      text.replace(/server: .*/, `server: https://127.0.0.1:${vacated}`),
    );
    const complaint = await complaintOf({ kubernetes: { kubeconfig }, parts: { gateway } });
    expect(complaint).toContain(`127.0.0.1:${vacated}`);
    expect(complaint).toContain('nothing listens there');
  });

  it('says that the certificate authority is the wrong one', async () => {
    const other = await startCluster();
    const authority = /certificate-authority-data: .*/.exec(await readFile(other.kubeconfigPath, 'utf8'))?.[0] ?? '';
    await other.stop();
    const kubeconfig = await kubeconfigWith('wrong-authority', (text) =>
      text.replace(/certificate-authority-data: .*/, authority),
    );
    const complaint = await complaintOf({ kubernetes: { kubeconfig }, parts: { gateway } });
    expect(complaint).toMatch(/certificate/);
  });

  it('names the permissions that are missing, and what each is for', async () => {
    const { kubeconfigPath: kubeconfig } = await cluster.createIdentity('reader', [
      { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
    ]);
    const complaint = await complaintOf({ kubernetes: { kubeconfig }, parts: { gateway } });
    expect(complaint).toContain('missing permissions:');
    const publishes = 'It publishes the address, and a condition, in the status of the Service';
    expect(complaint).toContain(`patch services/status (${publishes})`);
    expect(complaint).toContain('create leases.coordination.k8s.io');
    expect(complaint).not.toContain('list services');
  });

  it('names the line of a misspelt key, and the key that was meant', async () => {
    const { kubeconfigPath: kubeconfig } = cluster;
    const complaint = await complaintOf({ kubernetes: { kubeconfg: kubeconfig }, parts: { gateway } });
    expect(complaint).toMatch(/fairlead\.yaml:1:\d+: unknown key kubernetes\.kubeconfg: did you mean kubeconfig\?$/);
  });
});

/** A port on which nobody listens any more. */
async function vacatedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
