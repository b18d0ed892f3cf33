import { type ClusterId, isOurs, type OwnerMark, ownerTags, readOwnerTags, type ServiceUid } from '@fairlead/control';
import type { ArmId, ResourceGroup } from '../arm-id.ts';
import { type CloudConfiguration, networkGroup, virtualNetworkId } from '../configuration/cloud-configuration.ts';
import type { ArmTags } from '../types/index.ts';

/** Where in Azure everything lives that a part has there for one cluster, and how it is known to be ours. */
export interface AzureScope {
  readonly cluster: ClusterId;
  readonly part: string;
  readonly group: ResourceGroup;
  /** The region. */
  readonly location: string;
  readonly networkId: ArmId<'virtualNetworks'>;
}

/** Throws a terminal error when the configuration names no network. */
export function azureScope(part: string, cluster: ClusterId, cloud: CloudConfiguration): AzureScope {
  const { location } = cloud;
  return { cluster, part, group: networkGroup(cloud), location, networkId: virtualNetworkId(cloud) };
}

/** On what serves all of the cluster, in the very call that creates it. */
export function clusterTags({ cluster, part }: AzureScope): ArmTags {
  return ownerTags({ cluster, part });
}

/** On what belongs to one Service, in the very call that creates it. */
export function serviceTags({ cluster, part }: AzureScope, service: ServiceUid): ArmTags {
  return ownerTags({ cluster, part, service });
}

export type Ownership = 'ours' | 'unmarked' | 'another-owner';

/** Whose a resource is, by its tags. */
export function ownershipOf(scope: AzureScope, tags: ArmTags | undefined): Ownership {
  const mark = readOwnerTags(tags ?? {});
  if (mark === undefined) return 'unmarked';
  return isOurs(mark, scope) ? 'ours' : 'another-owner';
}

/** The mark on a resource, when it is ours. */
export function ownMark(scope: AzureScope, tags: ArmTags | undefined): OwnerMark | undefined {
  const mark = readOwnerTags(tags ?? {});
  return isOurs(mark, scope) ? mark : undefined;
}
