import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGzip, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { FairleadError } from '../errors.ts';
import { type HttpRequest, readText } from '../network/http.ts';
import { SocketTransport, type SocketTransportOptions, type TlsOptions } from './http.ts';
import * as certificates from './testing/certificates.ts';

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function transport(options?: SocketTransportOptions): SocketTransport {
  const created = new SocketTransport(options);
  cleanUps.push(() => created.close());
  return created;
}

async function listen(server: Server, scheme = 'http'): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `${scheme}://127.0.0.1:${address.port}`;
}

const serve = (listener: RequestListener) => listen(createHttpServer(listener));

const serveTls = (options: ServerOptions) =>
  listen(
    createHttpsServer(options, (_request, response) => void response.end('secret')),
    'https',
  );

const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: {},
  ...more,
});

/** The error with which the promise rejects, which must be one of ours. */
async function failureOf(promise: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FairleadError)) throw new Error('expected a FairleadError', { cause: error });
  return error;
}

describe('socket transport', () => {
  it('carries method, path, query, headers and body, and brings back status, headers and body', async () => {
    const origin = await serve((request, response) => {
      const line = `${request.method} ${request.url} ${String(request.headers['x-token'])} `;
      response.writeHead(201, { 'X-Repeated': ['a', 'b'], 'Content-Type': 'text/plain' });
      response.write(line);
      request.pipe(response);
    });
    const response = await transport().send({
      method: 'POST',
      url: `${origin}/api/v1/services?dryRun=All`,
      headers: { 'x-token': 'abc' },
      body: '{"größe":1}',
    });
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({ 'x-repeated': 'a, b', 'content-type': 'text/plain' });
    expect(await readText(response)).toBe('POST /api/v1/services?dryRun=All abc {"größe":1}');
  });

  it('sends a line for each value of a repeated header', async () => {
    const origin = await serve((request, response) => void response.end(JSON.stringify(request.rawHeaders)));
    const repeatedHeaders = { 'impersonate-group': ['ops, both', 'dev'], 'impersonate-extra-none': [] };
    const lines: unknown = JSON.parse(await readText(await transport().send(get(origin, { repeatedHeaders }))));
    const named = (name: string) => (_value: unknown, index: number, all: unknown[]) =>
      index % 2 === 1 && all[index - 1] === name;
    if (!Array.isArray(lines)) throw new Error('no lines');
    expect(lines.filter(named('impersonate-group'))).toEqual(['ops, both', 'dev']);
    expect(lines).not.toContain('impersonate-extra-none');
  });

  it('decompresses what the server compressed, piece by piece', async () => {
    const gzip = createGzip();
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      gzip.pipe(response);
      gzip.write('first');
      gzip.flush();
    });
    const response = await transport().send(get(origin));
    const seen: string[] = [];
    for await (const piece of response.body) {
      seen.push(new TextDecoder().decode(piece));
      if (seen.length === 1) gzip.end('second');
    }
    expect(seen).toEqual(['first', 'second']);
  });

  it('closes the connection when a compressed body is left early', async () => {
    const closed = Promise.withResolvers<void>();
    const origin = await serve((request, response) => {
      request.socket.once('close', () => closed.resolve());
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(gzipSync('first'));
    });
    const response = await transport().send(get(origin));
    for await (const piece of response.body) {
      expect(new TextDecoder().decode(piece)).toBe('first');
      break;
    }
    await closed.promise;
  });

  it.each([
    ['connection-reset', 'ends in the middle', (body: Buffer) => body.subarray(0, 20)],
    ['garbled-response', 'is garbled', (body: Buffer) => Buffer.concat([body.subarray(0, 12), body])],
  ])('fails with %s when a compressed body %s', async (code, _, spoil) => {
    const body = spoil(gzipSync('x'.repeat(100) + Math.PI.toString().repeat(10)));
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(body);
    });
    const response = await transport().send(get(origin));
    expect(await failureOf(readText(response))).toMatchObject({ verdict: 'retriable', code });
  });

  it('resolves for an error status as for any other', async () => {
    const origin = await serve((_request, response) => void response.writeHead(503).end('later'));
    const response = await transport().send(get(origin));
    expect([response.status, await readText(response)]).toEqual([503, 'later']);
  });

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>();
    const origin = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('x');
    });
    const shared = transport();
    for (let count = 0; count < 20; count += 1) await readText(await shared.send(get(origin)));
    expect(ports.size).toBeLessThan(5);
  });

  it('never lets streaming requests hold up a write', async () => {
    const origin = await serve((request, response) => {
      if (request.method === 'PUT') response.end('written');
      else response.writeHead(200).write('first');
    });
    const shared = transport();
    const watches = await Promise.all(Array.from({ length: 100 }, () => shared.send(get(origin, { streaming: true }))));
    const written = await shared.send({ method: 'PUT', url: origin, headers: {}, body: 'x' });
    expect(await readText(written)).toBe('written');
    expect(watches.every((watch) => watch.status === 200)).toBe(true);
  });

  it('closes the connection when the body is left early', async () => {
    const closed = Promise.withResolvers<void>();
    const origin = await serve((request, response) => {
      request.socket.once('close', () => closed.resolve());
      response.write('first');
    });
    const response = await transport().send(get(origin, { streaming: true }));
    for await (const piece of response.body) {
      expect(new TextDecoder().decode(piece)).toBe('first');
      break;
    }
    await closed.promise;
  });

  it('gives each piece of a stream as it arrives', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    const origin = await serve((_request, response) => {
      response.write('one');
      held.resolve(response);
    });
    const response = await transport().send(get(origin, { streaming: true }));
    const seen: string[] = [];
    for await (const piece of response.body) {
      seen.push(new TextDecoder().decode(piece));
      if (seen.length === 1) (await held.promise).end('two');
    }
    expect(seen).toEqual(['one', 'two']);
  });

  it('rejects with the reason of the signal while it waits for a response', async () => {
    const arrived = Promise.withResolvers<IncomingMessage>();
    const origin = await serve((request) => arrived.resolve(request));
    const controller = new AbortController();
    const sending = transport().send(get(origin, { signal: controller.signal }));
    const request = await arrived.promise;
    const closed = once(request.socket, 'close');
    controller.abort(new Error('lease lost'));
    await expect(sending).rejects.toThrow('lease lost');
    await closed;
  });

  it('rejects with the reason of the signal while the body arrives', async () => {
    const origin = await serve((_request, response) => void response.write('first'));
    const controller = new AbortController();
    const response = await transport().send(get(origin, { signal: controller.signal, streaming: true }));
    const reading = (async () => {
      for await (const piece of response.body) if (piece.length > 0) controller.abort(new Error('lease lost'));
    })();
    await expect(reading).rejects.toThrow('lease lost');
  });

  it('does not even connect when the signal has already aborted', async () => {
    let connections = 0;
    const server = createTcpServer(() => {
      connections += 1;
    });
    const origin = await listen(server);
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(transport().send(get(origin, { signal }))).rejects.toThrow('too late');
    expect(connections).toBe(0);
  });

  it('does not wait for the connection to be made when it is aborted', async () => {
    // A TCP server that never answers the TLS handshake.
    const connected = Promise.withResolvers<void>();
    const server = createTcpServer(() => connected.resolve());
    const origin = await listen(server, 'https');
    const controller = new AbortController();
    const sending = transport().send(get(origin, { signal: controller.signal }));
    await connected.promise;
    controller.abort(new Error('stopped'));
    await expect(sending).rejects.toThrow('stopped');
  });
});

