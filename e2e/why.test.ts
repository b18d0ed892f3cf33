import { hostname, networkInterfaces } from 'node:os';
import { pods, type Service, services, statusOf } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { text } from '../packages/cli/server/router.ts';
import { startStatusServer } from '../packages/cli/server/status-server.ts';
import { askLeaderReadiness } from '../packages/cli/why/replica-readiness.ts';
import { freePort } from '../scripts/free-port.ts';
import {
  type Cluster,
  eventually,
  Fairlead,
  type Identity,
  type RunningFairlead,
  startCluster,
} from './harness/index.ts';

const LEASES = 'fairlead-leases';
const RBAC = 'rbac.authorization.k8s.io/v1';
const REPLICA = hostname();
const SLEEPY = text(503, 'gateway: not ready: cannot list Services');
/** No kubelet runs it; the API server wants one named. */
const IMAGE = { name: 'fairlead', image: 'fairlead' };

/** The API server hands nothing on to a loopback address. */
const ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const account = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace, name },
});

/** Gives a role, of the whole cluster unless the Role itself is meant, to an account. */
const binding = (
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  metadata: { readonly name: string; readonly namespace?: string },
  role: string,
  [namespace, name]: readonly [string, string],
  kindOfRole = 'ClusterRole',
) => ({
  apiVersion: RBAC,
  kind,
  metadata,
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: kindOfRole, name: role },
  subjects: [{ kind: 'ServiceAccount', namespace, name }],
});

