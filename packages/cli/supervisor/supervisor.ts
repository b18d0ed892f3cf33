import { Backoff, type BackoffPolicy, type Clock, type Logger, type Random, sleep } from '@fairlead/control';

/** A process that does the work, on sockets that it shares with the one after it. */
export interface Worker {
  readonly pid: number;
  /** Resolves when it does its work for the first time; never, where it does not get there. */
  readonly ready: Promise<void>;
  /** Its exit code. */
  readonly ended: Promise<number>;
  /** Asks it to finish what it has begun, and to end. */
  stop(): void;
}

export interface SupervisorOptions {
  readonly start: () => Worker;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const RESTART: BackoffPolicy = { initialMilliseconds: 500, maximumMilliseconds: 30_000, factor: 2, jitter: 0.25 };

/** Keeps one worker at work: one that dies is started again, and one that is to be replaced stops when the next is ready. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff: Backoff;
  readonly #workers = new Set<Worker>();
  #asked = Promise.withResolvers<void>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.random, RESTART);
  }

  /** Has the worker replaced by one that reads its program and its configuration anew. */
  replace(): void {
    this.#asked.resolve();
  }

  /** Until the signal aborts, and all workers have ended. Gives the exit code of the first where that never got ready. */
  async run(signal: AbortSignal): Promise<number> {
    const stopped = new Promise<'stopped'>((resolve) => {
      signal.addEventListener('abort', () => resolve('stopped'), { once: true });
    });
    try {
      const first = this.#start();
      const outcome = await Promise.race([readyOrEnded(first), stopped]);
      if (typeof outcome === 'number') return outcome;
      let current = first;
      while (!signal.aborted) {
        const event = await Promise.race([current.ended, this.#replacementAsked(), stopped]);
        if (event === 'replace') current = await this.#succeed(current, stopped);
        else if (event !== 'stopped') current = await this.#restart(current, event, signal);
      }
      return 0;
    } finally {
      for (const worker of this.#workers) worker.stop();
      await Promise.all([...this.#workers].map(({ ended }) => ended));
    }
  }

  #start(): Worker {
    const worker = this.#options.start();
    this.#workers.add(worker);
    void worker.ended.then(() => this.#workers.delete(worker));
    return worker;
  }

  async #replacementAsked(): Promise<'replace'> {
    await this.#asked.promise;
    return 'replace';
  }

  async #restart({ pid }: Worker, exitCode: number, signal: AbortSignal): Promise<Worker> {
    const { clock, logger } = this.#options;
    logger.error({ pid, exitCode }, 'the process that does the work died: another one is started');
    await sleep(clock, this.#backoff.next(), signal).catch(() => {});
    const next = this.#start();
    void next.ready.then(() => this.#backoff.reset());
    return next;
  }

  /** The next worker once it is ready, else the one that is there: what cannot start replaces nothing. */
  async #succeed(current: Worker, stopped: Promise<'stopped'>): Promise<Worker> {
    const { logger } = this.#options;
    this.#asked = Promise.withResolvers();
    const next = this.#start();
    const outcome = await Promise.race([readyOrEnded(next), this.#replacementAsked(), stopped]);
    if (typeof outcome === 'number') {
      logger.error({ exitCode: outcome }, 'the next process ended before it was ready: the one before it goes on');
      return current;
    }
    if (outcome !== 'ready') {
      next.stop();
      return current;
    }
    logger.info({ pid: next.pid, before: current.pid }, 'the work was handed over');
    current.stop();
    return next;
  }
}

async function readyOrEnded({ ready, ended }: Worker): Promise<'ready' | number> {
  return Promise.race([ready.then(() => 'ready' as const), ended]);
}
