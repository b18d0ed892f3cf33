/** How the zone is made. */
export interface ZoneSettings {
  /** In lower case, without a dot at the end: `clusterset.local`. */
  readonly zone: string;
  /** This cluster: its addresses are preferred. Undefined: none are. */
  readonly cluster?: string;
  readonly seconds: number;
  /** Whether `<cluster>.<service>.<namespace>.svc` leads to one cluster's share. */
  readonly clusterSpecificNames: boolean;
  /** By cluster; 1 unless told otherwise. 0: only while no other cluster has endpoints. */
  readonly weights: ReadonlyMap<string, number>;
  /** Clusters whose per-cluster ServiceImports, of the software before aggregation, are honoured. */
  readonly olderClusters: readonly string[];
  /** Where these ServiceImports are in this cluster. */
  readonly olderNamespace: string;
  /** Where the name server that the zone names can be reached. */
  readonly nameServerAddresses: readonly string[];
  readonly serial: number;
}
