export type { ControllerOptions } from './controllers/start.ts';
export type { ServiceRanges } from './kinds/service/allocation.ts';
export type { ClusterPlayer, NodeDescription, PlayerOptions, PodDescription } from './players/cluster-player.ts';
export type { AccessQuestion, Authorize, User } from './server/access/access.ts';
export { SimulatedKube, type SimulatedKubeOptions } from './simulated-kube.ts';
