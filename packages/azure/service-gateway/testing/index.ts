/** What benches need of the engine and of the worlds its own tests run in. */
export { Inventory } from '../inventory.ts';
export { Repository } from '../repository.ts';
export { RunningEngine } from '../running-engine.ts';
export { newAzure, scope } from './azure-bench.ts';
export { GatewayCluster } from './cluster.ts';
export { Replica } from './replica.ts';
export { inboundSpec } from './specs.ts';
