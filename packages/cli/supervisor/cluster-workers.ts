import cluster from 'node:cluster';
import { argv } from 'node:process';
import type { Worker } from './supervisor.ts';

const READY = 'ready';

/** Starts this program again with these words, on listening sockets that all of them share. */
export function startWorker(words: readonly string[]): Worker {
  // Each takes connections and packets from the sockets by itself: what one leaves there is for the next.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ ...(argv[1] === undefined ? {} : { exec: argv[1] }), args: [...words] });
  const started = cluster.fork();
  const { process: child } = started;
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  started.on('message', (message: unknown) => {
    if (message === READY) ready.resolve();
  });
  started.on('exit', (code: number | null) => ended.resolve(code ?? 1));
  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    ended: ended.promise,
    stop: () => void child.kill('SIGTERM'),
  };
}

/** Tells the supervisor, where there is one, that the work is being done. */
export function tellSupervisor(): void {
  if (cluster.isWorker) process.send?.(READY);
}
