/** What the machine offers to find the way to a cluster: files, the environment, and programs that give credentials. */
export interface Host {
  /** Undefined when there is no such file; rejects when it cannot be read. */
  readFile(path: string): Promise<string | undefined>;
  environment(name: string): string | undefined;
  readonly homeDirectory: string;
  run(command: HostCommand): Promise<CommandOutcome>;
}

/** A program to be run, such as an exec plugin. */
export interface HostCommand {
  /** A path, or a name to be looked up on the PATH. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to our own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Kills it. */
  readonly signal: AbortSignal;
}

/** How it ended, or why it did not start. */
export type CommandOutcome =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly output: string; readonly errors: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-executable' };
