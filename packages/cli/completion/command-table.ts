import type { Command } from 'commander';

/** A word that may come next on a command line. */
export interface Word {
  readonly name: string;
  /** The letter of an option: `-c`. */
  readonly short?: string | undefined;
  readonly summary: string;
}

/** An option that wants a value behind it. */
export interface ValueOption {
  /** `-c` and `--config`. */
  readonly flags: readonly string[];
  readonly value: 'file' | 'other' | readonly string[];
}

/** What may follow the words of a command: `clusterset status`, and nothing for the program itself. */
export interface TableEntry {
  readonly command: string;
  readonly words: readonly Word[];
}

export interface CommandTable {
  readonly entries: readonly TableEntry[];
  readonly options: readonly ValueOption[];
}

/** Reads the table from the commands themselves. `choices`: name of an argument or value -> what it may be. */
export function commandTable(program: Command, choices: ReadonlyMap<string, readonly string[]>): CommandTable {
  const options = new Map<string, ValueOption>();
  const entries: TableEntry[] = [];
  const visit = (command: Command, path: readonly string[]) => {
    for (const { flags, short, long, required } of command.options) {
      if (required && long !== undefined)
        options.set(long, { flags: named(short, long), value: valueOf(flags, choices) });
    }
    entries.push({ command: path.join(' '), words: wordsOf(command, path.length === 0, choices) });
    for (const below of shown(command)) visit(below, [...path, below.name()]);
  };
  visit(program, []);
  return { entries, options: [...options.values()] };
}

function wordsOf(
  command: Command,
  isProgram: boolean,
  choices: ReadonlyMap<string, readonly string[]>,
): readonly Word[] {
  const below = shown(command).map((one) => ({ name: one.name(), summary: one.description() }));
  const help = isProgram ? [{ name: 'help', summary: 'Shows the help of a command.' }] : [];
  const values = command.registeredArguments.flatMap((argument) =>
    (choices.get(argument.name()) ?? []).map((name) => ({ name, summary: argument.description })),
  );
  const options = command.options.map(({ long, short, flags, description }) => ({
    name: long ?? flags,
    short,
    summary: description,
  }));
  return [...below, ...help, ...values, ...options, { name: '--help', summary: 'Shows help.' }];
}

/** Those that help shows: a bundle hides the demo, which it has no world for. */
function shown(command: Command): readonly Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return command.commands.filter((one) => visible.includes(one));
}

function valueOf(flags: string, choices: ReadonlyMap<string, readonly string[]>): ValueOption['value'] {
  const name = /<([^>]+)>/.exec(flags)?.[1] ?? '';
  return name === 'file' ? 'file' : (choices.get(name) ?? 'other');
}

function named(...flags: readonly (string | undefined)[]): readonly string[] {
  return flags.filter((flag) => flag !== undefined);
}
