export * from './name-table.ts';
export * from './record-set.ts';
export * from './record-text.ts';
export * from './service-records.ts';
export * from './service-view.ts';
export type * from './settings.ts';
export * from './zone-index.ts';
export * from './zone-records.ts';
