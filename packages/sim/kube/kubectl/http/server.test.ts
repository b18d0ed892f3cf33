import { type HttpRequest, readText } from '@fairlead/control';
import { SocketTransport } from '@fairlead/control/adapters';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Simulated } from '../../testing/simulated.ts';
import { type KubeServer, serveKube } from './server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('the simulated API over HTTP', () => {
  let simulated: Simulated;
  let server: KubeServer;
  let transport: SocketTransport;

  beforeEach(async () => {
    simulated = new Simulated();
    server = await serveKube(simulated.kube);
    transport = new SocketTransport();
  });
  afterEach(async () => {
    await transport.close();
    await server[Symbol.asyncDispose]();
  });

  const send = (method: HttpRequest['method'], path: string, rest: Partial<HttpRequest> = {}) =>
    transport.send({ method, url: `${server.url}${path}`, headers: {}, ...rest });

  it('answers as it does in process', async () => {
    const headers = { 'content-type': 'application/json' };
    const created = await send('POST', CONFIG_MAPS, { headers, body: '{"metadata":{"name":"one"}}' });
    expect([created.status, created.headers['content-type']]).toEqual([201, 'application/json']);
    const { body } = await simulated.call('GET', `${CONFIG_MAPS}/one`);
    expect(JSON.parse(await readText(await send('GET', `${CONFIG_MAPS}/one`)))).toEqual(body);
    expect((await send('GET', `${CONFIG_MAPS}/two`)).status).toBe(404);
  });

  it('opens a watch at once, sends what happens, and ends it with the client', async () => {
    const abort = new AbortController();
    const path = `${CONFIG_MAPS}?watch=true&resourceVersion=${simulated.kube.resourceVersion}`;
    const watch = await send('GET', path, { streaming: true, signal: abort.signal });
    expect(watch.status).toBe(200);
    await simulated.call('POST', CONFIG_MAPS, { metadata: { name: 'one' } });
    for await (const piece of watch.body) {
      expect(JSON.parse(new TextDecoder().decode(piece))).toMatchObject({ object: { metadata: { name: 'one' } } });
      break;
    }
  });

  it('ends all watches when it closes', async () => {
    const watch = await send('GET', `${CONFIG_MAPS}?watch=true`, { streaming: true });
    await server[Symbol.asyncDispose]();
    server = await serveKube(simulated.kube);
    await expect(readText(watch)).rejects.toMatchObject({ verdict: 'retriable' });
  });

  it('says so when the simulation has a defect', async () => {
    const broken = await serveKube(
      Object.assign(new Simulated().kube, {
        handle() {
          throw new TypeError('no such thing');
        },
      }),
    );
    const answer = await transport.send({ method: 'GET', url: `${broken.url}/version`, headers: {} });
    expect([answer.status, await readText(answer)]).toEqual([500, 'no such thing']);
    await broken[Symbol.asyncDispose]();
  });

  it('tells kubectl where it is', () => {
    expect(JSON.parse(server.kubeconfig)).toMatchObject({
      clusters: [{ name: 'simulated', cluster: { server: server.url } }],
      'current-context': 'simulated',
    });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});
