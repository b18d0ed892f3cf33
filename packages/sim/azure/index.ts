export { armDialect } from './arm-dialect.ts';
export { type ArmBehaviour, type Span } from './behaviour.ts';
export { CallLog, lineOf, type LoggedCall } from './call-log.ts';
export * from './emulator.ts';
export { type FaultMatch, FaultScript, type RetryAfterForm, type ScriptedFault } from './fault-script.ts';
export { AZURE_RATE_LIMITS, type BucketSize, type RateLimits } from './rate-limit.ts';
export { Refusal } from './refusal.ts';
export type { RootKind } from './target.ts';
