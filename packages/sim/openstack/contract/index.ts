export { transcripts } from './adapters/transcripts.ts';
export type { ContractCloud } from './endpoint.ts';
export { playScene } from './scene.ts';
export { contractScenes } from './scenes/index.ts';
