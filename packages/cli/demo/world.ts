/** An embedded Kubernetes API for the demo. */
export interface EmbeddedWorld {
  readonly kubeconfigPath: string;
  /** What it is, for the first line of the demo. */
  readonly description: string;
  close(): Promise<void>;
}

/** Starts it; `report` gets a line now and then while that takes long. */
export async function startWorld(_report: (line: string) => void): Promise<EmbeddedWorld> {
  const { startCluster } = await import('../../../e2e/harness/index.ts');
  const cluster = await startCluster();
  return { kubeconfigPath: cluster.kubeconfigPath, description: 'A real cluster', close: () => cluster.stop() };
}
