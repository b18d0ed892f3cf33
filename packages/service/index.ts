export * from './class-claim.ts';
