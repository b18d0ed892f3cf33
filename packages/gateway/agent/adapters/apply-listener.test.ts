import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigurationRequest } from '../../protocol/configuration.ts';
import { startApplyListener } from './apply-listener.ts';

let folder: string;
const taken: ConfigurationRequest[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-apply-'));
  taken.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function start(secret: Buffer) {
  const secretFile = join(folder, 'secret');
  await writeFile(secretFile, `${secret.toString('base64')}\n`);
  const configurable = {
    announce: async (epoch: number) => epoch,
    status: () => ({ programmed: true, heldAddresses: [] }),
    take(asked: ConfigurationRequest) {
      taken.push(asked);
      return Promise.resolve({ kind: 'taken' as const, generation: asked.generation });
    },
  };
  return startApplyListener({
    listen: '127.0.0.1:0',
    secretFile,
    configurable,
    clock: systemClock,
    logger: silentLogger,
  });
}

function token(secret: Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 30;
  const signed = `${part({ alg: 'HS256' })}.${part({ exp, 'load-balancer-config': { ingress: null } })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

describe('the listener for ch-k8s-lbaas', () => {
  it('takes what its controller signed, and nothing else', async () => {
    const secret = randomBytes(32);
    const server = await start(secret);
    const post = async (body: string, path = '/v1/apply') => {
      const url = `http://127.0.0.1:${server.port}${path}`;
      return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/jwt' }, body })).status;
    };
    expect(await post(token(secret))).toBe(200);
    expect(await post(token(randomBytes(32)))).toBe(400);
    expect(await post('x'.repeat(40_000_000)).catch(() => 413)).toBe(413);
    expect(taken).toHaveLength(1);
    await server.close();
  });

  it('wants a secret that cannot be guessed', async () => {
    await expect(start(Buffer.from('useless'))).rejects.toThrow('at least 16 bytes in base64');
  });
});
