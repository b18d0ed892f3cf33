import { armMetrics } from '@fairlead/azure/arm';
import { jsonApiMetrics } from '@fairlead/cloud';
import { type MetricDefinition, throttleGateMetrics } from '@fairlead/control';
import { eventsTotal, queueMetrics, watchMetrics } from '@fairlead/kube';
import { openStackMetrics } from '@fairlead/openstack/client';
import { leading, type Part, type Permission } from '@fairlead/part';
import { buildInfo } from '../../packages/cli/observability/metrics.ts';
import { parts } from '../../packages/cli/parts.ts';
import { answerPermissions, commonPermissions } from '../../packages/cli/running.ts';
import packageFile from '../../package.json' with { type: 'json' };

/** Metrics that belong to no part, because every part uses what measures them. */
export interface SharedMetrics {
  readonly title: string;
  readonly metrics: readonly MetricDefinition[];
}

/** All that the chart and the generated pages are made from. */
export interface Program {
  readonly version: string;
  readonly description: string;
  readonly parts: readonly Part[];
  readonly commonPermissions: readonly Permission[];
  readonly sharedMetrics: readonly SharedMetrics[];
}

/** Fairlead as it is built. */
export const fairlead: Program = {
  version: packageFile.version,
  description: packageFile.description,
  parts,
  commonPermissions: [...commonPermissions, ...answerPermissions],
  sharedMetrics: [
    { title: 'The program', metrics: [buildInfo, leading] },
    { title: 'Talking to Kubernetes', metrics: [...watchMetrics, ...queueMetrics, eventsTotal] },
    { title: 'Talking to Azure', metrics: armMetrics },
    { title: 'Talking to OpenStack', metrics: openStackMetrics },
    { title: 'Talking to plain JSON APIs', metrics: jsonApiMetrics },
    { title: 'Throttled clouds', metrics: throttleGateMetrics },
  ],
};
