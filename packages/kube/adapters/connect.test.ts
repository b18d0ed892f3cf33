import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairlead/control/adapters';
import { serveBehindProxy } from '@fairlead/control/testing';
import { describe, expect, it, vi } from 'vitest';
import { KubeClient } from '../api/client.ts';
import { connect } from './connect.ts';

describe('connect', () => {
  it('leads from a kubeconfig to a server that recognises us', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, answer) => {
      seen.push([request.url, request.headers.authorization, request.headers['user-agent']]);
      answer.end('{"gitVersion":"v1.36.0"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-connect-'));
    const kubeconfig = join(folder, 'config');
    await writeFile(join(folder, 'token'), 'secret\n');
    await writeFile(
      kubeconfig,
      `current-context: test
contexts: [{name: test, context: {cluster: test, user: test, namespace: shop}}]
clusters: [{name: test, cluster: {server: "http://127.0.0.1:${port}"}}]
users: [{name: test, user: {tokenFile: token}}]
`,
    );
    const { connection, ...told } = await connect({ kubeconfig, userAgent: 'fairlead/test' });
    expect(told).toEqual({
      source: `context "test" of ${kubeconfig}`,
      server: `http://127.0.0.1:${port}`,
      isPod: false,
      namespace: 'shop',
    });
    const client = new KubeClient(connection, systemClock);
    expect(JSON.parse(await client.getText('/version'))).toEqual({ gitVersion: 'v1.36.0' });
    expect(seen).toEqual([['/version', 'Bearer secret', 'fairlead/test']]);
    await connection.close();
    await new Promise((resolve) => server.close(resolve));
    await expect(client.getText('/version')).rejects.toMatchObject({ verdict: 'retriable' });
    await rm(folder, { recursive: true });
  });

  it('goes through the proxy of the kubeconfig, or of the environment', async () => {
    await using behind = await serveBehindProxy((request, answer) => void answer.end(request.url));
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-connect-'));
    const version = async (proxy: object) => {
      const kubeconfig = join(folder, 'config');
      const data = Buffer.from(behind.authority).toString('base64');
      const cluster = { server: behind.origin, 'certificate-authority-data': data, ...proxy };
      const contexts = [{ name: 'test', context: { cluster: 'test' } }];
      const file = { 'current-context': 'test', contexts, clusters: [{ name: 'test', cluster }] };
      await writeFile(kubeconfig, JSON.stringify(file));
      const { connection } = await connect({ kubeconfig, userAgent: 'fairlead/test' });
      const text = await new KubeClient(connection, systemClock).getText('/version');
      await connection.close();
      return text;
    };
    expect(await version({ 'proxy-url': behind.proxy })).toBe('/version');
    vi.stubEnv('HTTPS_PROXY', behind.proxy);
    expect(await version({})).toBe('/version');
    vi.unstubAllEnvs();
    expect(behind.asked).toEqual(['CONNECT server.test:443', 'CONNECT server.test:443']);
    await rm(folder, { recursive: true });
  });
});
