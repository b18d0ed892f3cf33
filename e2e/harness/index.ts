export type { WriteRequest } from './audit-log.ts';
export type { HeldCall } from './azure.ts';
export { type AccessRule, type Cluster, type Identity, startCluster } from './cluster.ts';
export type { Outcome } from '../../scripts/run-command.ts';
export type { ControlPlaneOptions } from './control-plane.ts';
export { eventually, type Patience } from './eventually.ts';
export { Fairlead, type RunningFairlead } from './fairlead.ts';
export { EGRESS_LABEL, ServiceGatewayStage } from './service-gateway-stage.ts';
export { type PlayedNode, type PlayedPod, playNode, playPod, removePod, setPodReady } from './workload.ts';