describe('who may look at what a running Fairlead remembers', () => {
  let cluster: Cluster;
  let shop: string;
  let port: number;
  let leader: RunningFairlead;
  let team: Identity;
  let settings: object;
  const configurations: Fairlead[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    const identity = await cluster.createIdentity('fairlead');
    shop = await cluster.createNamespace('shop');
    await apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LEASES } },
      account(shop, 'team'),
      account(shop, 'stranger'),
      account(LEASES, 'fairlead'),
      binding('RoleBinding', { name: 'team', namespace: shop }, 'edit', [shop, 'team']),
      binding('ClusterRoleBinding', { name: 'fairlead-view' }, 'view', [LEASES, 'fairlead']),
    );
    team = await cluster.identityOf(shop, 'team');
    port = await freePort();
    settings = {
      http: { listen: `:${port}` },
      leaderElection: { namespace: LEASES, leaseDurationSeconds: 15 },
      parts: { gateway: { addresses: ['203.0.113.1'] } },
    };
    leader = await (await configure(identity.kubeconfigPath)).run();
    await eventually(() => leader.isLeading, { describe: 'the leadership', timeoutMs: 40_000 });
    await playLeader();
    await create('web');
    await create('late');
    await eventually(
      async () => (await cluster.client.get(services, { namespace: shop, name: 'late' })).status?.conditions,
      {
        describe: 'the refusal of shop/late',
      },
    );
  });

  afterAll(async () => {
    await leader.kill();
    await Promise.all(configurations.map((one) => one.remove()));
    await cluster.stop();
  });

  /** All at once: each kubectl that is started takes its time. */
  const apply = async (...items: readonly object[]) => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    expect(await cluster.kubectl(['apply', '-f', '-'], list)).toMatchObject({ code: 0 });
  };

  const configure = async (kubeconfig: string, parts?: object) => {
    const chosen = parts === undefined ? {} : { parts };
    const one = await Fairlead.configure({ kubernetes: { kubeconfig }, ...settings, ...chosen });
    configurations.push(one);
    return one;
  };

  /** The Pod that the leader would be in: the API server hands requests on to its address. */
  const playLeader = async () => {
    await cluster.client.create(pods, {
      metadata: { namespace: LEASES, name: REPLICA },
      spec: { serviceAccountName: 'fairlead', containers: [IMAGE] },
    });
    const podIP = ADDRESS ?? '';
    const status = { phase: 'Running' as const, podIP, podIPs: [{ ip: podIP }] };
    await cluster.client.patchMerge(statusOf(pods), { namespace: LEASES, name: REPLICA }, { status });
  };

  const create = (name: string, spec: Partial<Service['spec']> = {}) =>
    cluster.client.create(services, {
      metadata: { namespace: shop, name },
      spec: {
        type: 'LoadBalancer',
        loadBalancerClass: 'fairlead.dev/gateway',
        ipFamilies: ['IPv4'],
        ports: [{ port: 80 }],
        ...spec,
      },
    });

  const journal = async (token?: string) => {
    const headers = token === undefined ? {} : { 'x-fairlead-token': token };
    const url = `http://127.0.0.1:${port}/debug/journal/gateway/service/${shop}/web`;
    return (await fetch(url, { headers })).status;
  };

  const tokenOf = async (name: string) => (await cluster.kubectl(['create', 'token', name, '-n', shop])).stdout.trim();

  const why = async (kubeconfig: string, name: string) =>
    (await (await configure(kubeconfig)).command('why', 'service', `${shop}/${name}`)).stdout;

  it('asks for a token that the API server knows and lets read the Service', async () => {
    expect(await journal()).toBe(401);
    expect(await journal('forged')).toBe(401);
    expect(await journal(await tokenOf('stranger'))).toBe(403);
    expect(await journal(await tokenOf('team'))).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
  });

  it('tells a team with rights in its own namespace what the Service shows, and what could not be asked', async () => {
    const told = await why(team.kubeconfigPath, 'late');
    expect(told).toContain(`Service ${shop}/late shows no address.`);
    expect(told).toContain('condition fairlead.dev/Programmed is False (PortTaken)');
    expect(told).toContain('Event ');
    expect(told).toContain('more could not be read');
    expect(told).toContain('no running Fairlead could be asked: ');
  });

  it('asks the leader through the API server with the token of who asks', async () => {
    const asking = { name: 'ask', namespace: LEASES };
    const rules = [
      { apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
    ];
    await apply(
      { apiVersion: RBAC, kind: 'Role', metadata: asking, rules },
      binding('RoleBinding', asking, 'ask', [shop, 'team'], 'Role'),
    );
    const told = await eventually(
      async () => {
        const text = await why(team.kubeconfigPath, 'web');
        return text.includes('Tried:') && !text.includes('unknown') ? text : false;
      },
      { describe: 'an answer of the leader' },
    );
    expect(told).toContain(`gateway: led by ${REPLICA}`);
    expect(told).toContain('203.0.113.1');
    expect(told).not.toContain('could not be read');
  });

  it('asks with a token of Fairlead’s own account where there is a certificate and no token', async () => {
    const told = await why(cluster.kubeconfigPath, 'web');
    expect(told).toContain(`gateway: led by ${REPLICA}`);
    expect(told).not.toContain('unknown');
  });

  it('asks one that is named with a token of that account likewise', async () => {
    const admin = await configure(cluster.kubeconfigPath);
    const named = ['why', 'service', `${shop}/web`, '--server', `http://127.0.0.1:${port}`];
    const { code, stdout } = await admin.command(...named);
    expect(stdout).toContain(`gateway: led by ${REPLICA}`);
    expect(stdout).toContain('Tried:');
    expect(stdout).not.toContain('could be asked');
    expect(code).toBe(0);
  });

  it('tells programs in JSON and YAML, and by exit codes, how it is', async () => {
    const admin = await configure(cluster.kubeconfigPath);
    const fewer = await configure(cluster.kubeconfigPath, { gateway: { addresses: ['203.0.113.9'] } });
    const [status, plan, loss] = await Promise.all([
      admin.command('status', '-o', 'json'),
      admin.command('plan', '-o', 'yaml', '--detailed-exitcode'),
      fewer.command('plan', '--detailed-exitcode'),
    ]);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({
      parts: [{ part: 'gateway', election: { leader: { kind: 'led', replica: REPLICA }, readiness: { ready: true } } }],
    });
    expect(plan.code).toBe(0);
    expect(parse(plan.stdout)).toMatchObject([{ part: 'gateway', writes: 0, lost: 0 }]);
    expect(loss.code).toBe(2);
    expect(loss.stdout).toContain('1 address lost');
    expect(loss.stdout).toMatch(/\/web: .*; loses 203\.0\.113\.1$/m);
  });

  it('fails by what a leader that is not ready says through the API server', async () => {
    const sleepy = await startStatusServer(`${ADDRESS}:0`, new Map([['/readyz', async () => SLEEPY]]));
    const question = {
      client: cluster.client,
      configuration: {
        http: { listen: `:${new URL(sleepy.url).port}` },
        leaderElection: { namespace: LEASES, leaseDurationSeconds: 15 },
      },
      part: 'gateway',
      here: 'elsewhere',
      signal: new AbortController().signal,
    } as const;
    const ask = () => askLeaderReadiness(question, { kind: 'led', replica: REPLICA });
    expect(await ask()).toEqual({ ready: false, reason: 'cannot list Services' });
    await sleepy.close();
    expect(await ask()).toHaveProperty('unasked');
  });

  it('lets go what is held back by the command that the brake names', async () => {
    const admin = await configure(cluster.kubeconfigPath);
    const [release, misspelt] = await Promise.all([
      admin.command('release', 'gateway'),
      admin.command('release', 'gatewy'),
    ]);
    expect(release.stdout).toContain(`${REPLICA} lets go what gateway holds back`);
    expect(misspelt.code).toBe(2);
  });

  it('says that nobody leads when the leader is gone', async () => {
    await leader.stop();
    const admin = await configure(cluster.kubeconfigPath);
    const [status, release, told] = await Promise.all([
      admin.command('status'),
      admin.command('release', 'gateway'),
      why(cluster.kubeconfigPath, 'web'),
    ]);
    expect(status.code).toBe(1);
    expect(release.stderr).toContain('nobody leads, so nothing is held back');
    expect(told).toContain('nobody leads');
    expect(told).toContain('no running Fairlead could be asked');
  });
});
