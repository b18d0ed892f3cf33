export type { OtherPaths } from './server/api-server.ts';
export type { AccessQuestion, Authorize, User } from './server/access.ts';
export { SimulatedKube, type SimulatedKubeOptions } from './simulated-kube.ts';
