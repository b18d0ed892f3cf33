export { DEMO_CLUSTERSET, DEMO_PEERS, demoClusters, demoWorkload } from './demo.ts';
export { mcsDefinitions } from './mcs/definitions.ts';
export { type ServiceExport, type ServiceImport, serviceExports, serviceImports } from './mcs/types.ts';
export { joinSteps, leaveSteps } from './membership/membership.ts';
export { clusterSetPart, type Outside } from './part.ts';
