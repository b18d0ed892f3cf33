import { seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { gatewayPart } from '@fairlead/gateway';
import { KubeClient } from '@fairlead/kube';
import { ANY_SERVER, connectionOver } from '@fairlead/kube/testing';
import { type AccessQuestion, SimulatedKube } from '@fairlead/sim/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfiguration } from './configuration/read.ts';
import { activeParts } from './configured-parts.ts';
import { startRunning } from './running.ts';

const CONFIGURATION = `
http: { listen: '127.0.0.1:0' }
leaderElection: { namespace: default }
parts: { gateway: { addresses: [192.0.2.10] } }
`;

describe('what runs', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Runs the gateway part on a simulated cluster, in simulated time; `authorize` says what it may do. */
  async function start(authorize: (question: AccessQuestion) => boolean) {
    const clock = new VirtualClock();
    const random = seededRandom(1);
    const kube = new SimulatedKube({ clock, random, authorize });
    const connection = connectionOver(kube.transport(), clock);
    const client = new KubeClient(connection, clock);
    const close = () => connection.close();
    const configuration = readConfiguration(CONFIGURATION, 'fairlead.yaml', [gatewayPart()]);
    const active = activeParts(configuration, [gatewayPart()]);
    const stop = new AbortController();
    const running = await startRunning(
      configuration,
      { client, connection, server: ANY_SERVER, isPod: false, name: 'a cluster', close },
      active,
      { clock, random, logger: silentLogger },
      stop.signal,
    );
    ends.push(async () => {
      stop.abort(new Error('the test is over'));
      await clock.advance(30_000);
      await running.ended;
    });
    const readyz = async () => {
      const response = await fetch(`${running.server.url}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    return { clock, readyz };
  }

  it('tells at /readyz which objects cannot be read, why, and what to grant', async () => {
    let mayReadServices = false;
    const { clock, readyz } = await start(({ resource }) => resource !== 'services' || mayReadServices);
    await clock.advance(60_000);
    expect(await readyz()).toBe(
      '503 gateway: not ready: reading the Services; services: GET /api/v1/services: kubernetes-admin may not watch ' +
        'services in the whole cluster (403 Forbidden): allow it in a ClusterRole\n',
    );
    mayReadServices = true;
    await clock.advance(60_000);
    expect(await readyz()).toBe('200 gateway: ready\n');
  });
});
