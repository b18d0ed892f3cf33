import { type HttpTransport, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { clusterMark, serviceMark } from './azure-view.ts';
import { UpdaterWitness } from './updater-witness.ts';

const NAME = `shop-web-${clusterMark}${serviceMark('some UID')}`;
const POOL = `https://azure/subscriptions/s/loadBalancers/one/backendAddressPools/${NAME}`;
const LAST_EDIT_AT = 100_000;

const azure: HttpTransport = {
  send: async () => ({ status: 200, headers: {}, body: (async function* () {})() }),
};

/** A process that starts when the world is old; all edits were long before. */
async function lateProcess() {
  const world = new VirtualClock();
  await world.advance(1_000_000);
  const clock = world.process();
  const complaints: string[] = [];
  const witness = new UpdaterWitness({
    clock,
    worldClock: world,
    intervalMilliseconds: 30_000,
    attemptsWithinInterval: 1,
    maxRetries: 3,
    changesOf: () => 0,
    isSteady: (_mark, since) => LAST_EDIT_AT < since,
    isToMove: () => false,
    hasOnePool: () => true,
    complain: (what) => void complaints.push(what),
    givenUp: new Set(),
  });
  const read = (correlation: string) =>
    witness.watch(azure).send({ url: POOL, method: 'GET', headers: { 'x-ms-correlation-request-id': correlation } });
  return { world, read, complaints };
}

describe('a witness of an updater that began when the world was old', () => {
  it('takes an edit from before its life for what it is: something of the past', async () => {
    const { world, read, complaints } = await lateProcess();
    await read('first');
    await world.advance(60_000);
    await read('second');
    expect(complaints).toEqual([expect.stringContaining('nothing was told of an attempt')]);
  });
});
