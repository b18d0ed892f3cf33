import { FairleadError } from '@fairlead/control';
import type { KubeClient, KubeObject, Resource } from '@fairlead/kube';
import { isNotFound } from '@fairlead/kube';
import type { Permission } from '@fairlead/part';

interface AccessReview extends KubeObject {
  readonly spec: {
    readonly resourceAttributes: {
      readonly group: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly verb: string;
      readonly namespace?: string;
    };
  };
  readonly status?: { readonly allowed?: boolean };
}

const accessReviews: Resource<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
};

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
        namespace: permission.scope === 'cluster' ? undefined : ownNamespace,
      })),
    ),
  );
  const answers = await Promise.all(
    questions.map(async (question) => ((await isAllowed(client, question, signal)) ? undefined : question)),
  );
  const missing = answers.filter((question) => question !== undefined);
  if (missing.length > 0) throw missingPermissions(missing);
}

async function isAllowed(
  client: KubeClient,
  question: Missing & { readonly namespace: string | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  const [resource = '', subresource] = question.resource.split('/');
  const resourceAttributes = {
    group: question.group,
    resource,
    verb: question.verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(question.namespace === undefined ? {} : { namespace: question.namespace }),
  };
  try {
    const review = await client.create(
      accessReviews,
      { metadata: { name: '' }, spec: { resourceAttributes } },
      { signal },
    );
    return review.status?.allowed === true;
  } catch (error) {
    // An API server without this API has no permissions to lack.
    if (isNotFound(error)) return true;
    throw error;
  }
}

function missingPermissions(missing: readonly Missing[]): FairleadError {
  const lines = missing.map(({ verb, resource, group, because }) => {
    const name = group === '' ? resource : `${resource}.${group}`;
    return `${verb} ${name} (${because.replace(/\.$/, '')})`;
  });
  const message = `missing permission${lines.length > 1 ? 's' : ''}: ${lines.join('; ')}; give them to our account by a role`;
  return new FairleadError(message, { verdict: 'terminal', code: 'permission-missing' });
}
