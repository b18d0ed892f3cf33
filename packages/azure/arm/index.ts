export * from './arm-error.ts';
export * from './arm-id.ts';
export { armMetrics } from './arm-metrics.ts';
export * from './call.ts';
export * from './client.ts';
export * from './cloud-configuration.ts';
export type { RepeatPolicy } from './connection.ts';
export * from './types/index.ts';
export { REPEATED_STATUSES } from './verdict.ts';
