import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@fairlead/control';
import type { NodePart, Part } from '@fairlead/part';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toyPart } from '../testing/toy-part.ts';
import { runAloneCommand, runCommand } from './run.ts';

/** It stops as soon as it has started. */
function nodePart(name: string, start: NodePart['start']): Part {
  return { ...toyPart(name), configure: (): NodePart => ({ runs: 'node', start }) };
}

describe('fairlead run', () => {
  let file: string;

  beforeEach(async () => {
    file = join(await mkdtemp(join(tmpdir(), 'fairlead-run-')), 'fairlead.yaml');
    await writeFile(file, JSON.stringify({ http: { listen: '127.0.0.1:0' }, parts: { agent: {} } }));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(join(file, '..'), { recursive: true });
  });

  it('starts nothing that is for nodes, which has a command of its own', async () => {
    const stop = new AbortController();
    let starts = 0;
    const agent = nodePart('agent', async () => {
      starts += 1;
      stop.abort(new Error('seen'));
    });
    await expect(runCommand(file, [agent], stop.signal)).rejects.toThrow(
      /configures only parts that run on a node, each by a command of its own/,
    );
    expect(starts).toBe(0);
    await runAloneCommand(file, [agent], agent, stop.signal, () => silentLogger);
    expect(starts).toBe(1);
  });

  it('says in the log that a proxy is not used', async () => {
    vi.stubEnv('HTTPS_PROXY', '').stubEnv('https_proxy', '').stubEnv('ALL_PROXY', 'socks5://proxy.example.org');
    const warn = vi.fn<Logger['warn']>();
    const stop = new AbortController();
    const agent = nodePart('agent', async () => stop.abort(new Error('seen')));
    await runAloneCommand(file, [agent], agent, stop.signal, () => ({ ...silentLogger, warn }));
    expect(warn).toHaveBeenCalledWith({}, expect.stringContaining('is not honoured'));
  });
});
