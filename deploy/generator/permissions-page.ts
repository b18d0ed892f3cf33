import type { Permission } from '@fairlead/part';
import type { Program } from './program.ts';

const WHERE: Readonly<Record<Permission['scope'], string>> = {
  cluster: 'every namespace',
  'own-namespace': 'its own namespace',
  'kube-system': 'kube-system',
};

const WHO_LEADS: Permission = {
  group: 'coordination.k8s.io',
  resources: ['leases'],
  verbs: ['get'],
  scope: 'own-namespace',
  because: 'The Lease of a part names the replica that leads it.',
};

/** What a person needs besides reading what the parts read; each does with less, and says what it could not ask. */
const PERSONAL: readonly { readonly title: string; readonly permissions: readonly Permission[] }[] = [
  {
    title: 'For a person who runs `fairlead why`',
    permissions: [
      WHO_LEADS,
      {
        group: '',
        resources: ['pods/proxy'],
        verbs: ['get'],
        scope: 'own-namespace',
        because: 'That replica is asked through the API server, and shown a token.',
      },
      {
        group: '',
        resources: ['pods'],
        verbs: ['get'],
        scope: 'own-namespace',
        because: 'Only with the next: it names the account of the replica.',
      },
      {
        group: '',
        resources: ['serviceaccounts/token'],
        verbs: ['create'],
        scope: 'own-namespace',
        because:
          'Only for who has a certificate and no token, or shows no Pod their own: one of that account is asked for. ' +
          'Whoever has this right has all of Fairlead’s.',
      },
    ],
  },
  {
    title: 'For a person who runs `fairlead status` or `fairlead check`',
    permissions: [
      WHO_LEADS,
      {
        group: '',
        resources: ['pods'],
        verbs: ['list'],
        scope: 'own-namespace',
        because: 'Where every replica runs a part, each is asked; without it, the one on the same machine is.',
      },
      {
        group: '',
        resources: ['pods/proxy'],
        verbs: ['get'],
        scope: 'own-namespace',
        because: 'Whether a replica is ready is asked through the API server, without a token.',
      },
    ],
  },
  {
    title: 'For a person who runs `fairlead release`',
    permissions: [
      {
        group: 'coordination.k8s.io',
        resources: ['leases'],
        verbs: ['get', 'patch'],
        scope: 'own-namespace',
        because: 'The mark that lets go what a brake holds back is on the Lease of the part.',
      },
    ],
  },
];

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
    ...PERSONAL,
  ].filter(({ permissions }) => permissions.length > 0);
  return [
    '# Permissions',
    '',
    '<!-- Made by `npm run generate` from what the parts declare. -->',
    '',
    'What Fairlead may do in the cluster, and why. The chart gives the permissions of the parts that are switched on and',
    'no others; `fairlead run` asks the API server for each of them before it starts, and names those that are missing, and so',
    'does `fairlead check` at any time. The reviews are needed only where the journal asks for a token, which it does unless',
    '`http.listen` is a loopback address. `plan`, `status` and `check` read what the parts read, with the rights of the person',
    'who runs them. [security.md](security.md) says what follows from it all.',
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
