import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { readText, VirtualClock } from '@fairlead/control';
import { certificates } from '@fairlead/control/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { AgentTransport } from './agent-transport.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** An agent that asks for a certificate, and answers with the name in it. */
async function agent(): Promise<string> {
  const { serverCertificate: cert, serverKey: key, authority: ca } = certificates;
  const server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    const socket: unknown = request.socket;
    response.end(isTls(socket) ? socket.getPeerCertificate().subject.CN : 'no certificate');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `https://127.0.0.1:${address.port}/v1/status`;
}

function isTls(socket: unknown): socket is TLSSocket {
  return typeof socket === 'object' && socket !== null && 'getPeerCertificate' in socket;
}

async function files(certificate: string, key: string) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-agent-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  const paths = {
    certificateFile: join(folder, 'tls.crt'),
    keyFile: join(folder, 'tls.key'),
    authorityFile: join(folder, 'ca.crt'),
  };
  const write = async (text: string, keyText: string) => {
    await writeFile(paths.certificateFile, text);
    await writeFile(paths.keyFile, keyText);
  };
  await write(certificate, key);
  await writeFile(paths.authorityFile, certificates.authority);
  return { paths, write };
}

describe('the way to agents', () => {
  const { clientCertificate, clientKey } = certificates;

  it('shows the certificate of the files, and trusts their authority', async () => {
    const url = await agent();
    const { paths } = await files(clientCertificate, clientKey);
    const transport = new AgentTransport(paths, new VirtualClock());
    const response = await transport.send({ method: 'GET', url, headers: {} });
    expect(await readText(response)).not.toBe('');
  });

  it('takes a renewed certificate within half a minute', async () => {
    const url = await agent();
    const { paths, write } = await files(certificates.serverCertificate, certificates.serverKey);
    const clock = new VirtualClock();
    const transport = new AgentTransport(paths, clock);
    const name = async () => readText(await transport.send({ method: 'GET', url, headers: {} }));
    const before = await name();
    await write(clientCertificate, clientKey);
    expect(await name()).toBe(before);
    await clock.advance(30_000);
    expect(await name()).not.toBe(before);
  });

  it('says which file is missing, and tries again with the next request', async () => {
    const { paths } = await files(clientCertificate, clientKey);
    await rm(paths.keyFile);
    const transport = new AgentTransport(paths, new VirtualClock());
    const sent = transport.send({ method: 'GET', url: await agent(), headers: {} });
    await expect(sent).rejects.toMatchObject({
      code: 'certificate-unreadable',
      message: expect.stringContaining('tls.key'),
    });
    await writeFile(paths.keyFile, clientKey);
    expect((await transport.send({ method: 'GET', url: await agent(), headers: {} })).status).toBe(200);
  });
});
