import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Part, Permission } from '@fairlead/part';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { alertRules } from '../deploy/generator/alert-rules.ts';
import { chartFiles } from '../deploy/generator/chart.ts';
import { fairlead as program } from '../deploy/generator/program.ts';
import { readConfiguration } from '../packages/cli/configuration/read.ts';
import { REPLICA_LABEL } from '../packages/cli/why/replicas.ts';
import { CHART, helm, helmWithValues, type Manifest, ofKind, renderChart } from './harness/chart.ts';
import type { AccessRule } from './harness/index.ts';

const gatewayValues = { configuration: { parts: { gateway: { addresses: ['192.0.2.10', '192.0.2.11'] } } } };

const OUTSIDE = {
  azure: 'https://management.azure.com',
  'gateway-1': 'http://127.0.0.1:8443',
  'gateway-2': 'http://127.0.0.1:8444',
  broker: '/etc/fairlead/broker/kubeconfig',
  openstack: '/etc/openstack/clouds.yaml',
};

const inCluster = program.parts.filter(({ runsOn }) => runsOn !== 'node');

describe('the chart as Helm renders it', () => {
  it('has nothing that Helm would complain about', async () => {
    expect(await helm('lint', '--strict', CHART)).toMatchObject({ code: 0 });
    expect(await helmWithValues(gatewayValues, 'lint', '--strict', CHART)).toMatchObject({ code: 0 });
  });

  it('is refused without any part, and says which there are', async () => {
    await expect(renderChart({})).rejects.toThrow(
      /configuration\.parts is empty: switch on at least one part \(gateway\b/,
    );
  });

  it.each([
    [{ configuration: { parts: { gatway: {} } } }, /'\/configuration\/parts'.*'gatway' not allowed/],
    [{ configuration: { parts: { 'azure-local': {} } } }, /'\/configuration\/parts\/azure-local'.*missing propert/],
    [{ configuration: { parts: { 'gateway-agent': {} } } }, /'\/configuration\/parts'.*'gateway-agent' not allowed/],
    [{ configuration: { parts: { gateway: { addresses: '192.0.2.1' } } } }, /addresses'.*got string, want array/],
    [{ ...gatewayValues, replicas: 0 }, /'\/replicas'.*minimum: got 0, want 1/],
    [{ ...gatewayValues, image: { repo: 'x' } }, /'\/image'.*'repo' not allowed/],
    [{ configuration: { ...gatewayValues.configuration, http: {} } }, /'\/configuration'.*'http' not allowed/],
  ])('is refused with values that mean nothing: %j', async (values, message) => {
    await expect(renderChart(values)).rejects.toThrow(message);
  });

  it('configures Fairlead with what the values say and what only the chart knows', async () => {
    const { manifests } = await renderChart({ ...gatewayValues, http: { port: 9000 } }, { namespace: 'edge' });
    const text = ofKind(manifests, 'ConfigMap').data?.['fairlead.yaml'] ?? '';
    expect(readConfiguration(text, 'fairlead.yaml', program.parts)).toEqual({
      kubernetes: {},
      http: { listen: ':9000' },
      log: { level: 'info' },
      leaderElection: { namespace: 'edge', leaseDurationSeconds: 15 },
      parts: {
        gateway: {
          ...gatewayValues.configuration.parts.gateway,
          backends: 'pods',
          comparisonIntervalSeconds: 60,
          gateways: [],
          namespaceLimits: {},
          preserveClientAddress: false,
          programmedWhen: 'any',
        },
      },
    });
  });

  it('runs two replicas without any privilege, and asks them how they are', async () => {
    const { manifests } = await renderChart(gatewayValues);
    expect(ofKind(manifests, 'Deployment')).toMatchObject({
      spec: {
        replicas: 2,
        template: {
          spec: {
            serviceAccountName: 'fairlead',
            securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                image: `edge/fairlead:${program.version}`,
                args: ['run', '--config', '/etc/fairlead/fairlead.yaml'],
                ports: [{ name: 'http', containerPort: 8080 }],
                livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
                readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    });
    expect(ofKind(manifests, 'PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect(ofKind(manifests, 'NetworkPolicy')).toMatchObject({ spec: { policyTypes: ['Ingress', 'Egress'] } });
  });

  it('marks its Pods whatever the release is called, so that status finds them', async () => {
    const { manifests } = await renderChart({ ...gatewayValues, nameOverride: 'lb', fullnameOverride: 'edge' });
    expect(ofKind(manifests, 'Deployment')).toMatchObject({
      spec: { template: { metadata: { labels: { [REPLICA_LABEL]: 'true' } } } },
    });
  });

  it('has a Service at port 53 for the DNS part, where each Pod listens above 1024', async () => {
    const values = { configuration: { parts: { dns: { cluster: 'west' } } }, dns: { clusterIP: '10.96.0.53' } };
    const { manifests } = await renderChart(values);
    const text = ofKind(manifests, 'ConfigMap').data?.['fairlead.yaml'] ?? '';
    expect(readConfiguration(text, 'fairlead.yaml', program.parts).parts).toMatchObject({
      dns: { cluster: 'west', listen: ['0.0.0.0:5353'] },
    });
    expect(manifests.filter(({ kind }) => kind === 'Service')).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({ name: 'fairlead-dns' }),
        spec: expect.objectContaining({
          clusterIP: '10.96.0.53',
          ports: [
            { name: 'dns', port: 53, targetPort: 'dns', protocol: 'UDP' },
            { name: 'dns-tcp', port: 53, targetPort: 'dns-tcp', protocol: 'TCP' },
          ],
        }),
      }),
    );
    expect(ofKind(manifests, 'Deployment')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                ports: [
                  { name: 'http', containerPort: 8080 },
                  { name: 'dns', containerPort: 5353, protocol: 'UDP' },
                  { name: 'dns-tcp', containerPort: 5353 },
                ],
                // Another part that waits for its cloud takes no name server away.
                readinessProbe: { httpGet: { path: '/readyz/dns' } },
              },
            ],
          },
        },
      },
    });
    const { text: without } = await renderChart(gatewayValues);
    expect(without).not.toContain('fairlead-dns');
    expect(without).toMatch(/path: \/readyz$/m);
  });

  it('replaces the Pods when the configuration changes, and only then', async () => {
    const checksum = async (values: object): Promise<string | undefined> =>
      /checksum\/configuration: (\w+)/.exec((await renderChart(values)).text)?.[1];
    const first = await checksum(gatewayValues);
    expect(await checksum({ ...gatewayValues, serviceMonitor: { enabled: true } })).toBe(first);
    const other = { configuration: { ...gatewayValues.configuration, log: { level: 'debug' } } };
    expect(await checksum(other)).not.toBe(first);
  });

  it('has what is switched on, and not what is switched off', async () => {
    const kinds = async (values: object): Promise<string[]> =>
      (await renderChart({ ...gatewayValues, ...values })).manifests.map(({ kind }) => kind);
    const usual = await kinds({});
    expect(usual).not.toContain('ServiceMonitor');
    expect(usual).not.toContain('PrometheusRule');
    expect(await kinds({ serviceMonitor: { enabled: true } })).toContain('ServiceMonitor');
    const few = await kinds({
      replicas: 1,
      rbac: { create: false },
      serviceAccount: { create: false, name: 'other' },
      networkPolicy: { enabled: false },
    });
    expect(few.sort()).toEqual(['ConfigMap', 'Deployment', 'Service']);
  });

  it('is refused without an image, and says what to do', async () => {
    await expect(renderChart({ ...gatewayValues, image: {} })).rejects.toThrow(
      /image\.repository is not set: build the/,
    );
  });

  it.each([
    ['AADClientSecret', 'AZURE_CLIENT_SECRET'],
    ['aadClientCertPassword', 'AZURE_CLIENT_CERTIFICATE_PASSWORD'],
  ])('puts no secret into a ConfigMap: %s', async (key, variable) => {
    const cloud = { subscriptionId: 's', resourceGroup: 'g', location: 'l', [key]: 'secret' };
    const parts = { 'azure-local': { cloud, loadBalancers: [{ name: 'one' }] } };
    await expect(renderChart({ configuration: { parts } })).rejects.toThrow(
      new RegExp(`azure-local\\.cloud\\.${key} would be read by all .* give it as ${variable}, by environment`),
    );
  });

  it('lets a part name its cloud', async () => {
    const octavia = { cloud: 'mine', cloudsFile: '/etc/cloud/clouds.yaml', network: 'private' };
    const { manifests } = await renderChart({ configuration: { parts: { octavia } } });
    expect(ofKind(manifests, 'ConfigMap').data?.['fairlead.yaml']).toContain('cloud: mine');
  });

  it('takes a configuration that is there, with the roles of the parts it names', async () => {
    const { manifests, text } = await renderChart({ existingConfiguration: { secret: 'mine', parts: ['gateway'] } });
    expect(manifests.map(({ kind }) => kind)).not.toContain('ConfigMap');
    expect(text).toMatch(/- name: configuration\n +secret:\n +secretName: mine/);
    expect(text).not.toContain('checksum/configuration');
    const gateway = program.parts.find(({ name }) => name === 'gateway');
    expectGrants(manifests, [...program.commonPermissions, ...(gateway?.permissions ?? [])]);
    const other = await renderChart({ existingConfiguration: { configMap: 'mine', parts: ['gateway'] } });
    expect(other.text).toMatch(/- name: configuration\n +configMap:\n +name: mine/);
    expect(other.manifests.map(({ kind }) => kind)).not.toContain('ConfigMap');
    await expect(renderChart({ existingConfiguration: { secret: 'a', configMap: 'b' } })).rejects.toThrow(/choose one/);
  });

  it('passes on what a cluster wants of its Pods', async () => {
    const { manifests } = await renderChart({
      ...gatewayValues,
      podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null },
      securityContext: { procMount: 'Default' },
      strategy: { type: 'Recreate' },
      extraArguments: ['--verbose'],
      extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
      extraVolumeMounts: [{ name: 'authorities', mountPath: '/etc/ssl/certs' }],
      commonLabels: { team: 'edge' },
    });
    for (const { metadata } of manifests) expect(metadata).toMatchObject({ labels: { team: 'edge' } });
    expect(ofKind(manifests, 'Deployment')).toMatchObject({
      spec: {
        strategy: { type: 'Recreate' },
        template: {
          spec: {
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            volumes: [{ name: 'configuration' }, { name: 'authorities', configMap: { name: 'authorities' } }],
            containers: [
              {
                args: ['run', '--config', '/etc/fairlead/fairlead.yaml', '--verbose'],
                securityContext: { readOnlyRootFilesystem: true, procMount: 'Default' },
                volumeMounts: [{ name: 'configuration' }, { name: 'authorities', mountPath: '/etc/ssl/certs' }],
              },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(manifests)).not.toContain('runAsUser');
  });

  it('has Prometheus read and watch, where that is asked for', async () => {
    const relabelings = [{ targetLabel: 'cluster', replacement: 'one' }];
    const metricRelabelings = [{ sourceLabels: ['__name__'], regex: 'nodejs_.*', action: 'drop' }];
    const { manifests } = await renderChart({
      ...gatewayValues,
      serviceMonitor: { enabled: true, relabelings, metricRelabelings },
      prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
    });
    expect(ofKind(manifests, 'ServiceMonitor')).toMatchObject({
      spec: { endpoints: [{ relabelings, metricRelabelings }] },
    });
    const rules = alertRules(program).map(({ alert, expr, summary }) => ({ alert, expr, annotations: { summary } }));
    expect(ofKind(manifests, 'PrometheusRule')).toMatchObject({
      metadata: { labels: { release: 'prometheus' } },
      spec: { groups: [{ rules }] },
    });
  });

  it('takes secrets from files and the environment', async () => {
    const { text } = await renderChart({
      ...gatewayValues,
      secretFiles: [{ secret: 'cloud', path: '/etc/cloud' }],
      environment: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'cloud', key: 'password' } } }],
      environmentFrom: [{ secretRef: { name: 'cloud' } }],
    });
    expect(text).toMatch(/envFrom:\n +- secretRef:\n +name: cloud/);
    expect(text).toMatch(/- name: secret-0\n +mountPath: \/etc\/cloud\n +readOnly: true/);
    expect(text).toMatch(/- name: secret-0\n +secret:\n +secretName: cloud/);
    expect(text).toMatch(/- name: PASSWORD\n +valueFrom:\n +secretKeyRef:/);
  });

  it.each(inCluster)('gives exactly the permissions that $name declares, each with its reason', async (part) => {
    const { text, manifests } = await renderChart({
      configuration: { parts: { [part.name]: part.demo?.configuration(OUTSIDE) ?? {} } },
    });
    const declared = [...program.commonPermissions, ...part.permissions];
    expectGrants(manifests, declared);
    for (const { because } of declared) expect(text).toContain(because);
  });

  describe('with a part that is new', () => {
    const lighthouse = newPart();
    let chart: string;

    beforeAll(async () => {
      chart = join(await mkdtemp(join(tmpdir(), 'fairlead-chart-')), 'fairlead');
      await cp(CHART, chart, { recursive: true });
      for (const [path, content] of chartFiles({ ...program, parts: [...program.parts, lighthouse] })) {
        await mkdir(dirname(join(chart, path)), { recursive: true });
        await writeFile(join(chart, path), content);
      }
    });

    afterAll(() => rm(dirname(chart), { recursive: true }));

    it('needs no change to a template', async () => {
      const values = { configuration: { parts: { lighthouse: { lamps: 2 } } } };
      const { manifests } = await renderChart(values, { chart });
      expect(ofKind(manifests, 'CustomResourceDefinition')).toMatchObject({
        metadata: { name: 'lamps.fairlead.dev', annotations: { 'helm.sh/resource-policy': 'keep' } },
        spec: { versions: [{ schema: { openAPIV3Schema: { description: 'Braces such as {{ these }} stay.' } } }] },
      });
      const own = [...program.commonPermissions, ...lighthouse.permissions];
      expectGrants(manifests, own);
      await expect(
        renderChart({ configuration: { parts: { lighthouse: { lamps: 'two' } } } }, { chart }),
      ).rejects.toThrow(/lighthouse\/lamps'.*got string, want number/);
    });

    it('leaves it out where it is switched off', async () => {
      const { manifests, text } = await renderChart(gatewayValues, { chart });
      expect(manifests).toEqual((await renderChart(gatewayValues)).manifests);
      expect(text).not.toContain('lamps');
    });
  });
});

