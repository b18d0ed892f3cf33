import { type ChildProcess, fork } from 'node:child_process';

/** A child process that answers one request at a time, until its parent hangs up. */
export class AskedProcess<Request extends object, Answer> {
  readonly #child: ChildProcess;

  /** One in a group of its own can be killed with all that it started, and does not hear a Ctrl+C. */
  constructor(module: URL, { inOwnGroup = false } = {}) {
    this.#child = fork(module, { detached: inOwnGroup });
  }

  ask(request: Request): Promise<Answer> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const settle = (action: () => void) => {
        child.off('message', onMessage);
        child.off('exit', onExit);
        action();
      };
      const onMessage = (answer: Answer) => settle(() => resolve(answer));
      const onExit = (code: number | null) =>
        settle(() => reject(new Error(`the process ended with ${code ?? 'a signal'} at ${JSON.stringify(request)}`)));
      child.on('message', onMessage);
      child.on('exit', onExit);
      child.send(request);
    });
  }

  /** Resolves when it has ended. */
  hangUp(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#child.once('exit', () => resolve());
    this.#child.disconnect();
    return promise;
  }

  /** For one in a group of its own that no longer hears that it was hung up on. */
  kill(): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
  }
}
