/** What a watch is doing. Times are wall time. */
export type WatchPhase =
  | { readonly state: 'listing' | 'watching' | 'stopped'; readonly since: number }
  | { readonly state: 'waiting'; readonly since: number; readonly until: number };

export interface WatchFailure {
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** How many there were in a row, this one included. */
  readonly attempts: number;
}

export interface WatchStatus {
  readonly phase: WatchPhase;
  /** The last failure since the last success. */
  readonly failure: WatchFailure | undefined;
  /** When the last event or bookmark came. */
  readonly lastEventAt: number | undefined;
}
