import { join } from 'node:path';
import type { Bench, Figures, Progress } from '../bench.ts';
import { measure, nodeProgram } from '../child-process.ts';
import { rounded } from '../statistics.ts';
import { measureRealClusters } from './real-clusters.ts';

const SERVICES = 1_000;
/** Of the Services of each cluster, those of a namespace that the measured cluster has. */
const USED = 100;

export const clusterSetBench: Bench = {
  name: 'clusterset',
  description:
    'an endpoint and 500 Services from cluster to cluster on real API servers; memory and calls of one of 10 and 20 ' +
    'simulated clusters with 1,000 Services each, of which it uses a tenth',
  targets: [
    { figure: 'endpointMedianMilliseconds', atMost: 500, why: 'a pod that goes must be gone everywhere soon' },
    { figure: 'massExportSeconds', atMost: 60, why: '500 Services at once should be everywhere within a minute' },
    { figure: 'imported20', atLeast: 20 * USED, why: 'all that is used must be there' },
    { figure: 'memoryGrowth', atMost: 2.4, why: 'twice as much in use should need about twice the memory' },
    {
      figure: 'unusedKilobytesPerService',
      atMost: 0.5,
      why: 'a Service that no namespace here wants should need next to none',
    },
    { figure: 'brokerCallsPerMinute20', atMost: 12, why: 'at rest, the broker should hear of a cluster by its Lease' },
    { figure: 'brokerCallsGrowth', atMost: 1.5, why: 'reading more clusters should need no more calls' },
  ],
  run,
};

async function run(progress: Progress): Promise<Figures> {
  const member = (...sizes: readonly number[]) =>
    measure(nodeProgram(join(import.meta.dirname, 'member.ts'), sizes.map(String), ['--expose-gc']));
  const ten = await member(10, SERVICES, USED);
  const twenty = await member(20, SERVICES, USED);
  const lean = await member(10, USED, USED);
  progress(`simulated: ${JSON.stringify({ ten, twenty, lean })}`);
  const of = (figures: Readonly<Record<string, number>>, name: string) => figures[name] ?? Number.NaN;
  const unused = of(ten, 'megabytes') - of(lean, 'megabytes');
  return {
    ...(await measureRealClusters(progress)),
    imported10: of(ten, 'imported'),
    imported20: of(twenty, 'imported'),
    megabytes10: rounded(of(ten, 'megabytes')),
    megabytes20: rounded(of(twenty, 'megabytes')),
    memoryGrowth: rounded(of(twenty, 'megabytes') / of(ten, 'megabytes')),
    kilobytesPerUsedService: rounded((1_000 * of(twenty, 'megabytes')) / (20 * USED)),
    unusedKilobytesPerService: rounded((1_000 * unused) / (10 * (SERVICES - USED))),
    brokerCalls10: of(ten, 'calls'),
    brokerCalls20: of(twenty, 'calls'),
    brokerCallsGrowth: rounded(of(twenty, 'calls') / of(ten, 'calls')),
    brokerCallsPerMinute20: rounded(of(twenty, 'callsPerMinute')),
  };
}
