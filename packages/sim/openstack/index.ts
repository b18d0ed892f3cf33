export type { LoggedCall } from '../cloud/call-log.ts';
export type { FaultMatch, ScriptedFault } from '../cloud/fault-script.ts';
export { AMPHORA_DURATION, type BehaviourChanges, REAL_LATENCY } from './behaviour.ts';
export * from './emulator.ts';
export { openStackDialect } from './openstack-dialect.ts';
export type { Project } from './keystone/identity.ts';
