import { setTimeout as wait } from 'node:timers/promises';
import { SocketTransport } from '@fairlead/control/adapters';
import { type ContractCloud, contractScenes, playScene, transcripts } from '@fairlead/sim/openstack/contract';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sharedOpenStack } from './sharing.ts';

/** Keeps what the real services answer now as what is expected of both from now on. */
const record = process.env.CONTRACT_RECORD !== undefined;

/** The unit tests hold the simulated services to the same transcripts. */
describe('real Keystone, Neutron and Octavia keep the contract', () => {
  const transport = new SocketTransport();
  let cloud: ContractCloud;

  beforeAll(async () => {
    const access = await sharedOpenStack(inject('openStackSharing'));
    const { authUrl, network, loadBalancer, adminPassword, userPassword } = access;
    cloud = {
      transport,
      authUrl,
      networkUrl: `${network}/v2.0`,
      loadBalancerUrl: `${loadBalancer}/v2`,
      passwords: { admin: adminPassword, demo: userPassword, other: userPassword },
      now: () => Date.now(),
      wait: (milliseconds) => wait(milliseconds),
    };
  }, 300_000);
  afterAll(() => transport.close());

  it.each(contractScenes)(
    '$name',
    async (scene) => {
      const transcript = await playScene(scene, cloud);
      if (record) await transcripts.write(scene, transcript);
      expect(transcript).toEqual(await transcripts.read(scene));
    },
    120_000,
  );
});
