export { FakeSockets } from './fake-sockets.ts';
export { lookUp } from './lookup.ts';
