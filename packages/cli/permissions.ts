import { FairleadError } from '@fairlead/control';
import { type Access, type KubeClient, may } from '@fairlead/kube';
import type { Permission } from '@fairlead/part';

/** One verb on one resource, and what it is for. */
export interface PermissionQuestion {
  readonly access: Access;
  /** The resource as people name it: `leases.coordination.k8s.io`. */
  readonly name: string;
  readonly because: string;
}

/** Each verb on each resource, once, however many parts need it. `ownNamespace` is where our own objects live. */
export function questionsOf(permissions: readonly Permission[], ownNamespace: string): readonly PermissionQuestion[] {
  const asked = new Map<string, PermissionQuestion>();
  for (const question of allQuestions(permissions, ownNamespace)) {
    const key = JSON.stringify(question.access);
    if (!asked.has(key)) asked.set(key, question);
  }
  return [...asked.values()];
}

function allQuestions(permissions: readonly Permission[], ownNamespace: string): readonly PermissionQuestion[] {
  return permissions.flatMap((permission) =>
    permission.resources.flatMap((resource) =>
      permission.verbs.map((verb): PermissionQuestion => {
        const { group, because } = permission;
        const [plural = '', subresource] = resource.split('/');
        const access = { verb, group, resource: plural, subresource, namespace: namespaceOf(permission, ownNamespace) };
        return { access, name: group === '' ? resource : `${resource}.${group}`, because };
      }),
    ),
  );
}

/**
 * Asks the API server for each permission whether we have it, and throws one line that names all that are missing:
 * better now than at 3 a.m., when the first Service needs it.
 */
export async function requirePermissions(
  client: KubeClient,
  permissions: readonly Permission[],
  ownNamespace: string,
  signal: AbortSignal,
): Promise<void> {
  const answers = await Promise.all(
    questionsOf(permissions, ownNamespace).map(async (question) =>
      (await may(client, question.access, { signal })) ? undefined : question,
    ),
  );
  const missing = answers.filter((question) => question !== undefined);
  if (missing.length > 0) throw missingPermissions(missing);
}

function namespaceOf({ scope }: Permission, ownNamespace: string): string | undefined {
  if (scope === 'cluster') return undefined;
  return scope === 'own-namespace' ? ownNamespace : scope;
}

function missingPermissions(missing: readonly PermissionQuestion[]): FairleadError {
  const lines = missing.map(({ access, name, because }) => `${access.verb} ${name} (${because.replace(/\.$/, '')})`);
  const message = `missing permission${lines.length > 1 ? 's' : ''}: ${lines.join('; ')}; give them to our account by a role`;
  return new FairleadError(message, { verdict: 'terminal', code: 'permission-missing' });
}
