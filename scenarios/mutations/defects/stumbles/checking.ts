import type { Defect } from '../../defect.ts';

const COMMANDS = { unit: 'packages/cli/commands/commands.test.ts' };

/** Of `fairlead check`: what has a tick although it is wrong. */
export const checkingDefects: readonly Defect[] = [
  {
    name: 'check exits with 0 whatever it finds',
    file: 'packages/cli/program.ts',
    find: 'if (!isWell) throw new Ending(1);',
    replace: 'if (!isWell) return;',
    foundBy: COMMANDS,
  },
  {
    name: 'check finds nothing wrong with a configuration that cannot be read',
    file: 'packages/cli/commands/check.ts',
    find: '.map((line) => wrong(about, line)),',
    replace: '.map((line) => well(wrong(about, line).about, line)),',
    foundBy: { unit: 'packages/cli/program.test.ts' },
  },
  {
    name: 'check does not say whose the permission is that is missing',
    file: 'packages/cli/check/cluster.ts',
    find: '`${account} may not ${what}. ${because} Allow it by a role.`',
    replace: "`${account === '' ? account : 'we'} may not ${what}. ${because} Allow it by a role.`",
    foundBy: COMMANDS,
  },
  {
    name: 'check has one line for all permissions that are missing',
    file: 'packages/cli/check/cluster.ts',
    find: '    ...(await permissionFindings(cluster, account, namespace, permissions, signal)),',
    replace: `    ...[await permissionFindings(cluster, account, namespace, permissions, signal)].map((all) =>
      wrong('permission', all.map(({ text }) => text).join('; ')),
    ),`,
    foundBy: COMMANDS,
  },
  {
    name: 'check has a tick for a permission that is missing',
    file: 'packages/cli/check/cluster.ts',
    find: "return wrong('permission',",
    replace: "return well('permission',",
    foundBy: COMMANDS,
  },
  {
    name: 'check has a tick for a namespace that is missing',
    file: 'packages/cli/check/cluster.ts',
    find: "return wrong('namespace', `",
    replace: "return well('namespace', `",
    foundBy: COMMANDS,
  },
  {
    name: 'check has a tick for a part that nobody leads',
    file: 'packages/cli/check/parts.ts',
    find: 'return [wrong(part.name, `${leaderText(leader)}: ${ADVICE}`)];',
    replace: 'return [well(part.name, leaderText(leader))];',
    foundBy: COMMANDS,
  },
  {
    name: 'check has a tick for a cloud that refuses the credentials',
    file: 'packages/cli/check/parts.ts',
    find: 'return [wrong(part.name, messageOf(error))];',
    replace: 'return [well(part.name, messageOf(error))];',
    foundBy: COMMANDS,
  },
  {
    name: 'check does not say how to mend a part that nobody leads',
    file: 'packages/cli/check/parts.ts',
    find: 'return [wrong(part.name, `${leaderText(leader)}: ${ADVICE}`)];',
    replace: 'return [wrong(part.name, leaderText(leader) + ADVICE.slice(0, 0))];',
    foundBy: COMMANDS,
  },
  {
    name: 'a gateway whose agent is dead is no problem',
    file: 'packages/gateway/controller/report/part-plan.ts',
    find: '...unasked, ...problemsOf({ unreadable })',
    replace: '...unasked.slice(0, 0), ...problemsOf({ unreadable })',
    foundBy: { unit: 'packages/gateway/controller/report/part-plan.test.ts' },
  },
  {
    name: 'a broker that is away is no problem',
    file: 'packages/clusterset/report.ts',
    find: "problems: state.state === 'unavailable' ? [state.reason] : [],",
    replace: 'problems: [],',
    foundBy: { unit: 'packages/clusterset/commands/status.test.ts' },
  },
  {
    name: 'a cluster that cannot be reached ends in a trace',
    file: 'packages/cli/cluster.ts',
    find: '    throw new FairleadError(`cannot use the cluster',
    replace:
      "    if (source !== '') throw new TypeError(messageOf(error));\n    throw new FairleadError(`cannot use the cluster",
    foundBy: { e2e: 'e2e/check.test.ts' },
  },
];
