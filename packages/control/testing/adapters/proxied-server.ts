import { once } from 'node:events';
import { createServer as createProxy, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { connect, type Server, type Socket } from 'node:net';
import { authority, serverCertificate, serverKey } from '../../adapters/testing/certificates.ts';

/** A server that only its proxy can reach: no name server knows it. */
export interface ProxiedServer extends AsyncDisposable {
  /** `https://server.test`, signed by `authority`. */
  readonly origin: string;
  /** In PEM. */
  readonly authority: string;
  /** The URL of the proxy. */
  readonly proxy: string;
  /** What the proxy was asked for: `CONNECT server.test:443`, with the credentials that it was shown. */
  readonly asked: readonly string[];
}

const NAME = 'server.test';

/** Serves HTTPS behind a proxy that makes connections (CONNECT) to this server, and to no other. */
export async function serveBehindProxy(listener: RequestListener): Promise<ProxiedServer> {
  const asked: string[] = [];
  const server = createServer({ cert: serverCertificate, key: serverKey }, listener);
  const sockets = new Set<Socket>();
  const port = await listen(server, sockets);
  const proxy = createProxy().on('connect', ({ url = '', headers }, client: Socket) => {
    const shown = headers['proxy-authorization'];
    asked.push(`CONNECT ${url}${shown === undefined ? '' : ` as ${shown}`}`);
    if (url !== `${NAME}:443`) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const onwards = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onwards.pipe(client).pipe(onwards);
    });
    onwards.on('error', () => client.destroy());
    client.on('error', () => onwards.destroy());
  });
  const proxyPort = await listen(proxy, sockets);
  return {
    origin: `https://${NAME}`,
    authority,
    proxy: `http://127.0.0.1:${proxyPort}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([server, proxy].map((one) => once(one.close(), 'close')));
    },
  };
}

async function listen(server: Server, sockets: Set<Socket>): Promise<number> {
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
