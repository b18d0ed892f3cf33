import type { Permission } from '@fairlead/part';
import type { Program } from './program.ts';

const WHERE: Readonly<Record<Permission['scope'], string>> = {
  cluster: 'every namespace',
  'own-namespace': 'its own namespace',
  'kube-system': 'kube-system',
};

/** The page that a person who reviews the roles reads. */
export function permissionsPage(program: Program): string {
  const sections = [
    { title: 'Every installation', permissions: program.commonPermissions },
    ...program.parts.flatMap(({ name, permissions, commands }) => [
      { title: `With the part ${name}`, permissions },
      ...commands.map((command) => ({
        title: `For a person who runs \`fairlead ${command.atTopLevel ? '' : `${name} `}${command.name}\``,
        permissions: command.permissions ?? [],
      })),
    ]),
  ].filter(({ permissions }) => permissions.length > 0);
  return [
    '# Permissions',
    '',
    '<!-- Made by `npm run generate` from what the parts declare. -->',
    '',
    'What Fairlead may do in the cluster, and why. The chart gives the permissions of the parts that are switched on and',
    'no others; `fairlead run` asks the API server for each of them before it starts, and names those that are missing.',
    ...sections.flatMap(({ title, permissions }) => [
      '',
      `## ${title}`,
      '',
      '| verbs | resources | where | why |',
      '|---|---|---|---|',
      ...permissions.map(permissionRow),
    ]),
    '',
  ].join('\n');
}

function permissionRow({ group, resources, verbs, scope, because }: Permission): string {
  const names = resources.map((resource) => `\`${group === '' ? resource : `${resource}.${group}`}\``);
  return `| ${verbs.join(', ')} | ${names.join(', ')} | ${WHERE[scope]} | ${because} |`;
}
