import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../scripts/free-port.ts';
import { type Cluster, eventually, Fairlead, type RunningFairlead, startCluster } from './harness/index.ts';

const LEASES = 'fairlead-leases';
const DEFINITIONS = fileURLToPath(new URL('../deploy/chart/fairlead/custom-resources/clusterset', import.meta.url));

const kubeconfigFor = (server: string) => `
apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test}}]
clusters: [{name: test, cluster: {server: "${server}"}}]
users: [{name: test, user: {token: secret}}]`;

// Each waits for a process of its own, most of the time.
describe.concurrent('fairlead check', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let leader: RunningFairlead;

  beforeAll(async () => {
    cluster = await startCluster();
    kubeconfig = (await cluster.createIdentity('fairlead')).kubeconfigPath;
    await cluster.kubectl(['create', 'namespace', LEASES]);
    leader = await (await Fairlead.configure(settings())).run();
    await eventually(() => leader.isLeading, { describe: 'the leadership', timeoutMs: 40_000 });
  });

  afterAll(async () => {
    await leader.kill();
    await cluster.stop();
  });

  const settings = (gateway: object = { addresses: ['203.0.113.1'] }, changes: object = {}) => ({
    kubernetes: { kubeconfig },
    leaderElection: { namespace: LEASES },
    parts: { gateway },
    ...changes,
  });

  /** What it finds wrong. */
  const complaints = async (configuration: object) => {
    const { code, stdout } = await (await Fairlead.configure(configuration)).command('check');
    const crosses = stdout.split('\n').filter((line) => line.startsWith('✗'));
    expect(code).toBe(crosses.length === 0 ? 0 : 1);
    return crosses;
  };

  it('has a tick for everything where all is well', async () => {
    const { code, stdout } = await (await Fairlead.configure(settings())).command('check');
    expect(stdout).not.toContain('✗');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ cluster: .* answers; we are system:serviceaccount:/m);
    expect(stdout).toMatch(/^✓ permission: patch services\/status$/m);
    expect(stdout).toMatch(/^✓ gateway: led by /m);
    expect(stdout).toMatch(/^✓ clock: agrees/m);
  });

  it('names a misspelt key', async () => {
    expect(await complaints(settings({ adresses: ['203.0.113.1'] }))).toContainEqual(
      expect.stringMatching(/^✗ configuration: .*adresses/),
    );
  });

  it('names an empty pool, and a network with host bits', async () => {
    expect(await complaints(settings({ addresses: [] }))).toEqual([expect.stringContaining('is empty')]);
    const [line] = await complaints(settings({ addresses: ['192.0.2.77/24'] }));
    expect(line).toContain('write 192.0.2.0/24');
  });

  it('names a cluster that cannot be reached, and one with another authority', async () => {
    const away = join(cluster.directory, 'away.kubeconfig');
    await writeFile(away, kubeconfigFor(`https://127.0.0.1:${await freePort()}`));
    expect(await complaints(settings(undefined, { kubernetes: { kubeconfig: away } }))).toEqual([
      expect.stringMatching(/^✗ cluster: .*nothing listens there/),
    ]);
    const stranger = join(cluster.directory, 'stranger.kubeconfig');
    await writeFile(stranger, kubeconfigFor(cluster.url));
    expect(await complaints(settings(undefined, { kubernetes: { kubeconfig: stranger } }))).toEqual([
      expect.stringMatching(/^✗ cluster: .*certificate/),
    ]);
  });

  it('names each permission that is missing, with the account', async () => {
    const poor = await cluster.createIdentity('poor', [
      { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
    ]);
    const found = await complaints(settings(undefined, { kubernetes: { kubeconfig: poor.kubeconfigPath } }));
    expect(found).toContainEqual(expect.stringMatching(/^✗ permission: \S*poor\S* may not patch services\/status/));
  });

  it('names a namespace that is missing, and a part that nobody leads', async () => {
    const found = await complaints(settings(undefined, { leaderElection: { namespace: 'nowhere' } }));
    expect(found).toContainEqual(expect.stringMatching(/^✗ namespace: nowhere does not exist/));
    expect(found).toContainEqual(expect.stringMatching(/^✗ gateway: nobody leads/));
  });

  it('names a gateway whose agent does not answer', async () => {
    const gateways = [{ name: 'gw-1', url: `http://127.0.0.1:${await freePort()}` }];
    expect(await complaints(settings({ addresses: ['203.0.113.1'], gateways }))).toEqual([
      expect.stringMatching(/^✗ gateway: the gateway gw-1 cannot be asked/),
    ]);
  });

  it('names a cloud that refuses the credentials', async () => {
    const keystone = createServer((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"error":{"code":401,"message":"The request you have made requires authentication."}}');
    });
    await new Promise<void>((resolve) => keystone.listen(0, '127.0.0.1', resolve));
    const address = keystone.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const file = join(cluster.directory, 'clouds.yaml');
    const auth = {
      auth_url: `http://127.0.0.1:${port}/v3`,
      username: 'lb',
      password: 'wrong',
      project_name: 'lb',
      user_domain_name: 'Default',
      project_domain_name: 'Default',
    };
    await writeFile(file, JSON.stringify({ clouds: { test: { auth, region_name: 'RegionOne' } } }));
    const octavia = { cloud: 'test', cloudsFile: file, network: 'private' };
    const found = await complaints({ ...settings(), parts: { octavia } });
    expect(found).toContainEqual(expect.stringMatching(/^✗ octavia: .*(password|credential|refuses|authentication)/));
    keystone.close();
  });

  it('names a broker that is away', async () => {
    await cluster.kubectl(['apply', '-f', DEFINITIONS]);
    await cluster.kubectl(['wait', '--for', 'condition=Established', '-f', DEFINITIONS]);
    const file = join(cluster.directory, 'broker.kubeconfig');
    await writeFile(file, kubeconfigFor(`https://127.0.0.1:${await freePort()}`));
    const clusterset = { clusterset: 'blue', cluster: 'berlin', broker: { kubeconfig: file } };
    const found = await complaints({ ...settings(), parts: { clusterset } });
    expect(found).toContainEqual(expect.stringMatching(/^✗ clusterset: .*broker.*nothing listens there/));
  });
});
