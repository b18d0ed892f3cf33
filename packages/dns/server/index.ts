export * from './counts.ts';
export * from './dns-server.ts';
export * from './forwarder.ts';
export * from './responder.ts';
export * from './sockets.ts';
