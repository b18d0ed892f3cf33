import { readFile } from 'node:fs/promises';
import { seededRandom, VirtualClock } from '@fairlead/control';
import { SocketTransport } from '@fairlead/control/adapters';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SimulatedKube } from '../simulated-kube.ts';
import { readTranscript, writeTranscript } from './adapters/transcripts.ts';
import type { ContractEndpoint } from './endpoint.ts';
import { playScene } from './scene.ts';
import { contractScenes } from './scenes/index.ts';

/** With the path of a kubeconfig in CONTRACT_KUBECONFIG the scenes play on that server in place of the simulation. */
const kubeconfig = process.env.CONTRACT_KUBECONFIG;
/** Keeps what that server answers as what is expected from now on. */
const record = kubeconfig !== undefined && process.env.CONTRACT_RECORD !== undefined;

function simulated(): ContractEndpoint {
  const clock = new VirtualClock();
  const kube = new SimulatedKube({ clock, random: seededRandom(1), authorize: 'roles' });
  return {
    transport: kube.transport(),
    url: 'http://kubernetes',
    headers: {},
    wait: (milliseconds) => clock.advance(milliseconds),
  };
}

async function real(path: string): Promise<ContractEndpoint> {
  const config = parse(await readFile(path, 'utf8'));
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  const decoded = (text: string): string => Buffer.from(text, 'base64').toString();
  const transport = new SocketTransport({
    tls: {
      certificateAuthority: decoded(cluster['certificate-authority-data']),
      certificate: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    },
  });
  const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  return { transport, url: cluster.server, headers: {}, wait };
}

describe('the contract of the API server', () => {
  it.each(contractScenes)('$name', { timeout: 60_000 }, async (scene) => {
    const endpoint = kubeconfig === undefined ? simulated() : await real(kubeconfig);
    const suffix = kubeconfig === undefined ? '' : `-${Date.now() % 100_000}`;
    const transcript = await playScene(scene, endpoint, `contract-${contractScenes.indexOf(scene)}${suffix}`);
    if (record) await writeTranscript(scene, transcript);
    expect(transcript).toEqual(await readTranscript(scene));
  });
});
