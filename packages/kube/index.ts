export * from './connection.ts';
export * from './resource.ts';
export * from './types/meta.ts';
