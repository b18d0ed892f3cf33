import type { Service } from '@fairlead/kube';
import { refusal } from '@fairlead/service';
import { ANNOTATION_PREFIX } from './annotations.ts';

/** Where the gateways of a pool send connections. */
export type BackendKind = 'pods' | 'node-ports' | 'cluster-ips';

/** The node that serves addresses, and where its agent listens. */
export interface Gateway {
  readonly name: string;
  readonly url: string;
}

/** Addresses, as a list or from a cloud, and the gateways that serve them, with the rules of who may use them. */
export interface Pool {
  readonly name: string;
  readonly addresses?: readonly string[] | undefined;
  /** Where a cloud makes its addresses, in the words of that. */
  readonly openstack?: unknown;
  readonly gateways: readonly Gateway[];
  readonly backends: BackendKind;
  readonly preserveClientAddress: boolean;
  readonly programmedWhen: 'any' | 'all';
  /** Whether Services get there without asking. */
  readonly automatic: boolean;
  /** Services that get there before any other automatic pool, and no others without asking; absent: any Service. */
  readonly selects?: ServiceSelector | undefined;
  /** Whose Services may use it; absent: those of all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
}

export interface ServiceSelector {
  readonly namespaces?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Names the pool that a Service wants. */
const POOL_ANNOTATION = `${ANNOTATION_PREFIX}pool`;

export interface PoolChoice {
  readonly pool: Pool;
  readonly isAsked: boolean;
}

/** The pool that a Service is to have its addresses from. Throws a refusal when there is none. */
export function choosePool(service: Service, pools: readonly Pool[]): PoolChoice {
  const asked = service.metadata.annotations?.[POOL_ANNOTATION];
  if (asked !== undefined) {
    const pool = pools.find(({ name }) => name === asked);
    if (pool === undefined)
      throw refusal('pool-unknown', `there is no pool ${JSON.stringify(asked)}, which it asks for`);
    if (!isPermitted(service, pool)) throw refusal('pool-forbidden', `its namespace may not use the pool ${asked}`);
    return { pool, isAsked: true };
  }
  const candidates = pools.filter((pool) => pool.automatic && isPermitted(service, pool));
  const isSelected = ({ selects }: Pool) => selects !== undefined && isMatch(service, selects);
  const pool = candidates.find(isSelected) ?? candidates.find(({ selects }) => selects === undefined);
  if (pool === undefined) throw refusal('pool-missing', 'no pool takes it without being asked for by annotation');
  return { pool, isAsked: false };
}

/** The names of the pools that a Service may have addresses of. */
export function permittedPools(service: Service, pools: readonly Pool[]): readonly string[] {
  return pools.filter((pool) => isPermitted(service, pool)).map(({ name }) => name);
}

/** The labels by which pools select Services: what a cache has to keep of them. */
export function selectingLabels(pools: readonly Pool[]): readonly string[] {
  return [...new Set(pools.flatMap(({ selects }) => Object.keys(selects?.labels ?? {})))].toSorted();
}

function isPermitted({ metadata: { namespace = 'default' } }: Service, { namespaces }: Pool): boolean {
  return namespaces === undefined || namespaces.includes(namespace);
}

function isMatch({ metadata }: Service, { namespaces, labels = {} }: ServiceSelector): boolean {
  const { namespace = 'default', labels: its = {} } = metadata;
  if (namespaces !== undefined && !namespaces.includes(namespace)) return false;
  return Object.entries(labels).every(([name, value]) => its[name] === value);
}
