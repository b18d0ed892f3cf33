export * from './connect.ts';
export * from './open-azure.ts';
