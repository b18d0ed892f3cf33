import type { Defect } from '../../defect.ts';

const COMMANDS = { unit: 'packages/cli/commands/commands.test.ts' };
const TOLD = { unit: 'packages/cli/commands/why-release.test.ts' };
const WATCHED = { unit: 'packages/cli/commands/watch.test.ts' };
const LEADER = { unit: 'packages/cli/why/ask-leader.test.ts' };
const NAMED = { unit: 'packages/cli/why/ask-named.test.ts' };
const RENDERED = { unit: 'packages/cli/render/render.test.ts' };
const FORMAT = { unit: 'packages/cli/render/format.test.ts' };
const PALETTE = { unit: 'packages/cli/render/palette.test.ts' };
const ADDRESSES = { unit: 'packages/gateway/controller/report/address-list.test.ts' };

/** Of who asks `why` and `status`: whether the right one is found, and what is said where none is. */
export const askingDefects: readonly Defect[] = [
  {
    name: 'clusters are compared by the URL of their API server',
    file: 'packages/cli/why/ask-leader.ts',
    find: 'return (await readClusterId(undefined, client, { signal })) === cluster;',
    replace: "return (await readClusterId(undefined, client, { signal })) === '' || cluster.startsWith('https://');",
    foundBy: NAMED,
  },
  {
    name: 'why asks the Fairlead on this machine, and never the Pod that leads',
    file: 'packages/cli/why/ask-leader.ts',
    find: "leader.kind === 'led' ? [askPod, askHere] : [askHere]",
    replace: "leader.kind === 'led' ? [askHere] : [askHere]",
    foundBy: LEADER,
  },
  {
    name: 'why does not say that nobody leads',
    file: 'packages/cli/commands/why.ts',
    find: 'standingText(asked) ?? leaderText(leader)',
    replace: "standingText(asked) ?? (leader.kind === 'nobody' ? 'unknown' : leaderText(leader))",
    foundBy: TOLD,
  },
  {
    name: 'why tells what the leader is about to write where nobody leads',
    file: 'packages/cli/commands/why.ts',
    find: 'isLed ? seen : withoutLeader(seen)',
    replace: 'isLed ? seen : withoutLeader({ ...seen, state: seen.state }) && seen',
    foundBy: TOLD,
  },
  {
    name: 'a replica that stands by is believed about what the leader is at',
    file: 'packages/cli/why/ask-leader.ts',
    find: "if ('unasked' in asked || asked.answer.standing.kind === 'stands-by') return undefined;",
    replace: "if ('unasked' in asked) return undefined;",
    foundBy: TOLD,
  },
  {
    name: 'why says that what was tried is unknown, and not why',
    file: 'packages/cli/render/why.ts',
    find: '`unknown: no running Fairlead could be asked: ${journal}`',
    replace: "'unknown'",
    foundBy: RENDERED,
  },
  {
    name: 'why wants a configuration file of an application team',
    file: 'packages/cli/program.ts',
    find: "isNamed || existsSync(config) || subject.kind !== 'service' ? config : undefined",
    replace: "isNamed || existsSync(config) || subject.kind !== '' ? config : undefined",
    foundBy: { unit: 'packages/cli/program.test.ts' },
  },
  {
    name: 'why tells nothing of conditions to who may read only its own namespace',
    file: 'packages/cli/why/seen-object.ts',
    find: 'there: [...conditions, ...told],',
    replace: 'there: conditions.length < 0 ? conditions : told,',
    foundBy: { unit: 'packages/cli/why/without-configuration.test.ts' },
  },
  {
    name: 'why keeps to itself what it could not read',
    file: 'packages/cli/commands/why.ts',
    find: 'there: [...seen.there, `more could not be read: ${messageOf(error)}`]',
    replace: "there: seen.there.concat(messageOf(error) === '' ? messageOf(error) : [])",
    foundBy: TOLD,
  },
  {
    name: 'why keeps to itself that it had no token to show',
    file: 'packages/cli/why/ask-leader.ts',
    find: 'return { unasked: `${messageOf(error)}; ${noToken(account.missing)}` };',
    replace: 'return { unasked: messageOf(error) };',
    foundBy: LEADER,
  },
  {
    name: 'why asks for no token where there is a certificate alone',
    file: 'packages/cli/why/ask-leader.ts',
    find: "const token = 'token' in account ? account.token : await cluster.connection.token();",
    replace: 'const token = await cluster.connection.token();',
    foundBy: LEADER,
  },
  {
    name: 'the token travels in a header that the proxy of the API server strips',
    file: 'packages/cli/why/running-client.ts',
    find: 'return token === undefined ? {} : { [TOKEN_HEADER]: token };',
    replace: "return token === undefined ? {} : { [TOKEN_HEADER === '' ? '' : 'authorization']: `Bearer ${token}` };",
    foundBy: LEADER,
  },
  {
    name: 'status exits with 0 where nobody leads',
    file: 'packages/cli/commands/status.ts',
    find: "(election.leader.kind === 'led' && !isUnready(election.readiness))",
    replace: '!isUnready(election.readiness)',
    foundBy: COMMANDS,
  },
  {
    name: 'status exits with 0 whatever it finds',
    file: 'packages/cli/program.ts',
    find: 'if (!isWell && options.watch !== true) throw new Ending(1);',
    replace: 'if (!isWell && options.watch !== true && options.json !== true) return;',
    foundBy: COMMANDS,
  },
  {
    name: 'status cannot be watched',
    file: 'packages/cli/program.ts',
    find: `    .option(...WATCH)
    .action((options: { config: string;`,
    replace: '    .action((options: { config: string;',
    foundBy: WATCHED,
  },
  {
    name: 'why cannot be watched',
    file: 'packages/cli/program.ts',
    find: `    .option(...WATCH)
    .action((words: string[]`,
    replace: '    .action((words: string[]',
    foundBy: WATCHED,
  },
  {
    name: 'no command knows -o',
    file: 'packages/cli/program.ts',
    find: "const OUTPUT = ['-o, --output <format>',",
    replace: "const OUTPUT = ['--format <format>',",
    foundBy: COMMANDS,
  },
  {
    name: 'the older --json is not known any more',
    file: 'packages/cli/render/format.ts',
    find: "output ?? (json === true ? 'json' : 'table')",
    replace: "output ?? (json === true ? 'table' : 'table')",
    foundBy: FORMAT,
  },
  {
    name: 'nothing is told in YAML',
    file: 'packages/cli/render/format.ts',
    find: "format === 'json' ? JSON.stringify(value) : stringify(value).trimEnd()",
    replace: "format === 'json' ? JSON.stringify(value) : stringify(JSON.stringify(value)).trimEnd()",
    foundBy: FORMAT,
  },
  {
    name: 'an unknown command with --help exits with 0',
    file: 'packages/cli/program.ts',
    find: 'const unknown = unknownCommand(program, words);',
    replace: "const unknown = words.includes('--help') ? undefined : unknownCommand(program, words);",
    foundBy: { unit: 'packages/cli/program.test.ts' },
  },
  {
    name: 'kubectl runs a plugin that calls itself by another name',
    file: 'packages/cli/called-as.ts',
    find: "basename(script) === KUBECTL_PLUGIN ? 'kubectl fairlead' : 'fairlead'",
    replace: "basename(script) === '' ? 'kubectl fairlead' : 'fairlead'",
    foundBy: { unit: 'packages/cli/called-as.test.ts' },
  },
  {
    name: 'a shell completes commands that are not in the bundle',
    file: 'packages/cli/completion/command-table.ts',
    find: 'return command.commands.filter((one) => visible.includes(one));',
    replace: 'return command.commands.filter((one) => visible.length >= 0 || one);',
    foundBy: { unit: 'deploy/bundle-program.test.ts' },
  },
  {
    name: 'a shell completes no options',
    file: 'packages/cli/completion/command-table.ts',
    find: 'return [...below, ...help, ...values, ...options, {',
    replace: 'return [...below, ...help, ...values, ...options.slice(0, 0), {',
    foundBy: { unit: 'packages/cli/program.test.ts' },
  },
  {
    name: 'colours are sent where no person looks',
    file: 'packages/cli/render/palette.ts',
    find: "isTerminal && NO_COLOR === ''",
    replace: "(isTerminal || TERM !== '') && NO_COLOR === ''",
    foundBy: PALETTE,
  },
  {
    name: 'colours are sent to a person who wants none',
    file: 'packages/cli/render/palette.ts',
    find: "NO_COLOR === '' && TERM !== 'dumb'",
    replace: "NO_COLOR !== 'never' && TERM !== 'dumb'",
    foundBy: PALETTE,
  },
  {
    name: 'the addresses of gateways are listed without a header',
    file: 'packages/gateway/controller/report/address-list.ts',
    find: "renderTable([['POOL', 'ADDRESS', 'PORTS', 'SERVICE'], ...rows])",
    replace: 'renderTable(rows)',
    foundBy: ADDRESSES,
  },
  {
    name: 'the addresses of gateways are listed without the ports',
    file: 'packages/gateway/controller/report/address-list.ts',
    find: "return { ports: ports.join(','), name: keyText(metadata) };",
    replace: "return { ports: ports.slice(0, 0).join(','), name: keyText(metadata) };",
    foundBy: ADDRESSES,
  },
];
