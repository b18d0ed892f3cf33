import { endpointSlices, type KubeClient, type KubeObject, type Resource, services } from '@fairlead/kube';
import { servedMcsVersion } from '../mcs/served-version.ts';
import { serviceImports } from '../mcs/types.ts';
import { isAdopted, isOurs } from '../records/marks.ts';
import { type MembershipStep, removal } from './membership.ts';

/** What we made in a cluster that leaves: imports, the slices behind them, and the Services derived from them. */
export async function removeImports(client: KubeClient, signal: AbortSignal): Promise<readonly MembershipStep[]> {
  const steps: MembershipStep[] = [];
  const collect = async (resource: Resource<KubeObject>) => {
    const { items } = await client.list(resource, { signal });
    steps.push(
      ...items.filter((one) => isOurs(one) || isAdopted(one)).map((object) => removal(client, resource, object)),
    );
  };
  await collect(endpointSlices);
  await collect(serviceImports(await servedMcsVersion(client, { signal })));
  await collect(services);
  return steps;
}
