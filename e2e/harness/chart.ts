import { inject } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { helmBinary } from '../../scripts/helm.ts';
import { type Outcome, runCommand } from '../../scripts/run-command.ts';
import type { AccessRule } from './cluster.ts';

/** The folder of the chart. */
export const CHART = inject('chart');

/** What the tests read of the objects that a chart renders. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly AccessRule[];
  readonly data?: Readonly<Record<string, string>>;
}

/** None is named by default. */
export const IMAGE = { repository: 'edge/fairlead' };

export async function helm(...parameters: readonly string[]): Promise<Outcome> {
  return runCommand(await helmBinary(), parameters);
}

/** Values go in as JSON on the standard input, which Helm reads as YAML. */
export async function helmWithValues(values: object, ...parameters: readonly string[]): Promise<Outcome> {
  return runCommand(await helmBinary(), [...parameters, '--values', '-'], JSON.stringify(values));
}

/** The chart as text, and as objects. Throws what Helm said when it refuses. */
export async function renderChart(
  values: object,
  { namespace = 'fairlead-system', chart = CHART }: { readonly namespace?: string; readonly chart?: string } = {},
): Promise<{ readonly text: string; readonly manifests: readonly Manifest[] }> {
  const { code, stdout, stderr } = await helmWithValues(
    { image: IMAGE, ...values },
    'template',
    'fairlead',
    chart,
    '--namespace',
    namespace,
  );
  if (code !== 0) throw new Error(stderr.trim());
  return { text: stdout, manifests: parseAllDocuments(stdout).map((document): Manifest => document.toJS()) };
}

/** The one manifest of a kind. */
export function ofKind(manifests: readonly Manifest[], kind: string): Manifest {
  const [found, ...more] = manifests.filter((manifest) => manifest.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`the chart has ${more.length + 1} of kind ${kind}`);
  return found;
}
