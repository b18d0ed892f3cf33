import type { CommandOutcome, Host, HostCommand } from '../auth/host.ts';

/** A machine in memory. */
export class FakeHost implements Host {
  readonly files = new Map<string, string>();
  readonly variables = new Map<string, string>();
  readonly homeDirectory = '/home/operator';
  /** Every command that was run. */
  readonly commands: HostCommand[] = [];
  outcome: (command: HostCommand) => CommandOutcome | Promise<CommandOutcome> = () => ({ kind: 'not-found' });

  readFile(path: string): Promise<string | undefined> {
    return Promise.resolve(this.files.get(path));
  }

  environment(name: string): string | undefined {
    return this.variables.get(name);
  }

  async run(command: HostCommand): Promise<CommandOutcome> {
    this.commands.push(command);
    return this.outcome(command);
  }
}
