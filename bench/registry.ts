import type { Bench } from './bench.ts';
import { watchBench } from './watch/watch-bench.ts';

export const benches: readonly Bench[] = [watchBench];
