import type { Part, Permission } from '@fairlead/part';
import type { Program } from './program.ts';

type Scope = Permission['scope'];

/**
 * What the chart's own templates need to know of the parts, as named templates: their names, the classes they serve,
 * and the rules of their roles, those of a part only where it is switched on.
 */
export function partsTemplate(program: Program): string {
  const names = program.parts.map((part) => part.name).join(', ');
  const classes = program.parts.flatMap((part) =>
    part.loadBalancerClass === undefined ? [] : whenOn(part, [`${part.loadBalancerClass}: ${part.summary}`]),
  );
  return [
    '{{/* Made by `npm run generate` from what the parts declare: edit those instead. */}}',
    define('fairlead.partNames', [names]),
    define('fairlead.classes', classes),
    define('fairlead.clusterRules', rulesOf(program, 'cluster')),
    define('fairlead.ownNamespaceRules', rulesOf(program, 'own-namespace')),
    define('fairlead.kubeSystemRules', rulesOf(program, 'kube-system')),
  ]
    .join('\n\n')
    .concat('\n');
}

function define(name: string, lines: readonly string[]): string {
  return [`{{- define "${name}" -}}`, ...lines, '{{- end }}'].join('\n');
}

function whenOn(part: Part, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`{{- if has "${part.name}" (include "fairlead.activeParts" . | fromJsonArray) }}`, ...lines, '{{- end }}'];
}

function rulesOf({ commonPermissions, parts }: Program, scope: Scope): string[] {
  return [
    ...rules(commonPermissions, scope, 'every part'),
    ...parts.flatMap((part) => whenOn(part, rules(part.permissions, scope, part.name))),
  ];
}

function rules(permissions: readonly Permission[], scope: Scope, whose: string): string[] {
  return permissions
    .filter((permission) => permission.scope === scope)
    .flatMap(({ group, resources, verbs, because }) => [
      `# ${whose}: ${because}`,
      `- apiGroups: ['${group}']`,
      `  resources: [${resources.join(', ')}]`,
      `  verbs: [${verbs.join(', ')}]`,
    ]);
}
