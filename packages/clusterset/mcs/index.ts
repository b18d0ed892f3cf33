export { olderImportOf } from './older-import.ts';
export { servedMcsVersion } from './served-version.ts';
export {
  type ImportType,
  MCS_GROUP,
  type McsVersion,
  SERVICE_NAME,
  type ServiceImport,
  serviceImports,
  SOURCE_CLUSTER,
} from './types.ts';
