export * from './child-process.ts';
export * from './clock.ts';
export * from './http.ts';
export * from './random.ts';
