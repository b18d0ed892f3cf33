import type { Service } from '@fairlead/kube';
import type { ServiceKey } from '@fairlead/service';
import { markOf, type ServiceMark, serviceMark } from '../names.ts';
import { type AdoptedPools, adoptedPools, type WantedService } from './desired.ts';

/** What is to become of one Service in Azure. */
export type Target = {
  readonly mark: ServiceMark;
  /** For people: the Service, or what is left of one. */
  readonly subject: ServiceKey | `leftover ${string}`;
  /** Pools that it took over. */
  readonly adopted: AdoptedPools;
} & (
  | { readonly kind: 'present'; readonly wanted: WantedService; readonly loadBalancer: string }
  /** On its way to another load balancer: it keeps its addresses, and nothing else. */
  | { readonly kind: 'detached' }
  | { readonly kind: 'absent' }
);

/** Of a Service that is to be served. */
export type PresentTarget = Extract<Target, { kind: 'present' }>;

export function presentOn(loadBalancer: string, wanted: WantedService): PresentTarget {
  const owner = { mark: serviceMark(wanted.uid), subject: wanted.key, adopted: wanted.adoptedPools };
  return { ...owner, kind: 'present', wanted, loadBalancer };
}

/** For a Service that has something in Azure and is to have nothing, or nothing but its addresses. */
export function without(kind: 'absent' | 'detached', subject: ServiceKey, service: Service): Target {
  return { kind, mark: markOf(service), subject, adopted: adoptedPools(service) };
}

/** For what is left of a Service that no longer exists. */
export function leftover(mark: ServiceMark): Target {
  return { kind: 'absent', mark, subject: `leftover ${mark}`, adopted: {} };
}

export function isLeftover(subject: Target['subject']): boolean {
  return subject.startsWith('leftover ');
}
