export * from './clock.ts';
export * from './errors.ts';
export * from './http.ts';
export * from './log.ts';
export * from './metrics.ts';
export * from './random.ts';
export * from './virtual-clock.ts';