describe('a request that gets no response', () => {
  it('is refused where nothing listens', async () => {
    const origin = await listen(createTcpServer());
    await cleanUps.pop()?.();
    const failure = await failureOf(transport().send(get(`${origin}/secret?token=abc`)));
    expect(failure).toMatchObject({ verdict: 'retriable', code: 'connection-refused' });
    const fix = 'check the address and the port, and whether it runs';
    expect(failure.message).toBe(`cannot talk to ${origin}: nothing listens there: ${fix} (ECONNREFUSED)`);
  });

  it('is reset when the server hangs up before it answers', async () => {
    const origin = await listen(createTcpServer((socket) => socket.once('data', () => void socket.destroy())));
    expect(await failureOf(transport().send(get(origin)))).toMatchObject({
      verdict: 'retriable',
      code: 'connection-reset',
    });
  });

  it('is reset when the server hangs up in the middle of the body', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('the beginning', () => response.destroy());
    });
    const response = await transport().send(get(origin));
    expect(await failureOf(readText(response))).toMatchObject({ verdict: 'retriable', code: 'connection-reset' });
  });

  it('names a host that does not exist', async () => {
    const failure = await failureOf(transport().send(get('http://no-such-host.invalid')));
    expect(failure.verdict).toBe('retriable');
    expect(failure.code).toMatch(/^name-(not-found|lookup-failed)$/);
    expect(failure.message).toContain('no-such-host.invalid');
  });

  it('times out when the connection, the head or the body does not come, but lets a stream be silent', async () => {
    // The TLS handshake is part of connecting, and this server never answers it.
    const silent = await listen(createTcpServer(), 'https');
    const headless = await serve(() => {});
    const stalling = await serve((_request, response) => void response.write('first'));
    const reading = transport({ bodyTimeoutMilliseconds: 20 });
    const stream = await reading.send(get(stalling, { streaming: true }));
    const failures = await Promise.all([
      failureOf(transport({ connectTimeoutMilliseconds: 20 }).send(get(silent))),
      failureOf(transport({ responseTimeoutMilliseconds: 20 }).send(get(headless))),
      failureOf(reading.send(get(stalling)).then(readText)),
    ]);
    for (const failure of failures) expect(failure).toMatchObject({ verdict: 'retriable', code: 'timeout' });
    expect(failures.map((failure) => failure.message)).toEqual([
      `cannot talk to ${silent}: the connection could not be made in time (UND_ERR_CONNECT_TIMEOUT)`,
      `cannot talk to ${headless}: no response came in time (UND_ERR_HEADERS_TIMEOUT)`,
      `cannot talk to ${stalling}: the response stopped arriving (UND_ERR_BODY_TIMEOUT)`,
    ]);
    for await (const piece of stream.body) {
      expect(new TextDecoder().decode(piece)).toBe('first');
      break;
    }
  });

  it('tells a server that speaks something else', async () => {
    const origin = await listen(createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
    expect(await failureOf(transport().send(get(origin)))).toMatchObject({ verdict: 'retriable', code: 'not-http' });
  });

  it('is refused, terminally, for a URL that is none', async () => {
    for (const url of ['10.0.0.1:6443', 'ftp://host/', '']) {
      expect(await failureOf(transport().send(get(url)))).toMatchObject({ verdict: 'terminal', code: 'invalid-url' });
    }
  });

  it('is refused, terminally, for a header that cannot be written', async () => {
    const origin = await serve((_request, response) => void response.end());
    const failure = await failureOf(transport().send(get(origin, { headers: { authorization: 'Bearer a\nb' } })));
    expect(failure).toMatchObject({ verdict: 'terminal', code: 'invalid-request' });
  });

  it('is rejected once the transport is closed, also when it was under way', async () => {
    const arrived = Promise.withResolvers<void>();
    const origin = await serve(() => arrived.resolve());
    const closing = transport();
    const underWay = failureOf(closing.send(get(origin, { streaming: true })));
    await arrived.promise;
    await closing.close();
    expect(await underWay).toMatchObject({ verdict: 'retriable', code: 'transport-closed' });
    expect(await failureOf(closing.send(get(origin)))).toMatchObject({ code: 'transport-closed' });
  });
});

