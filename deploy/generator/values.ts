import type { Part } from '@fairlead/part';
import { z } from 'zod';
import { configurationSchema } from '../../packages/cli/configuration/schema.ts';

/** A piece of a Pod's specification that we pass on as it is: the API server knows better what is right in it. */
const passedOn = z.looseObject({});
const labels = z.record(z.string(), z.string()).default({});

const image = z
  .strictObject({
    repository: z.string().default('').describe('Where you pushed the image, with the registry. It has to be named.'),
    tag: z.string().default('').describe('Empty: the version of the chart.'),
    digest: z.string().default('').describe('Such as sha256:…; where it is given, the tag is not looked at.'),
    pullPolicy: z.enum(['IfNotPresent', 'Always', 'Never']).default('IfNotPresent'),
    pullSecrets: z.array(z.strictObject({ name: z.string() })).default([]),
  })
  .prefault({})
  .describe('The image that deploy/Containerfile builds.');

const http = z
  .strictObject({ port: z.int().min(1).max(65535).default(8080) })
  .prefault({})
  .describe('Health, metrics and the journal are served at this port of each Pod.');

const dns = z
  .strictObject({
    port: z
      .int()
      .min(1024)
      .max(65535)
      .default(5353)
      .describe('Where each Pod listens, unless configuration.parts.dns.listen says otherwise; below 1024 it may not.'),
    clusterIP: z
      .string()
      .default('')
      .describe("A fixed address of the Service for resolvers, of the cluster's range. Empty: any."),
  })
  .prefault({})
  .describe('The Service at port 53 that is made where the part dns is switched on.');

const existingConfiguration = (parts: readonly Part[]) =>
  z
    .strictObject({
      secret: z.string().default('').describe('The name of the Secret, with the key fairlead.yaml.'),
      configMap: z.string().default('').describe('The name of the ConfigMap, where it is no Secret.'),
      parts: z
        .array(z.enum(parts.map(({ name }) => name)))
        .default([])
        .describe('What it switches on: these get roles.'),
    })
    .prefault({})
    .describe(
      'A Secret or ConfigMap of yours, in place of configuration. It has to say http.listen (":8080") and leaderElection.namespace itself.',
    );

const podSecurityContext = passedOn
  .default({
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    fsGroup: 65532,
    seccompProfile: { type: 'RuntimeDefault' },
  })
  .describe(
    'Of the Pod. Where the cluster chooses the user, as OpenShift does, set runAsUser, runAsGroup and fsGroup to null.',
  );

const securityContext = passedOn
  .default({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  .describe('Of the container.');

const prometheusRule = z
  .strictObject({
    enabled: z.boolean().default(false),
    labels: labels.describe('What your Prometheus selects its rules by.'),
  })
  .prefault({})
  .describe(
    'Has Prometheus tell when nobody leads, nothing converges, a cloud throttles or a brake holds: docs/alerts.md.',
  );

const secretFile = z.strictObject({
  secret: z.string().min(1).describe('The name of a Secret in the namespace of the release.'),
  path: z.string().startsWith('/').describe('The folder in which its keys appear as files.'),
});

const serviceAccount = z
  .strictObject({
    create: z.boolean().default(true),
    name: z.string().default('').describe('Empty: the name of the release.'),
    annotations: labels.describe('For clouds that give an account an identity of theirs.'),
  })
  .prefault({})
  .describe('The account Fairlead works under.');

const rbac = z
  .strictObject({ create: z.boolean().default(true) })
  .prefault({})
  .describe('The roles of the parts that are switched on, and nothing more. Without them, bind your own.');

const podDisruptionBudget = z
  .strictObject({ enabled: z.boolean().default(true) })
  .prefault({})
  .describe('Lets nodes be drained one replica at a time. None is made for a single replica: it would block drains.');

const networkPolicy = z
  .strictObject({
    enabled: z.boolean().default(true),
    from: z
      .array(passedOn)
      .default([])
      .describe('Who may read health, metrics and the journal, as peers of a NetworkPolicy. Empty: everybody inside.'),
    egressPorts: z
      .array(z.int().min(1).max(65535))
      .default([443, 6443])
      .describe(
        'TCP ports that may be called anywhere: the API server and the clouds. Name resolution is always open.',
      ),
    egress: z.array(passedOn).default([]).describe('More rules, as in a NetworkPolicy.'),
  })
  .prefault({});

const serviceMonitor = z
  .strictObject({
    enabled: z.boolean().default(false),
    interval: z.string().default('30s'),
    labels: labels.describe('What your Prometheus selects its ServiceMonitors by.'),
    relabelings: z.array(passedOn).default([]).describe('Of the targets, before they are read.'),
    metricRelabelings: z.array(passedOn).default([]).describe('Of the metrics, before they are kept.'),
  })
  .prefault({})
  .describe('Has Prometheus read the metrics. Needs the Prometheus operator.');

/** What the chart can be told; each part has its own section under `configuration.parts`. */
export function valuesSchema(parts: readonly Part[]) {
  return z.strictObject({
    configuration: configurationValues(parts),
    existingConfiguration: existingConfiguration(parts),
    image,
    replicas: z.int().min(1).default(2).describe('One leads each part, the others stand by.'),
    http,
    dns,
    environment: z
      .array(passedOn)
      .default([])
      .describe('Environment variables, as in a Pod: credentials by valueFrom.secretKeyRef.'),
    environmentFrom: z.array(passedOn).default([]).describe('Whole Secrets or ConfigMaps as environment variables.'),
    extraArguments: z.array(z.string()).default([]).describe('More words for fairlead run.'),
    extraVolumes: z.array(passedOn).default([]).describe('Volumes, as in a Pod.'),
    extraVolumeMounts: z.array(passedOn).default([]).describe('Where they are mounted, as in a container.'),
    secretFiles: z.array(secretFile).default([]).describe('Secrets to mount as files: a list of {secret, path}.'),
    serviceAccount,
    rbac,
    podDisruptionBudget,
    networkPolicy,
    serviceMonitor,
    prometheusRule,
    podSecurityContext,
    securityContext,
    strategy: passedOn.default({}).describe('How Pods are replaced, as in a Deployment. Empty: as Kubernetes does.'),
    commonLabels: labels.describe('On everything that the chart makes, but custom resource definitions.'),
    resources: passedOn
      .default({ requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } })
      .describe('Enough for tens of thousands of Services and EndpointSlices, of which it keeps about 2 KB each.'),
    podAnnotations: labels,
    podLabels: labels,
    nodeSelector: labels,
    tolerations: z.array(passedOn).default([]),
    affinity: passedOn.default({}),
    topologySpreadConstraints: z
      .array(passedOn)
      .default([])
      .describe('Empty: the replicas are spread over zones and nodes where possible.'),
    priorityClassName: z.string().default(''),
    nameOverride: z.string().default(''),
    fullnameOverride: z.string().default(''),
  });
}

/** The configuration file, without what the chart itself knows: the cluster, the port and the namespace. */
function configurationValues(parts: readonly Part[]) {
  const whole = configurationSchema(parts);
  return whole
    .omit({ kubernetes: true, http: true })
    .extend({
      leaderElection: whole.shape.leaderElection.unwrap().omit({ namespace: true }).prefault({}),
      parts: whole.shape.parts.prefault({}).describe('The parts to run: at least one.'),
    })
    .prefault({})
    .describe('What fairlead.yaml holds when you run Fairlead by hand.');
}
