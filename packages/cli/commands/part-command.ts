import { FairleadError } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import type { Part, PartCommand } from '@fairlead/part';
import { requirePermissions } from '../permissions.ts';
import { look } from './read-only.ts';

/** What was typed. */
export interface GivenWords {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | true>>;
  /** The configuration file. */
  readonly file: string;
}

/** A command of a part's own. What it needs in the cluster is asked for before it does anything. */
export async function partCommand(
  command: PartCommand<unknown>,
  { words, options, file }: GivenWords,
  part: Part,
  parts: readonly Part[],
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const invocation = { words, options, clock: systemClock, signal, print };
  if (command.needs === 'nothing') return command.run(invocation);
  await look(file, parts, signal, async ({ active, environment, configuration }) => {
    const found = active.find((candidate) => candidate.part.name === part.name);
    if (found === undefined) {
      throw new FairleadError(`the part ${part.name} is not configured: add parts.${part.name} to ${file}`, {
        verdict: 'terminal',
        code: 'part-not-configured',
      });
    }
    const { namespace } = configuration.leaderElection;
    await requirePermissions(environment.client, command.permissions ?? [], namespace, signal);
    await command.run({ ...invocation, configuration: found.section, environment });
  });
}
