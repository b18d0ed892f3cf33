/**
 * Finds the longest slice: the most processor time that the main thread spends between two turns of the event loop.
 *
 * An immediate that sets itself again runs once in each turn, after the timers and sockets that were due; what the
 * thread used since the one before (parsing, handlers and its share of garbage collection alike) is what everything
 * else had to wait for. Processor time and not the time of the clock, which other programs on the machine would
 * stretch. The probe keeps the loop spinning, so that a run with it says nothing about throughput.
 */
export class SliceProbe {
  longestMilliseconds = 0;
  #usedBefore = threadMilliseconds();
  #next: NodeJS.Immediate = setImmediate(() => this.#look());

  stop(): void {
    clearImmediate(this.#next);
  }

  #look(): void {
    const used = threadMilliseconds();
    this.longestMilliseconds = Math.max(this.longestMilliseconds, used - this.#usedBefore);
    this.#usedBefore = used;
    this.#next = setImmediate(() => this.#look());
  }
}

function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
