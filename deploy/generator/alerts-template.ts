import { stringify } from 'yaml';
import { alertRules } from './alert-rules.ts';
import type { Program } from './program.ts';

/** The rules as a named template, in which what is Prometheus's to fill in is none of Helm's business. */
export function alertsTemplate(program: Program): string {
  const rules = alertRules(program).map(({ severity, summary, description, ...rule }) => ({
    ...rule,
    labels: { severity },
    annotations: { summary, description },
  }));
  const text = stringify(rules, { lineWidth: 0 })
    .trimEnd()
    .replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
  return `{{/* Made by \`npm run generate\` from deploy/generator/alert-rules.ts: edit that instead. */}}

{{- define "fairlead.alertRules" -}}
${text}
{{- end }}
`;
}
