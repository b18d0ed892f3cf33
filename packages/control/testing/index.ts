export * from './adapters/cpu-time.ts';
export * from './adapters/golden-folder.ts';
export * from './recorded-metrics.ts';
export * from './virtual-time.ts';
export * as certificates from '../adapters/testing/certificates.ts';
export * from './adapters/proxied-server.ts';
