/** One line of least privilege: it becomes a rule of the chart's ClusterRole, or of its Role in a namespace. */
export interface Permission {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, with the subresource where there is one: `services/status`. */
  readonly resources: readonly string[];
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
  /** Everywhere, in the namespace Fairlead runs in, or in that of the cluster's own components. */
  readonly scope: 'cluster' | 'own-namespace' | 'kube-system';
  /** Why it is needed: one sentence for the person who reviews the role. */
  readonly because: string;
}
