export { ANY_SERVER, connectionOver } from './connection-over.ts';
export { documentsOf } from './documents.ts';
export { FakeApi } from './fake-api.ts';
