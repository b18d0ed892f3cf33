import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairlead/control/adapters';
import { describe, expect, it } from 'vitest';
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
});
