export { type KubeServer, type KubeServerOptions, serveKube } from './server.ts';
