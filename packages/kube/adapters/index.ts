export * from './connect.ts';
export * from './host.ts';
