import type { MetricDefinition } from '@fairlead/control';
import type { Program } from './program.ts';

/** An alert of Prometheus. Its texts may name a label: `{{ $labels.part }}`. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** How long it has to be so. */
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  /** What to do about it. */
  readonly description: string;
}

/** What is worth waking somebody for, or looking at in the morning. */
export function alertRules({ parts }: Pick<Program, 'parts'>): readonly AlertRule[] {
  const brakes = parts.flatMap(({ metrics }) => metrics).filter(({ isBrake }) => isBrake === true);
  return [
    {
      alert: 'FairleadNobodyLeads',
      expr: 'max by (namespace, part) (fairlead_leading) == 0',
      for: '2m',
      severity: 'critical',
      summary: 'No replica leads the part {{ $labels.part }}',
      description: 'What is served stays as it is, and no change is made. fairlead check tells what is missing.',
    },
    {
      alert: 'FairleadAway',
      expr: 'absent(fairlead_build_info)',
      for: '5m',
      severity: 'critical',
      summary: 'No replica of Fairlead is seen',
      description: 'Look at the Deployment and its Pods, and at whether Prometheus may read the metrics.',
    },
    {
      alert: 'FairleadNotConverged',
      expr: [
        'sum by (namespace, queue) (increase(fairlead_queue_failures_total[10m])) > 0',
        'sum by (namespace, queue) (fairlead_queue_keys) > 0',
      ].join(' or '),
      for: '10m',
      severity: 'warning',
      summary: 'Work of the queue {{ $labels.queue }} has failed or waited for 10 minutes',
      description: 'The log at warn names the objects and the errors; fairlead why tells what one of them waits for.',
    },
    {
      alert: 'FairleadThrottled',
      expr: 'sum by (namespace, gate) (increase(fairlead_throttle_gate_closures_total[10m])) > 3',
      for: '10m',
      severity: 'warning',
      summary: 'A cloud asks Fairlead to slow down ({{ $labels.gate }})',
      description: 'Changes take longer. Ask the cloud for a higher limit, or find out what else uses it up.',
    },
    ...(brakes.length === 0 ? [] : [brakeRule(brakes)]),
  ];
}

function brakeRule(brakes: readonly MetricDefinition[]): AlertRule {
  return {
    alert: 'FairleadBrakeHolds',
    expr: `{__name__=~"${brakes.map(({ name }) => name).join('|')}"} > 0`,
    for: '1m',
    severity: 'critical',
    summary: 'A brake holds back the deletion of {{ $value }} things ({{ $labels.__name__ }})',
    description:
      'Something would take many of them away at once. Look at fairlead plan: mend the cause within ten minutes, or let ' +
      'it go ahead with fairlead release PART.',
  };
}
