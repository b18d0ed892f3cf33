export * from './adapters/golden-folder.ts';
