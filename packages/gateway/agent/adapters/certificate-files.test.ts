import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@fairlead/control';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificatesCommand } from './certificate-files.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-certificates-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(days: number, ...words: readonly string[]): Promise<readonly string[]> {
  const printed: string[] = [];
  await certificatesCommand.run({
    words,
    options: { folder, controller: 'fairlead-controller' },
    clock: new VirtualClock({ startsAt: NOW + days * DAY }),
    signal: new AbortController().signal,
    print: (line) => void printed.push(line.replace(`${folder}/`, '')),
  });
  return printed;
}

const read = async (file: string) => new X509Certificate(await readFile(join(folder, file)));

describe('fairlead gateway certificates', () => {
  it('makes an authority, and what controller and agents show', async () => {
    await run(0, 'gateway-1=192.0.2.1,gateway-1.example');
    const authority = await read('authority.crt');
    const [controller, agent] = [await read('controller.crt'), await read('agent-gateway-1.crt')];
    expect([controller, agent].map((one) => one.checkIssued(authority))).toEqual([true, true]);
    expect(controller.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(agent.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(agent.subjectAltName).toBe('DNS:gateway-1, IP Address:192.0.2.1, DNS:gateway-1.example');
    expect((await stat(join(folder, 'authority.key'))).mode & 0o777).toBe(0o600);
  });

  it('leaves good ones alone, and renews those that end soon', async () => {
    await run(0, 'gateway-1=192.0.2.1');
    expect(await run(200, 'gateway-1=192.0.2.1')).toEqual(['controller.crt: good', 'agent-gateway-1.crt: good']);
    expect(await run(300, 'gateway-1=192.0.2.1')).toEqual([
      'controller.crt: made, because it ends soon',
      'agent-gateway-1.crt: made, because it ends soon',
    ]);
    expect(await run(301, 'gateway-1=192.0.2.1')).toEqual(['controller.crt: good', 'agent-gateway-1.crt: good']);
  });

  it('makes one anew for other names', async () => {
    await run(0, 'gateway-1=192.0.2.1');
    expect(await run(1, 'gateway-1=192.0.2.2')).toContain('agent-gateway-1.crt: made, because it is for other names');
  });

  it('refuses what is no name', async () => {
    await expect(run(0, 'gateway-1=not a name')).rejects.toThrow('"not a name" is no DNS name and no IP address');
    await expect(run(0, '../etc/passwd=192.0.2.1')).rejects.toThrow('is no DNS name');
  });
});
