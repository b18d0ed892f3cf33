export { transcripts } from './adapters/transcripts.ts';
export type { ContractEndpoint } from './endpoint.ts';
export { playScene, type Scene } from './scene.ts';
export { contractScenes } from './scenes/index.ts';
export { type CallOptions, Stage, type TranscriptEntry } from './stage.ts';
export { isJsonList, isJsonObject, type Json, type JsonObject, objectOf, textOf, valueAt } from '../../json.ts';
