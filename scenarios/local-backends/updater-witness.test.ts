import { type HttpTransport, noMetrics, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { KubeClient, services } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { clusterMark, serviceMark } from './azure-view.ts';
import { UpdaterWitness } from './updater-witness.ts';

const NAME = `shop-web-${clusterMark}${serviceMark('some UID')}`;
const POOL = `https://azure/subscriptions/s/loadBalancers/one/backendAddressPools/${NAME}`;
const LAST_EDIT_AT = 100_000;

const answering = (status: number): HttpTransport => ({
  send: async () => ({ status, headers: {}, body: (async function* () {})() }),
});

/** A process that starts when the world is old; all edits were long before. */
async function lateProcess(maxRetries = 3) {
  const world = new VirtualClock();
  await world.advance(1_000_000);
  const clock = world.process();
  const complaints: string[] = [];
  const witness = new UpdaterWitness({
    clock,
    worldClock: world,
    intervalMilliseconds: 30_000,
    attemptsWithinInterval: 1,
    maxRetries,
    changesOf: () => 0,
    isSteady: (_mark, since) => LAST_EDIT_AT < since,
    isToMove: () => false,
    hasOnePool: () => true,
    complain: (what) => void complaints.push(what),
    givenUp: new Set(),
  });
  const read = async (correlation: string, status = 200) => {
    const headers = { 'x-ms-correlation-request-id': correlation };
    const { body } = await witness.watch(answering(status)).send({ url: POOL, method: 'GET', headers });
    for await (const _ of body);
  };
  const client = new KubeClient(new FakeApi().connect(clock), clock);
  const shared = { client, clock, random: seededRandom(1), logger: silentLogger, metrics: noMetrics };
  const events = witness.events({ ...shared, controller: 'fairlead.dev/test', instance: 'replica' });
  const metadata = { namespace: 'shop', name: 'web', uid: 'some UID' };
  const tell = (reason: string) =>
    events.record(services, { metadata }, { type: 'Warning', reason, action: 'Update', note: '' });
  return { world, read, tell, complaints };
}

describe('a witness of an updater that began when the world was old', () => {
  it('takes an edit from before its life for what it is: something of the past', async () => {
    const { world, read, complaints } = await lateProcess();
    await read('first');
    await world.advance(60_000);
    await read('second');
    expect(complaints).toEqual([expect.stringContaining('nothing was told of an attempt')]);
  });

  it('complains when a change is tried again too often, and begins to count anew when the pool was not there', async () => {
    const { world, read, tell, complaints } = await lateProcess(1);
    const answers = [429, 404, 429, 429];
    for (const [index, status] of answers.entries()) {
      expect(complaints).toEqual([]);
      await read(`read ${index}`, status);
      if (status === 429) tell('LoadBalancerBackendPoolUpdateRetrying');
      await world.advance(60_000);
    }
    expect(complaints).toEqual([expect.stringContaining('is told 2 times of 1 changes')]);
  });
});