/** The roles give what is declared, each where it is declared. */
function expectGrants(manifests: readonly Manifest[], declared: readonly Permission[]): void {
  const rolesIn = (isWanted: (namespace: string | undefined) => boolean) =>
    manifests.filter(({ kind, metadata }) => kind === 'Role' && isWanted(metadata.namespace));
  const rulesOf = (roles: readonly Manifest[]) => grants(roles.flatMap(({ rules = [] }) => rules));
  const inKubeSystem = rolesIn((namespace) => namespace === 'kube-system');
  expect(rulesOf([ofKind(manifests, 'ClusterRole')])).toEqual(wanted(declared, 'cluster'));
  expect(rulesOf(rolesIn((namespace) => namespace !== 'kube-system'))).toEqual(wanted(declared, 'own-namespace'));
  expect(rulesOf(inKubeSystem)).toEqual(wanted(declared, 'kube-system'));
  for (const { metadata } of inKubeSystem) {
    const { name, namespace } = metadata;
    const bindings = manifests.filter(({ kind }) => kind === 'RoleBinding');
    expect(bindings.map((binding) => binding.metadata)).toContainEqual(expect.objectContaining({ name, namespace }));
  }
}

/** Rules as single grants, `VERB RESOURCE.GROUP`, in order. */
function grants(rules: readonly AccessRule[] = []): string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    )
    .sort();
}

function wanted(permissions: readonly Permission[], scope: Permission['scope']): string[] {
  const inScope = permissions.filter((permission) => permission.scope === scope);
  return grants(inScope.map(({ group, resources, verbs }) => ({ apiGroups: [group], resources, verbs })));
}

function newPart(): Part {
  const lamps = { group: 'fairlead.dev', resources: ['lamps'], verbs: ['get', 'list', 'watch'] } as const;
  return {
    ...(program.parts[0] ?? expect.fail('there is no part')),
    name: 'lighthouse',
    loadBalancerClass: 'fairlead.dev/lighthouse',
    schema: z.strictObject({ lamps: z.number() }),
    permissions: [
      { ...lamps, scope: 'cluster', because: 'It lights the lamps.' },
      { group: '', resources: ['secrets'], verbs: ['get'], scope: 'own-namespace', because: 'It reads the oil.' },
    ],
    customResources: [
      {
        metadata: { name: 'lamps.fairlead.dev' },
        spec: {
          group: 'fairlead.dev',
          scope: 'Namespaced',
          names: { plural: 'lamps', kind: 'Lamp' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', description: 'Braces such as {{ these }} stay.' } },
            },
          ],
        },
      },
    ],
  };
}
