import { FairleadError } from '@fairlead/control';
import { type KubeClient, may } from '@fairlead/kube';
import type { Permission } from '@fairlead/part';

/** One verb on one resource that we lack. */
interface Missing {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly because: string;
}

/**
 * Asks the API server for each permission whether we have it, and throws one line that names all that are missing:
 * better now than at 3 a.m., when the first Service needs it. `ownNamespace` is where our own objects live.
 */
export async function requirePermissions(
  client: KubeClient,
  permissions: readonly Permission[],
  ownNamespace: string,
  signal: AbortSignal,
): Promise<void> {
  const questions = permissions.flatMap((permission) =>
    permission.resources.flatMap((resource) =>
      permission.verbs.map((verb) => ({
        ...permission,
        verb,
        resource,
        namespace: namespaceOf(permission, ownNamespace),
      })),
    ),
  );
  const answers = await Promise.all(
    questions.map(async (question) => ((await isAllowed(client, question, signal)) ? undefined : question)),
  );
  const missing = answers.filter((question) => question !== undefined);
  if (missing.length > 0) throw missingPermissions(missing);
}

function namespaceOf({ scope }: Permission, ownNamespace: string): string | undefined {
  if (scope === 'cluster') return undefined;
  return scope === 'own-namespace' ? ownNamespace : scope;
}

function isAllowed(
  client: KubeClient,
  { verb, group, resource, namespace }: Missing & { readonly namespace: string | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  const [plural = '', subresource] = resource.split('/');
  return may(client, { verb, group, resource: plural, subresource, namespace }, { signal });
}

function missingPermissions(missing: readonly Missing[]): FairleadError {
  const lines = missing.map(({ verb, resource, group, because }) => {
    const name = group === '' ? resource : `${resource}.${group}`;
    return `${verb} ${name} (${because.replace(/\.$/, '')})`;
  });
  const message = `missing permission${lines.length > 1 ? 's' : ''}: ${lines.join('; ')}; give them to our account by a role`;
  return new FairleadError(message, { verdict: 'terminal', code: 'permission-missing' });
}
