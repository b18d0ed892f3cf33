import { messageOf } from '@fairlead/control';
import { isForbidden, may, namespaces, whoAmI } from '@fairlead/kube';
import type { Permission } from '@fairlead/part';
import type { Cluster } from '../cluster.ts';
import { questionsOf } from '../permissions.ts';
import { clockFinding } from './clock.ts';
import { type Finding, well, wrong } from './finding.ts';

/** What the cluster says of us: who we are, our clock, where our Leases live, and what we may do. */
export async function clusterFindings(
  cluster: Pick<Cluster, 'client' | 'connection' | 'name'>,
  namespace: string,
  permissions: readonly Permission[],
  now: () => number,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { client } = cluster;
  const account = (await whoAmI(client, { signal }).catch(() => undefined)) ?? 'our account';
  const answer = await cluster.connection.send({ method: 'GET', path: '/version', signal });
  const { date } = answer.headers;
  for await (const _ of answer.body);
  return [
    well('cluster', `${cluster.name} answers; we are ${account}`),
    clockFinding(date, now()),
    await namespaceFinding(cluster, namespace, signal),
    ...(await permissionFindings(cluster, account, namespace, permissions, signal)),
  ];
}

async function namespaceFinding(
  { client }: Pick<Cluster, 'client'>,
  name: string,
  signal: AbortSignal,
): Promise<Finding> {
  try {
    const found = await client.find(namespaces, { name }, { signal });
    if (found !== undefined) return well('namespace', `${name} is there for the Leases`);
    return wrong('namespace', `${name} does not exist: create it, or name another in leaderElection.namespace`);
  } catch (error) {
    if (isForbidden(error)) return well('namespace', `${name} may not be looked at`);
    return wrong('namespace', messageOf(error));
  }
}

async function permissionFindings(
  { client }: Pick<Cluster, 'client'>,
  account: string,
  ownNamespace: string,
  permissions: readonly Permission[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const questions = questionsOf(permissions, ownNamespace);
  return Promise.all(
    questions.map(async ({ access, name, because }) => {
      const where = access.namespace === undefined ? '' : ` in ${access.namespace}`;
      const what = `${access.verb} ${name}${where}`;
      if (await may(client, access, { signal })) return well('permission', what);
      return wrong('permission', `${account} may not ${what}. ${because} Allow it by a role.`);
    }),
  );
}
