import type { ServiceKey } from '@fairlead/service';
import {
  type ArmDraft,
  type ArmId,
  armName,
  type LoadBalancer,
  type NetworkSecurityGroup,
  type PublicIpAddress,
} from '../../arm/index.ts';
import type { ServiceMark } from '../names.ts';
import type { BackendContents } from './child-resources.ts';
import type { AdoptedPools, WantedService } from './desired.ts';

/** What is to become of one Service in Azure. */
export type Intention = {
  readonly mark: ServiceMark;
  /** For people: the Service, or what is left of one. */
  readonly subject: ServiceKey | `leftover ${string}`;
  /** Pools that it took over. */
  readonly adopted: AdoptedPools;
} & (
  | {
      readonly kind: 'present';
      readonly wanted: WantedService;
      readonly loadBalancer: string;
      readonly contents: BackendContents;
    }
  /** On its way to another load balancer: it keeps its addresses, and nothing else. */
  | { readonly kind: 'detached' }
  | { readonly kind: 'absent' }
);
/** A Service that is to be served. */
export type Present = Extract<Intention, { kind: 'present' }>;

/** One write to Azure, and the Services that it is for. */
export type AzureWrite = { readonly subjects: readonly Intention['subject'][] } & (
  | {
      readonly kind: 'put-public-ip';
      readonly id: ArmId<'publicIPAddresses'>;
      readonly draft: ArmDraft<PublicIpAddress>;
    }
  | {
      readonly kind: 'put-security-group';
      readonly id: ArmId<'networkSecurityGroups'>;
      readonly draft: ArmDraft<NetworkSecurityGroup>;
      readonly etag: string | undefined;
    }
  | {
      readonly kind: 'put-load-balancer';
      readonly id: ArmId<'loadBalancers'>;
      readonly draft: ArmDraft<LoadBalancer>;
      /** Undefined: it is new. */
      readonly etag: string | undefined;
    }
  | { readonly kind: 'delete-public-ip'; readonly id: ArmId<'publicIPAddresses'> }
  | {
      readonly kind: 'delete-load-balancer';
      readonly id: ArmId<'loadBalancers'>;
      readonly etag: string | undefined;
    }
);

/** The call a write makes, as the journal and crash tests name it. */
export function callOf({ kind, id }: AzureWrite): string {
  const verb = kind.startsWith('put') ? 'PUT' : 'DELETE';
  const resource = id.split('/').at(-2) ?? '';
  return `${verb} ${resource}/${armName(id)}`;
}
