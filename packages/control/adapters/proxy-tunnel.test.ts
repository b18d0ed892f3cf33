import { afterEach, describe, expect, it } from 'vitest';
import { readText } from '../network/http.ts';
import { type ProxiedServer, serveBehindProxy } from '../testing/adapters/proxied-server.ts';
import { SocketTransport, type SocketTransportOptions } from './http.ts';

const open: (() => PromiseLike<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(): Promise<ProxiedServer> {
  const server = await serveBehindProxy((request, response) => void response.end(`${request.method} ${request.url}`));
  open.push(() => server[Symbol.asyncDispose]());
  return server;
}

/** What is answered to one request. */
async function get(url: string, options: SocketTransportOptions): Promise<string> {
  const transport = new SocketTransport({ environment: {}, ...options });
  open.unshift(() => transport.close());
  return readText(await transport.send({ method: 'GET', url, headers: {} }));
}

describe('through a proxy', () => {
  it('goes what HTTPS_PROXY asks for, with TLS from end to end', async () => {
    const { origin, authority, proxy, asked } = await serve();
    const tls = { certificateAuthority: authority };
    expect(await get(`${origin}/version`, { tls, environment: { HTTPS_PROXY: proxy } })).toBe('GET /version');
    expect(asked).toEqual(['CONNECT server.test:443']);
    await expect(get(origin, { environment: { HTTPS_PROXY: proxy } })).rejects.toMatchObject({ code: 'tls-untrusted' });
  });

  it('goes everything where one is named, with the credentials of its URL', async () => {
    const { origin, authority, proxy, asked } = await serve();
    const tls = { certificateAuthority: authority };
    await get(origin, { tls, proxy: proxy.replace('://', '://me:s%40crt@') });
    expect(asked).toEqual([`CONNECT server.test:443 as Basic ${Buffer.from('me:s@crt').toString('base64')}`]);
  });

  it('goes nothing that NO_PROXY names', async () => {
    const { origin, proxy, asked } = await serve();
    await expect(get(origin, { environment: { HTTPS_PROXY: proxy, NO_PROXY: '.test' } })).rejects.toThrow(
      'cannot talk to https://server.test',
    );
    expect(asked).toEqual([]);
  });

  it('is told what the proxy refuses, without its credentials', async () => {
    const { proxy } = await serve();
    const failure = get('https://other.test:6443', { proxy: proxy.replace('://', '://me:secret@') });
    await expect(failure).rejects.toMatchObject({
      verdict: 'retriable',
      code: 'proxy-refused',
      message:
        `the proxy ${proxy} does not connect us to other.test:6443 (403 Forbidden): ` +
        'look at its rules and at the credentials in its URL, or name the host in NO_PROXY',
    });
  });

  it('is told that the proxy is away, or none at all', async () => {
    await expect(get('https://other.test', { proxy: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'connection-refused',
      message: expect.stringMatching(/^cannot talk to the proxy http:\/\/127\.0\.0\.1:1: nothing listens there/),
    });
    const message = 'the proxy socks5://p cannot be';
    await expect(get('https://other.test', { proxy: 'socks5://me:secret@p' })).rejects.toThrow(message);
    const environment = { HTTPS_PROXY: 'socks5://me:secret@p' };
    await expect(get('https://other.test', { environment })).rejects.toThrow(message);
  });
});
