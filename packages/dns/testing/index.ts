export { FakeSockets } from './fake-sockets.ts';
export { lookUp } from './lookup.ts';
export { TestZone } from './test-zone.ts';
