export { armDialect } from './arm-dialect.ts';
export { type ArmBehaviour, type Span } from './behaviour.ts';
export { type LoggedCall, lineOf } from './call-log.ts';
export * from './emulator.ts';
export type { FaultMatch, RetryAfterForm, ScriptedFault } from './fault-script.ts';
export type { BucketSize, RateLimits } from './rate-limit.ts';
export { Refusal } from './requests/refusal.ts';
export type { RootKind } from './requests/target.ts';
