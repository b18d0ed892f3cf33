import { seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { gatewayPart } from '@fairlead/gateway';
import { KubeClient, leases, services } from '@fairlead/kube';
import { ANY_SERVER, connectionOver } from '@fairlead/kube/testing';
import { type AccessQuestion, SimulatedKube } from '@fairlead/sim/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { version } from './cluster.ts';
import { readConfiguration } from './configuration/read.ts';
import { activeParts } from './configured-parts.ts';
import { neededPermissions, startRunning } from './running.ts';

const configurationAt = (http: object) =>
  JSON.stringify({
    http,
    leaderElection: { namespace: 'default', leaseDurationSeconds: 20 },
    defaultClass: 'fairlead.dev/gateway',
    parts: { gateway: { addresses: ['192.0.2.10'] } },
  });

describe('what runs', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Runs the gateway part on a simulated cluster, in simulated time; `authorize` says what it may do. */
  async function start(
    authorize: (question: AccessQuestion) => boolean = () => true,
    http: object = { listen: '127.0.0.1:0' },
  ) {
    const clock = new VirtualClock();
    const random = seededRandom(1);
    const kube = new SimulatedKube({ clock, random, authorize });
    const connection = connectionOver(kube.transport(), clock);
    const client = new KubeClient(connection, clock);
    const close = () => connection.close();
    const configuration = readConfiguration(configurationAt(http), 'fairlead.yaml', [gatewayPart()]);
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
    return { client, clock, readyz, url: running.server.url };
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

  it('hands on to its parts how long a Lease lasts, and the class of Services that name none', async () => {
    const { client, clock } = await start();
    const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] } as const;
    await client.create(services, { metadata: { namespace: 'default', name: 'web' }, spec });
    await clock.advance(60_000);
    const lease = await client.get(leases, { namespace: 'default', name: 'fairlead-gateway' });
    expect(lease.spec?.leaseDurationSeconds).toBe(20);
    const { status } = await client.get(services, { namespace: 'default', name: 'web' });
    expect(status?.loadBalancer?.ingress).toMatchObject([{ ip: '192.0.2.10' }]);
  });

  it('has metrics for who leads, the build, the process and the event loop', async () => {
    const { clock, url } = await start();
    await clock.advance(60_000);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('fairlead_leading{part="gateway"} 1\n');
    expect(text).toContain(`fairlead_build_info{version="${version}",node="${process.version}"} 1\n`);
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds \d/m);
  });

  it.each([
    ['is told on the same machine where only that can ask', { listen: '127.0.0.1:0' }, 200],
    ['asks for a token where others can', { listen: '0.0.0.0:0' }, 401],
    ['asks for a token where others can, by any address', { listen: ':0' }, 401],
    ['asks for a token where it is told to', { listen: '127.0.0.1:0', journal: 'token' }, 401],
    ['is open where it is told to', { listen: ':0', journal: 'open' }, 200],
  ])('the journal %s', async (_, http, status) => {
    const { url } = await start(undefined, http);
    expect((await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/debug/journal`)).status).toBe(status);
  });

  it.each([
    ['127.0.0.1:8080', false],
    ['0.0.0.0:8080', true],
  ])('needs at %s the right to have tokens reviewed: %s', (listen, isNeeded) => {
    const configuration = readConfiguration(configurationAt({ listen }), 'fairlead.yaml', [gatewayPart()]);
    const needed = neededPermissions(configuration, activeParts(configuration, [gatewayPart()]));
    const resources = needed.flatMap((permission) => permission.resources);
    expect(resources.includes('tokenreviews')).toBe(isNeeded);
    expect(resources.includes('subjectaccessreviews')).toBe(isNeeded);
  });
});
