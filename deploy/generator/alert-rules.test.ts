import { describe, expect, it } from 'vitest';
import { alertRules } from './alert-rules.ts';
import { alertsTemplate } from './alerts-template.ts';
import { fairlead } from './program.ts';

describe('the alert rules', () => {
  const rules = alertRules(fairlead);

  it('are for what nobody may have to notice by themselves', () => {
    expect(rules.map(({ alert, for: time }) => `${alert} ${time}`)).toEqual([
      'FairleadNobodyLeads 2m',
      'FairleadAway 5m',
      'FairleadNotConverged 10m',
      'FairleadThrottled 10m',
      'FairleadBrakeHolds 1m',
    ]);
  });

  it('name only metrics that there are', () => {
    const known = [...fairlead.sharedMetrics, ...fairlead.parts].flatMap(({ metrics }) =>
      metrics.map(({ name }) => name),
    );
    const named = rules.flatMap(({ expr }) => expr.match(/fairlead_\w+/g) ?? []);
    expect(new Set(named).size).toBeGreaterThan(9);
    for (const name of named) expect(known).toContain(name);
  });

  it('tell of the brake of every part that has one', () => {
    const { expr = '' } = rules.find(({ alert }) => alert === 'FairleadBrakeHolds') ?? {};
    for (const part of ['gateway', 'octavia', 'clusterset', 'azure_local', 'azure_service_gateway'])
      expect(expr).toContain(`fairlead_${part}_`);
    expect(expr).not.toContain('agent');
  });

  it('leave to Prometheus in the chart what is its own', () => {
    expect(alertsTemplate(fairlead)).toContain('part {{ "{{" }} $labels.part {{ "}}" }}');
  });
});
