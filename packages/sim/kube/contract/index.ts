export { readTranscript, writeTranscript } from './adapters/transcripts.ts';
export type { ContractEndpoint } from './endpoint.ts';
export { playScene, type Scene } from './scene.ts';
export { contractScenes } from './scenes/index.ts';
export type { TranscriptEntry } from './stage.ts';
