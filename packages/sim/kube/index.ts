export type { AccessQuestion, Authorize, User } from './server/access.ts';
export { SimulatedKube, type SimulatedKubeOptions } from './simulated-kube.ts';
