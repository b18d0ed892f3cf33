/** One line of least privilege: it becomes a rule of the chart's ClusterRole or, with `scope: 'own-namespace'`, of its Role. */
export interface Permission {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, with the subresource where there is one: `services/status`. */
  readonly resources: readonly string[];
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
  readonly scope: 'cluster' | 'own-namespace';
  /** Why it is needed: one sentence for the person who reviews the role. */
  readonly because: string;
}
