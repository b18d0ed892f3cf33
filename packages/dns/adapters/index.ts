export { systemSockets } from './sockets.ts';
