export { loadBatchUdp } from './batch-udp.ts';
export { systemSockets } from './sockets.ts';
