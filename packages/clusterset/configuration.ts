import { parseIpRange } from '@fairlead/control';
import { z } from 'zod';
import { parsePolicy } from './controller/liveness.ts';
import { isClusterName } from './records/names.ts';

const name = (what: string) =>
  z
    .string()
    .refine(isClusterName, { message: `is no ${what}: lower-case letters, digits, dashes and dots, 63 at most` });

const namespaceName = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, { message: 'is no name of a namespace' });

const range = z
  .string()
  .refine((text) => parseIpRange(text) !== undefined, { message: 'is no range such as 10.0.0.0/16' });

const brokerSettings = z.strictObject({
  kubeconfig: z.string().min(1).describe('The way to the broker: what fairlead join wrote, mounted as a file.'),
  context: z.string().min(1).optional().describe('Which context of that file; its current one unless told otherwise.'),
  namespace: namespaceName.max(30).default('fairlead-broker').describe('The shared namespace at the broker.'),
});

export const clusterSetConfiguration = z.strictObject({
  clusterset: name('name of a clusterset').describe('The clusterset: the same in all of its clusters.'),
  cluster: name('name of a cluster').describe('This cluster: a name that no other cluster of the clusterset has.'),
  broker: brokerSettings.describe('Where the clusters of the clusterset meet.'),
  namespace: namespaceName
    .default('fairlead-system')
    .describe('Where the local ServiceImports are kept: the namespace in which Fairlead runs.'),
  portPolicy: z
    .enum(['intersection', 'union'])
    .default('intersection')
    .describe('Which ports an import has: those that all clusters expose, or, as KEP-1645 has it, all of them.'),
  whenSilent: z
    .string()
    .refine((text) => parsePolicy(text) !== undefined, { message: 'is none of keep, probe, dropAfter=SECONDS' })
    .default('probe')
    .describe('What becomes of the endpoints of a cluster that fell silent: keep, probe or dropAfter=SECONDS.'),
  namespaces: z
    .strictObject({
      allow: z.array(namespaceName).optional().describe('Only these take part; all but kube-* unless told otherwise.'),
      deny: z.array(namespaceName).default([]).describe('These do not take part.'),
    })
    .prefault({})
    .describe('Which namespaces export and import Services.'),
  globalnet: z
    .boolean()
    .default(false)
    .describe('Whether Services and pods are exported with the global addresses of their GlobalIngressIPs.'),
  derivedServices: z
    .boolean()
    .default(false)
    .describe(
      'Whether imports get an address in this cluster, by a Service of their own over which kube-proxy balances.',
    ),
  older: z
    .strictObject({
      clusters: z
        .array(name('name of a cluster'))
        .default([])
        .describe('Clusters whose software is that before aggregation: their per-cluster ServiceImports are believed.'),
      namespace: namespaceName.default('submariner-operator').describe('Where they are in this cluster.'),
      brokerNamespace: namespaceName.default('submariner-k8s-broker').describe('Where they are at the broker.'),
    })
    .prefault({})
    .describe('For a migration: what is believed of clusters that are yet to be upgraded.'),
  mostServicesPerCluster: z
    .int()
    .min(1)
    .max(100_000)
    .default(5_000)
    .describe('How many Services of one other cluster are read at the broker; the rest is left out, and told.'),
  ownRanges: z
    .array(range)
    .default([])
    .describe('The ranges of the pods and Services of this cluster: no other cluster may export addresses in them.'),
});

export type ClusterSetConfiguration = z.infer<typeof clusterSetConfiguration>;
