import type { MetricDefinition } from '@fairlead/control';
import { writesTotal } from './apply.ts';

export const brokerInStep: MetricDefinition = {
  name: 'fairlead_clusterset_broker_in_step',
  kind: 'gauge',
  help: 'Whether the broker can be gone by (1), or what is in the cluster is all there is (0).',
};

export const exportsByState: MetricDefinition = {
  name: 'fairlead_clusterset_exports',
  kind: 'gauge',
  help: 'ServiceExports of this cluster, by what became of them.',
  labels: ['outcome'],
};

export const silentClusters: MetricDefinition = {
  name: 'fairlead_clusterset_silent_clusters',
  kind: 'gauge',
  help: 'Clusters that have not renewed their Lease at the broker for two minutes.',
};

export const withdrawalsHeld: MetricDefinition = {
  name: 'fairlead_clusterset_withdrawals_held',
  kind: 'gauge',
  isBrake: true,
  help: 'Imports that would lose a cluster, held back because too many would at once; by cluster, or of all together.',
  labels: ['of'],
};

export const clustersetMetrics: readonly MetricDefinition[] = [
  brokerInStep,
  exportsByState,
  silentClusters,
  withdrawalsHeld,
  writesTotal,
];
