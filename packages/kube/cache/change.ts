/**
 * What became of one object. `initial` marks what was there before: the first list, and what a handler that comes
 * late is told on arrival.
 */
export type CacheChange<Kept> =
  | { readonly type: 'add'; readonly key: string; readonly after: Kept; readonly initial: boolean }
  | {
      readonly type: 'update';
      readonly key: string;
      readonly before: Kept;
      readonly after: Kept;
      readonly initial: boolean;
    }
  | { readonly type: 'delete'; readonly key: string; readonly before: Kept; readonly initial: boolean };

/** Is told of each change, in order. Must be quick: all others wait. What it throws is logged. */
export type CacheHandler<Kept> = (change: CacheChange<Kept>) => void;