describe('TLS', () => {
  const server = { cert: certificates.serverCertificate, key: certificates.serverKey };
  const read = async (origin: string, tls: TlsOptions) => readText(await transport({ tls }).send(get(origin)));

  it('trusts the configured authority', async () => {
    const origin = await serveTls(server);
    expect(await read(origin, { certificateAuthority: certificates.authority })).toBe('secret');
  });

  it('trusts the authorities of the system beside those that come with Node', async () => {
    const origin = await serveTls(server);
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-authority-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'authority.pem');
    await writeFile(file, certificates.authority);
    // In a process of its own: the system's authorities are read once.
    const script = `
      import { SocketTransport } from ${JSON.stringify(new URL('./http.ts', import.meta.url).href)};
      const transport = new SocketTransport();
      const response = await transport.send({ method: 'GET', url: ${JSON.stringify(origin)}, headers: {} });
      process.stdout.write(String(response.status));
      await transport.close();`;
    const parameters = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, parameters, { env: { SSL_CERT_FILE: file } });
    expect(stdout).toBe('200');
  });

  it('refuses, terminally, a server whose authority is unknown', async () => {
    const origin = await serveTls(server);
    const failure = await failureOf(read(origin, {}));
    expect(failure).toMatchObject({ verdict: 'terminal', code: 'tls-untrusted' });
    expect(failure.message).toContain('configure the CA that signed it');
  });

  it('talks to an unknown server when told to be insecure', async () => {
    expect(await read(await serveTls(server), { insecure: true })).toBe('secret');
  });

  it('refuses a certificate for another name, and accepts it under the name to expect', async () => {
    const origin = await serveTls({ cert: certificates.namedCertificate, key: certificates.namedKey });
    const tls = { certificateAuthority: certificates.authority };
    expect(await failureOf(read(origin, tls))).toMatchObject({ verdict: 'terminal', code: 'tls-wrong-name' });
    expect(await read(origin, { ...tls, serverName: 'server.test' })).toBe('secret');
  });

  it('refuses an expired certificate', async () => {
    const origin = await serveTls({ cert: certificates.expiredCertificate, key: certificates.expiredKey });
    const failure = await failureOf(read(origin, { certificateAuthority: certificates.authority }));
    expect(failure).toMatchObject({ verdict: 'terminal', code: 'tls-expired' });
  });

  it('shows its certificate to a server that asks', async () => {
    const origin = await serveTls({
      ...server,
      ca: certificates.authority,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const anonymous = { certificateAuthority: certificates.authority };
    const identified = { ...anonymous, certificate: certificates.clientCertificate, key: certificates.clientKey };
    expect(await read(origin, identified)).toBe('secret');
    await expect(read(origin, anonymous)).rejects.toThrow(origin);
  });

  it('tells a server that refuses our side of the handshake', async () => {
    const origin = await serveTls({ ...server, ALPNProtocols: ['spdy/3'] });
    const failure = await failureOf(read(origin, { certificateAuthority: certificates.authority }));
    expect(failure).toMatchObject({ verdict: 'terminal', code: 'tls-refused' });
  });

  it('tells a server that does not speak TLS', async () => {
    const origin = await serve((_request, response) => void response.end());
    expect(await failureOf(read(origin.replace('http:', 'https:'), {}))).toMatchObject({ code: 'tls-broken' });
  });

  it('refuses certificates that are none, and a key that does not belong to its certificate', () => {
    const unusable: TlsOptions[] = [
      { certificateAuthority: 'garbage' },
      { certificate: 'garbage', key: certificates.clientKey },
      { certificate: certificates.clientCertificate, key: certificates.serverKey },
    ];
    for (const tls of unusable) {
      expect(() => new SocketTransport({ tls })).toThrowError(
        expect.objectContaining({ verdict: 'terminal', code: 'tls-unusable-certificate' }),
      );
    }
  });
});
