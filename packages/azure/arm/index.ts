export * from './arm-id.ts';
export * from './client/call.ts';
export * from './client/client.ts';
export { armMetrics } from './client/metrics.ts';
export * from './configuration/cloud-configuration.ts';
export * from './errors/arm-error.ts';
export * from './holds.ts';
export * from './part/azure-access.ts';
export * from './types/index.ts';
