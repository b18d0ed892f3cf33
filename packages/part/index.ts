export * from './demo.ts';
export * from './explanation.ts';
export * from './part.ts';
export * from './permission.ts';
export * from './plan.ts';
export * from './readiness.ts';
export * from './run-part.ts';
export * from './status.ts';
