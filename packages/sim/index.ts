export * from './simulation/index.ts';
