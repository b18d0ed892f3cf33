export * from './cluster.ts';
export * from './controller/comparison.ts';
export * from './controller/deletion-guard.ts';
export * from './controller/health.ts';
export * from './controller/object-controller.ts';
export * from './controller/outcome-counts.ts';
export * from './part.ts';
export * from './run-part.ts';
