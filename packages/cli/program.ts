import { existsSync } from 'node:fs';
import { FairleadError, messageOf } from '@fairlead/control';
import type { CommandOption, Part, PartCommand, Subject } from '@fairlead/part';
import { Command, CommanderError } from 'commander';
import { version } from './cluster.ts';
import { checkCommand } from './commands/check.ts';
import { completionCommand } from './commands/completion.ts';
import { demoCommand } from './commands/demo.ts';
import { planCommand } from './commands/plan.ts';
import { releaseCommand } from './commands/release.ts';
import { repeat } from './commands/repeat.ts';
import { partCommand } from './commands/part-command.ts';
import { runAloneCommand, runCommand, superviseCommand } from './commands/run.ts';
import { statusCommand } from './commands/status.ts';
import { whyCommand } from './commands/why.ts';
import { nearest } from './configuration/nearest.ts';
import { isDemoIncluded } from './demo/is-included.ts';
import { formatOf } from './render/format.ts';
import { printable } from './render/printable.ts';
import { parseSubject } from './subject.ts';
import type { Terminal } from './terminal.ts';

const DEFAULT_FILE = 'fairlead.yaml';
/** What a shell expects of a command that was stopped before it was done. */
const INTERRUPTED = 130;

/** What Terraform's users expect of a plan that has something to do. */
const CHANGES = 2;

const OUTPUT = ['-o, --output <format>', 'table, which is the default, json or yaml'] as const;
const SUPERVISED = [
  '--supervised',
  'runs in a process of its own, which a SIGHUP replaces without losing a query: for a new configuration or version',
] as const;
const WATCH = ['-w, --watch', 'looks again every two seconds until it is stopped'] as const;

const HELP: ReadonlySet<string> = new Set(['help', '-h', '--help']);

interface WhyOptions {
  readonly config: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly output?: string;
  readonly json?: true;
  readonly watch?: true;
}

