import { serviceImports } from '@fairlead/clusterset/mcs';
import { LEASE_NAMESPACE } from '../replica.ts';

/** Which clusters there are, as the servers of one of them know them. */
export interface DnsSite {
  readonly local: string;
  readonly clusters: readonly string[];
  /** One with the software before aggregation. */
  readonly older?: string;
}

export const NAMESPACE = 'shop';
export const SERVERS = ['dns-1', 'dns-2'];
export const SERVICES = ['a', 'b', 'c'];
/** This cluster, others, one with older software, and one that claims to have it. */
const LOCAL = 'west';
export const OLD = 'old';
export const CLUSTERS = [LOCAL, 'east', OLD, 'forged'];
export const SITE: DnsSite = { local: LOCAL, clusters: CLUSTERS, older: OLD };
export const CONFIGURATION = { cluster: LOCAL, olderClusters: [OLD], olderNamespace: LEASE_NAMESPACE };
/** A Service that is there from the beginning, and never changes. */
export const STEADY = 'steady';
export const STEADY_ADDRESS = '10.77.0.1';
/** More than there are clusters: each has its turn. */
export const TURNS = 6;
/** A watch whose other end is gone without a word counts as dead after 130 s: three of them one after the other. */
export const LONGEST_BEHIND_MILLISECONDS = 420_000;

export const imports = serviceImports('v1beta1');

export function nameOf(service: string): string {
  return `${service}.${NAMESPACE}.svc.clusterset.local`;
}
