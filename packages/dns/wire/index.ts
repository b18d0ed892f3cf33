export * from './codes.ts';
export * from './name.ts';
export * from './query.ts';
export * from './records.ts';
export * from './reply.ts';