/** A command has said what it has to say, and ends with this code. */
class Ending extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`ends with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/**
 * Runs one command line; resolves with the exit code. 0: done. 1: failed. 2: the command line is wrong, or a plan has
 * changes and was asked to say so. 130: stopped.
 */
export async function runProgram(
  words: readonly string[],
  parts: readonly Part[],
  terminal: Terminal,
  signal: AbortSignal,
  name = 'fairlead',
): Promise<number> {
  const program = createProgram(name, parts, terminal, signal);
  const { complain } = harmless(terminal);
  const unknown = unknownCommand(program, words);
  if (unknown !== undefined) {
    complain(`fairlead: ${unknown}`);
    return 2;
  }
  try {
    await program.parseAsync([...words], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ending) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (signal.aborted) return INTERRUPTED;
    if (error instanceof FairleadError) {
      complain(`fairlead: ${messageOf(error)}`);
      return error.code === 'usage' ? 2 : 1;
    }
    complain(`fairlead: ${messageOf(error)} (this is a defect of Fairlead; its trace follows)`);
    complain(error instanceof Error ? (error.stack ?? '') : '');
    return 1;
  }
}

/** For lines that may hold the words of tenants. */
function harmless(terminal: Terminal): Terminal {
  const { print, complain, palette } = terminal;
  return {
    ...terminal,
    print: (line) => print(printable(line, palette)),
    complain: (line) => complain(printable(line)),
  };
}

/** Whatever else was asked, `--help` included: a misspelt command is a mistake. */
function unknownCommand(command: Command, [word = '', ...rest]: readonly string[]): string | undefined {
  const { commands } = command;
  if (HELP.has(word) && commands.length > 0) return unknownCommand(command, rest);
  if (word === '' || word.startsWith('-') || commands.length === 0) return undefined;
  const found = commands.find((one) => one.name() === word);
  if (found !== undefined) return unknownCommand(found, rest);
  const meant = nearest(word, ['help', ...commands.map((one) => one.name())]);
  const advice = meant === undefined ? `${usageName(command)} --help shows the commands` : `did you mean ${meant}?`;
  return `there is no command ${word}: ${advice}`;
}

/** With the commands above it, as a person types it. */
function usageName(command: Command): string {
  return command.parent === null ? command.name() : `${usageName(command.parent)} ${command.name()}`;
}

function createProgram(name: string, parts: readonly Part[], terminal: Terminal, signal: AbortSignal): Command {
  const safe = harmless(terminal);
  const { print, complain } = safe;
  const program = new Command(name)
    .description('Keeps the load balancing outside a Kubernetes cluster in step with the Services inside it.')
    .version(version, '--version', 'Prints the version.')
    .helpOption('-h, --help', 'Shows help.')
    .helpCommand('help [command]', 'Shows the help of a command.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => complain(text.trimEnd()) })
    .showHelpAfterError(`(${name} --help shows the commands)`)
    .addHelpText('after', helpText(name, parts));

  const withConfiguration = (command: Command) =>
    command.option('-c, --config <file>', 'the configuration file', DEFAULT_FILE);

  withConfiguration(program.command('run'))
    .description('Runs all configured parts until it is stopped.')
    .action(({ config }: { config: string }) => runCommand(config, parts, signal));

  withConfiguration(program.command('plan'))
    .description(
      'Shows what would be adopted, created, changed and deleted now, and in how many calls. Changes nothing.',
    )
    .option(...OUTPUT)
    .option('--json', 'the same as -o json')
    .option('--detailed-exitcode', 'exits with 2 when there is something to do, and with 0 when there is not')
    .action(async (options: { config: string; output?: string; json?: true; detailedExitcode?: true }) => {
      const { hasChanges } = await planCommand(options.config, parts, formatOf(options), signal, safe);
      if (hasChanges && options.detailedExitcode === true) throw new Ending(CHANGES);
    });

  withConfiguration(program.command('why'))
    .description(`Tells in plain words why an object is as it is: ${name} why service default/web`)
    .argument('<object...>', 'a kind and a name, such as: service default/web')
    .option('-n, --namespace <namespace>', 'the namespace, where the name has none')
    .option('--server <url>', 'a running Fairlead to ask; otherwise the replica that leads, or the one on this machine')
    .option(...OUTPUT)
    .option('--json', 'the same as -o json')
    .option(...WATCH)
    .action((words: string[], options: WhyOptions, command: Command) => {
      const subject = subjectOf(words, options.namespace, parts);
      const { config, server, watch } = options;
      const format = formatOf(options);
      const isNamed = command.getOptionValueSource('config') !== 'default';
      const file = isNamed || existsSync(config) || subject.kind !== 'service' ? config : undefined;
      return repeat(watch, terminal, signal, (output) =>
        whyCommand(file, parts, { subject, server, format }, signal, output),
      );
    });

  withConfiguration(program.command('status'))
    .description('Shows who leads each part, and how it is doing.')
    .option(...OUTPUT)
    .option('--json', 'the same as -o json')
    .option(...WATCH)
    .action((options: { config: string; output?: string; json?: true; watch?: true }) => {
      const format = formatOf(options);
      return repeat(options.watch, terminal, signal, async (output) => {
        const { isWell } = await statusCommand(options.config, parts, format, signal, output);
        if (!isWell && options.watch !== true) throw new Ending(1);
      });
    });

  withConfiguration(program.command('check'))
    .description('Looks whether all is right: configuration, cluster, permissions, leaders, clouds, gateways, clock.')
    .option(...OUTPUT)
    .option('--json', 'the same as -o json')
    .action(async (options: { config: string; output?: string; json?: true }) => {
      const { isWell } = await checkCommand(options.config, parts, formatOf(options), signal, safe);
      if (!isWell) throw new Ending(1);
    });

  withConfiguration(program.command('release'))
    .description('Lets go ahead what the brake of a part holds back.')
    .argument('<part>', 'a part that is configured, such as: gateway')
    .action((part: string, { config }: { config: string }) => releaseCommand(config, parts, part, signal, print));

  program
    .command('demo', { hidden: !isDemoIncluded })
    .description('Starts an embedded world with all parts running on it and a sample workload, and shows it live.')
    .option('--until-converged', 'ends with a summary as soon as everything is programmed')
    .option('--time-limit <seconds>', 'how long --until-converged waits before it fails', '120')
    .option('--print-config', 'prints a configuration file that works, and ends')
    .action((options: { untilConverged?: true; timeLimit: string; printConfig?: true }) =>
      demoCommand(parts, { ...options, timeLimitSeconds: secondsOf(options.timeLimit) }, terminal, signal),
    );

  program
    .command('version')
    .description('Prints the version.')
    .action(() => print(version));

  for (const part of parts) addPartCommands(program, part, withConfiguration, parts, safe, signal);

  program
    .command('completion')
    .description('Prints a script that lets a shell complete commands and options: source <(fairlead completion bash)')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => print(completionCommand(program, parts, shell)));
  return program;
}

function subjectOf(words: readonly string[], namespace: string | undefined, parts: readonly Part[]): Subject {
  return parseSubject(words, namespace, [...new Set(parts.flatMap((part) => part.explains))]);
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (seconds > 0) return seconds;
  throw new FairleadError(`--time-limit takes a number of seconds above 0, not ${text}`, {
    verdict: 'terminal',
    code: 'usage',
  });
}

/** `fairlead <part> <command>`, the commands of the part at the top level, and the one that runs it alone. */
function addPartCommands(
  program: Command,
  part: Part,
  withConfiguration: (command: Command) => Command,
  parts: readonly Part[],
  { print }: Terminal,
  signal: AbortSignal,
): void {
  let group: Command | undefined;
  if (part.standalone !== undefined) {
    const { command, summary, isReplaceable } = part.standalone;
    const alone = withConfiguration(program.command(command)).description(summary);
    if (isReplaceable === true) alone.option(...SUPERVISED);
    alone.action(async ({ config, supervised }: { config: string; supervised?: true }) => {
      if (supervised !== true) return runAloneCommand(config, parts, part, signal);
      const exitCode = await superviseCommand(config, command, signal);
      if (exitCode !== 0) throw new Ending(exitCode);
    });
    if (command === part.name) group = alone;
  }
  for (const declared of part.commands) {
    if (declared.atTopLevel !== true) group ??= program.command(part.name).description(part.summary);
    const command = describeCommand(declared.atTopLevel === true ? program : (group ?? program), declared);
    if (declared.needs === 'configuration') withConfiguration(command);
    command.action((...given: unknown[]) => {
      // A command above it that also takes the file is handed it first.
      const { config, ...options }: Record<string, string | true> = command.optsWithGlobals();
      const words = given.slice(0, command.registeredArguments.length).flat().filter(isText);
      const file = isText(config) ? config : DEFAULT_FILE;
      return partCommand(declared, { words, options, file }, part, parts, print, signal);
    });
  }
}

function describeCommand(under: Command, { name, summary, arguments: words = [], options = [] }: PartCommand<unknown>) {
  const command = under.command(name).description(summary);
  for (const argument of words) command.argument(argument.name, argument.summary);
  for (const option of options) addOption(command, option);
  return command;
}

function addOption(command: Command, { flags, summary, default: otherwise, isRequired }: CommandOption): void {
  if (isRequired === true) command.requiredOption(flags, summary, otherwise);
  else command.option(flags, summary, otherwise);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function helpText(name: string, parts: readonly Part[]): string {
  const classes = parts.flatMap((part) =>
    part.loadBalancerClass === undefined ? [] : [`  ${part.loadBalancerClass}\n      ${part.summary}`],
  );
  const demo = isDemoIncluded
    ? `\n  ${name} demo                                    see it work, without a cluster`
    : '';
  return `
Services choose their load balancer by spec.loadBalancerClass:
${classes.join('\n')}

Examples:${demo}
  ${name} plan --config fairlead.yaml             what it would do; nothing is changed
  ${name} run --config fairlead.yaml              do it, and keep doing it
  ${name} check --config fairlead.yaml            is anything missing before it can work
  ${name} why service default/web                 why a Service has no address`;
}
