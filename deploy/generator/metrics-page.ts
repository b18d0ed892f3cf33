import type { MetricDefinition } from '@fairlead/control';
import type { Program } from './program.ts';

/** The page with every metric there is. */
export function metricsPage({ sharedMetrics, parts }: Program): string {
  const sections = [
    ...sharedMetrics,
    ...parts.map(({ name, metrics }) => ({ title: `The part ${name}`, metrics })),
  ].filter(({ metrics }) => metrics.length > 0);
  return [
    '# Metrics',
    '',
    '<!-- Made by `npm run generate` from the definitions in the code. -->',
    '',
    'Served at `/metrics` in the format of Prometheus. The values of every label come from a small, fixed set: no metric',
    'grows with the number of Services. A replica that only stands by for a part has no figures for it. The figures of the',
    'process itself are under the names that are common for Node: `process_*` and `nodejs_*`.',
    ...sections.flatMap(({ title, metrics }) => [
      '',
      `## ${title}`,
      '',
      '| name | kind | labels | meaning |',
      '|---|---|---|---|',
      ...metrics.map(metricRow),
    ]),
    '',
  ].join('\n');
}

function metricRow({ name, kind, labels = [], help }: MetricDefinition): string {
  return `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
}
