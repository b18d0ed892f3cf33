/** A call that is under way. */
export interface OpenCall {
  readonly server: string;
  /** Nothing comes any more, although it did not end, and its caller has yet to notice. */
  readonly isUnheard: boolean;
  /** The caller is gone. */
  close(): void;
  /** Breaks off in the middle. */
  reset(): void;
}

/** A simulated process as the network sees it. */
export interface Caller {
  readonly name: string;
  readonly alive: boolean;
  readonly monotonic: () => number;
  /** Calls back in the process's own time: not while it is paused, and never once it is dead. */
  later(delayMilliseconds: number, callback: () => void): void;
  /** Dies at once, and starts again after this long. */
  crash(restartAfterMilliseconds: number): void;
  holdOpen(call: OpenCall): void;
  letGo(call: OpenCall): void;
}
