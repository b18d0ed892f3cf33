import { type AlertRule, alertRules } from './alert-rules.ts';
import type { Program } from './program.ts';

/** The page of a person who is woken by one of them, or has no Prometheus operator to install them with. */
export function alertsPage(program: Program): string {
  return [
    '# Alerts',
    '',
    '<!-- Made by `npm run generate` from deploy/generator/alert-rules.ts. -->',
    '',
    'The chart installs these with `prometheusRule.enabled=true`, which needs the Prometheus operator. Without it, they are',
    'rules for any Prometheus that reads `/metrics`; what the metrics mean is in [metrics.md](metrics.md).',
    ...alertRules(program).flatMap(section),
    '',
  ].join('\n');
}

function section({ alert, expr, for: duration, severity, summary, description }: AlertRule): string[] {
  const told = summary.replaceAll(/\s*\(?\{\{ \$(labels\.)?(\w+) \}\}\)?/g, '').replace(/\s+/g, ' ');
  return ['', `## ${alert}`, '', `${told}: ${severity} after ${duration}. ${description}`, '', '```', expr, '```'];
}
