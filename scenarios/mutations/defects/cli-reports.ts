import type { Defect } from '../defect.ts';

/** Of what status, why, the log and the bundle tell. */
export const cliReportDefects: readonly Defect[] = [
  {
    name: 'status asks no replica of a part that all of them run',
    file: 'packages/cli/commands/status.ts',
    find: "if (configured.runs !== 'leader') return { part: part.name, ...status, replicas: await askReplicas(question) };",
    replace: "if (configured.runs !== 'leader') return { part: part.name, ...status };",
    foundBy: { unit: 'packages/cli/commands/commands.test.ts' },
  },
  {
    name: 'a part that no replica runs is well',
    file: 'packages/cli/why/replicas.ts',
    find: 'alone.asked.length > 0 || unasked === undefined ? asked : { ...alone, isNone: true }',
    replace: 'alone.asked.length > 0 || unasked === undefined ? asked : alone',
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'a Pod that is being deleted is asked whether it is ready',
    file: 'packages/cli/why/replicas.ts',
    find: 'metadata.deletionTimestamp === undefined && ',
    replace: '',
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'a Pod that does not answer is never known to be unready',
    file: 'packages/cli/why/replicas.ts',
    find: "condition === undefined || condition.status === 'True'",
    replace: "condition === undefined || condition.status !== 'Unknown'",
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'who has a certificate is refused by a Fairlead that is named',
    file: 'packages/cli/why/ask-leader.ts',
    find: "if ('answer' in first || own !== undefined) return first;",
    replace: "if ('answer' in first || own === undefined) return first;",
    foundBy: { unit: 'packages/cli/why' },
  },
  {
    name: 'a command that is watched looks on although nobody can see it',
    file: 'packages/cli/commands/repeat.ts',
    find: "${isInteractive ? CLEAR : ''}",
    replace: "${isInteractive ? '' : CLEAR}",
    foundBy: { unit: 'packages/cli/commands/repeat.test.ts' },
  },
  {
    name: 'nobody learns from the metrics which version runs',
    file: 'packages/cli/running.ts',
    find: 'metrics.set(buildInfo, 1, { version, node: process.version });',
    replace: '',
    foundBy: { unit: 'packages/cli/running.test.ts' },
  },
  {
    name: 'objects beyond the first hundred are not named in the log',
    file: 'packages/cli/observability/repeats.ts',
    find: '    this.#print(group);\n    group.gathered = undefined;\n  }\n\n  #open',
    replace: '  }\n\n  #open',
    foundBy: { unit: 'packages/cli/observability' },
  },
  {
    name: 'an older Node cannot read the launcher',
    file: 'deploy/bundle-program.ts',
    find: "\nimport('./program.mjs');",
    replace: "\nawait import('./program.mjs');",
    foundBy: { unit: 'deploy/bundle-program.test.ts' },
  },
  {
    name: 'check does not look at the time that the API server tells',
    file: 'packages/cli/check/cluster.ts',
    find: 'clockFinding(date, now())',
    replace: 'clockFinding(undefined, now() + Number(date === undefined))',
    foundBy: { unit: 'packages/cli/commands/commands.test.ts' },
  },
];
