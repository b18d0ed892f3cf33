import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient, leases, may as isAllowed, type Service, services } from '@fairlead/kube';
import { connect, type Connected } from '@fairlead/kube/adapters';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { bundleProgram } from '../deploy/bundle-program.ts';
import { freePort } from '../scripts/free-port.ts';
import { CHART, helm, helmWithValues, IMAGE, type Manifest, ofKind, renderChart } from './harness/chart.ts';
import { type Cluster, eventually, Fairlead, type Identity, type Outcome, startCluster } from './harness/index.ts';

const gatewayValues = {
  image: IMAGE,
  configuration: { parts: { gateway: { addresses: ['192.0.2.10', '192.0.2.11'] } } },
};

describe('the chart on a real cluster', () => {
  let cluster: Cluster;
  let namespace: string;
  let text: string;
  let manifests: readonly Manifest[];
  let applied: Outcome;
  let identity: Identity;
  /** As the account of the chart. */
  let account: Connected;
  let bundle: string;
  let fairlead: Fairlead;

  beforeAll(async () => {
    bundle = await mkdtemp(join(tmpdir(), 'fairlead-bundle-'));
    [cluster] = await Promise.all([startCluster(), bundleProgram(bundle)]);
    namespace = await cluster.createNamespace('fairlead');
    await cluster.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
    ({ text, manifests } = await renderChart({ ...gatewayValues, http: { port: await freePort() } }, { namespace }));
    applied = await apply();
    identity = await cluster.identityOf(namespace, 'fairlead');
    account = await connect({ kubeconfig: identity.kubeconfigPath, userAgent: 'fairlead-e2e' });
    const configMap = await cluster.kubectl(['get', 'configmap', 'fairlead', '-n', namespace, '-o', 'json']);
    const configuration = parse(JSON.parse(configMap.stdout).data['fairlead.yaml']);
    // All as in the Pod, but for the way to the API server.
    const kubernetes = { kubeconfig: identity.kubeconfigPath };
    fairlead = await Fairlead.configure({ ...configuration, kubernetes }, join(bundle, 'fairlead.mjs'));
  });

  afterAll(async () => {
    await fairlead.remove();
    await account.connection.close();
    await cluster.stop();
    await rm(bundle, { recursive: true });
  });

  const apply = (what = text) => cluster.kubectl(['apply', '-f', '-'], what);

  const may = async (verb: string, group: string, resource: string, where?: string): Promise<boolean> => {
    const [plural = '', subresource] = resource.split('/');
    const client = new KubeClient(account.connection, systemClock);
    return isAllowed(client, { verb, group, resource: plural, subresource, namespace: where });
  };

  it('is taken by the API server as it is, and the second time changes nothing', async () => {
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout.trim().split('\n')).toHaveLength(manifests.length);
    const versions = async (): Promise<string> => {
      const path = '{range .items[*]}{.kind} {.metadata.resourceVersion}{"\\n"}{end}';
      return (await cluster.kubectl(['get', '-f', '-', '-o', `jsonpath=${path}`], text)).stdout;
    };
    const before = await versions();
    expect(before).toContain('Deployment ');
    expect(await apply()).toMatchObject({ code: 0, stderr: '' });
    expect(await versions()).toBe(before);
  });

  it('has Pods that the strictest admission lets in', async () => {
    const get = await cluster.kubectl(['get', 'deployment', 'fairlead', '--namespace', namespace, '-o', 'json']);
    const { template } = JSON.parse(get.stdout).spec;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      ...template,
      metadata: { ...template.metadata, name: 'one', namespace },
    };
    expect(await cluster.kubectl(['create', '-f', '-'], JSON.stringify(pod))).toMatchObject({ code: 0, stderr: '' });
    await cluster.kubectl(['delete', 'pod', 'one', '--namespace', namespace, '--force']);
  });

  it('serves a Service under its roles and nothing more', async () => {
    await cluster.resetWrites();
    const running = await fairlead.run();
    onTestFinished(async () => void (await running.kill()));
    for (const path of ['/healthz', '/readyz']) {
      await eventually(async () => (await fetch(`${running.url}${path}`)).status === 200, { describe: path });
    }

    const users = await cluster.createNamespace('users');
    const key = { namespace: users, name: 'web' };
    const spec: Service['spec'] = {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/gateway',
      ports: [{ port: 80 }],
    };
    await cluster.client.create(services, { metadata: key, spec });
    const address = await eventually(
      async () => (await cluster.client.get(services, key)).status?.loadBalancer?.ingress?.[0]?.ip,
      { describe: 'the address' },
    );
    expect(address).toBe('192.0.2.10');
    await eventually(async () => (await eventReasons(users)).includes('EnsuredLoadBalancer'), {
      describe: 'the Event',
    });
    expect(await fairlead.command('why', 'service', `${users}/web`, '--server', running.url)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/has 192\.0\.2\.10\.\n[^]*Tried:\n.* done\n/),
    });
    const lease = await cluster.client.get(leases, { namespace, name: 'fairlead-gateway' });
    expect(lease.spec?.holderIdentity).toBeTruthy();

    await cluster.client.delete(services, key);
    await eventually(async () => (await cluster.client.find(services, key)) === undefined, {
      describe: 'the Service to be let go',
    });
    expect(await running.stop()).toBe(0);
    const written = await cluster.writes((write) => write.user === identity.user);
    const verbs = new Set(written.map(({ verb, resource }) => `${verb} ${resource}`));
    expect([...verbs].sort()).toEqual([
      'create events',
      'create leases',
      'create selfsubjectaccessreviews',
      'create subjectaccessreviews',
      'create tokenreviews',
      'patch leases',
      'patch services',
      'patch services/status',
    ]);
    expect(await may('patch', '', 'services')).toBe(true);
    expect(await may('delete', '', 'services')).toBe(false);
    expect(await may('list', '', 'pods')).toBe(false);
    expect(await may('get', '', 'secrets', namespace)).toBe(false);
    expect(await may('get', 'coordination.k8s.io', 'leases', namespace)).toBe(true);
    expect(await may('get', 'coordination.k8s.io', 'leases', 'default')).toBe(false);
  });

  it('names what is missing when any one rule of its roles is taken away', async () => {
    for (const role of [ofKind(manifests, 'ClusterRole'), ofKind(manifests, 'Role')]) {
      for (const rule of role.rules ?? []) {
        const [group = ''] = rule.apiGroups;
        const [resource = ''] = rule.resources;
        const [verb = ''] = rule.verbs;
        const isAllowed = () => may(verb, group, resource, role.metadata.namespace);
        const name = group === '' ? resource : `${resource}.${group}`;
        // Two parts may ask for the same.
        const others = role.rules?.filter((other) => !isDeepStrictEqual(other, rule));
        await apply(JSON.stringify({ ...role, rules: others }));
        await eventually(async () => !(await isAllowed()), { describe: `the loss of ${verb} ${name}` });

        const { code, stdout, stderr } = await fairlead.command('run');
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        expect(stderr).toMatch(/^fairlead: missing permissions?: [^\n]*\n$/);
        for (const missing of rule.verbs) expect(stderr).toContain(`${missing} ${name} (`);

        await apply(JSON.stringify(role));
        await eventually(isAllowed, { describe: `the return of ${verb} ${name}` });
      }
    }
  });

  it('is installed by Helm with notes that teach, and uninstalled without a trace', async () => {
    const place = ['--namespace', await cluster.createNamespace('helm'), '--kubeconfig', cluster.kubeconfigPath];
    const installed = await helmWithValues(gatewayValues, 'install', 'edge', CHART, ...place);
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.stdout).toContain('fairlead.dev/gateway: Gives Services the addresses');
    expect(installed.stdout).toContain('exec deployment/edge-fairlead -- fairlead why service NAMESPACE/NAME');
    const everything = [
      'get',
      'all,configmap,role,rolebinding,networkpolicy,poddisruptionbudget,clusterrole,serviceaccount',
    ];
    const labelled = [...everything, '--all-namespaces', '-l', 'app.kubernetes.io/instance=edge', '-o', 'name'];
    expect((await cluster.kubectl(labelled)).stdout).toContain('deployment.apps/edge-fairlead');
    expect(await helm('uninstall', 'edge', ...place)).toMatchObject({ code: 0 });
    await eventually(async () => (await cluster.kubectl(labelled)).stdout === '', { describe: 'everything to go' });
  });

  it('leaves definitions to those who brought them, and brings those that are missing', async () => {
    const values = {
      image: IMAGE,
      configuration: {
        parts: { clusterset: { clusterset: 'blue', cluster: 'a', broker: { kubeconfig: '/broker/kubeconfig' } } },
      },
    };
    const brought = join(CHART, 'custom-resources', 'clusterset', 'serviceimports.multicluster.x-k8s.io.yaml');
    expect(await cluster.kubectl(['create', '-f', brought])).toMatchObject({ code: 0 });
    const place = ['--namespace', await cluster.createNamespace('helm'), '--kubeconfig', cluster.kubeconfigPath];
    expect(await helmWithValues(values, 'install', 'mcs', CHART, ...place)).toMatchObject({ code: 0 });
    expect(await helmWithValues(values, 'upgrade', 'mcs', CHART, ...place)).toMatchObject({ code: 0 });
    const path = 'jsonpath={.metadata.annotations.meta\\.helm\\.sh/release-name}';
    const owner = async (kind: string) =>
      (await cluster.kubectl(['get', 'customresourcedefinition', `${kind}.multicluster.x-k8s.io`, '-o', path])).stdout;
    expect(await Promise.all(['serviceimports', 'serviceexports'].map(owner))).toEqual(['', 'mcs']);
    expect(await helm('uninstall', 'mcs', ...place)).toMatchObject({ code: 0 });
  });

  const eventReasons = async (where: string): Promise<string[]> =>
    (await cluster.kubectl(['get', 'events', '-n', where, '-o', 'jsonpath={.items[*].reason}'])).stdout.split(' ');
});
