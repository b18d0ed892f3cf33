/** What benches need of the engine and of the worlds its own tests run in. */
export { Inventory } from '../cloud/inventory.ts';
export { Repository } from '../cloud/repository.ts';
export { EnginePump } from '../pump.ts';
export { StateJournal } from '../report/state-journal.ts';
export { newAzure, scope } from './azure-bench.ts';
export { GatewayCluster } from './cluster.ts';
export { Replica } from './replica.ts';
export { inboundSpec } from './specs.ts';
