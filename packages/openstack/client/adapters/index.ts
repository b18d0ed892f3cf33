export * from './open-cloud.ts';
export type { CloudSource } from './read-cloud.ts';
