import { seededRandom, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { SimulatedKube } from '../simulated-kube.ts';
import { transcripts } from './adapters/transcripts.ts';
import type { ContractEndpoint } from './endpoint.ts';
import { playScene } from './scene.ts';
import { contractScenes } from './scenes/index.ts';

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

/** The end-to-end tests hold a real API server to the same transcripts. */
describe('the simulated API server keeps the contract', () => {
  it.each(contractScenes)('$name', async (scene) => {
    const transcript = await playScene(scene, simulated(), `contract-${contractScenes.indexOf(scene)}`);
    expect(transcript).toEqual(await transcripts.read(scene));
  });
});
