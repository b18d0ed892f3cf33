import { ArmClient, armId, childArmId } from '@fairlead/azure/arm';
import { noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { type AzureHabits, emulatedAzure, GROUP, LOCATION } from './emulated-azure.ts';
import { PeerQueue } from './peer-queue.ts';

const LB = armId('loadBalancers', GROUP, 'one');
const pool = (name: string) => childArmId('backendAddressPools', LB, name);

function newPeer(habits: AzureHabits = {}) {
  const clock = new VirtualClock();
  const azure = emulatedAzure(clock, habits);
  const backendAddressPools = ['a', 'b', 'c'].map((name) => ({ name, properties: {} }));
  const body = { location: LOCATION, sku: { name: 'Standard' }, properties: { backendAddressPools } };
  azure.byHand({ method: 'PUT', path: LB, body });
  const about = { clock, random: seededRandom(1), metrics: noMetrics, endpoint: 'https://azure', userAgent: 'peer' };
  const client = new ArmClient({ ...about, transport: azure });
  const queue = new PeerQueue({ client, clock, intervalMilliseconds: 30_000, maxRetries: 3 });
  void queue.run();
  const change = (name: string, before: readonly string[], after: readonly string[]) =>
    queue.changed(pool(name), before, after);
  const writes = () => azure.log.writes.map(({ at, name }) => `${Math.floor(at / 1000)}s ${name}`);
  return { clock, azure, queue, change, writes };
}

describe('the model of the peer', () => {
  it('writes no pool that is as it should be', async () => {
    const { clock, change, writes } = newPeer();
    change('a', [], ['10.0.0.1']);
    change('a', ['10.0.0.1'], []);
    change('b', [], ['10.0.0.2']);
    await clock.advance(60_000);
    expect(writes()).toEqual(['30s one/b']);
  });

  it('keeps one tick that came while it was at work, and drops the others', async () => {
    const { clock, change, writes } = newPeer({ writeMilliseconds: 50_000 });
    for (const name of ['a', 'b']) change(name, [], ['10.0.0.1']);
    await clock.advance(60_000);
    change('c', [], ['10.0.0.1']);
    await clock.advance(300_000);
    const [first, , last] = writes().map((line) => Number.parseInt(line, 10));
    // Both pools take until about 130 s: the tick of 60 s is kept, those of 90 s and 120 s are gone.
    expect([first, last]).toEqual([30, expect.toSatisfy((second: number) => second > 130 && second < 150)]);
    change('c', ['10.0.0.1'], []);
    await clock.advance(100_000);
    expect(writes()).toHaveLength(4);
  });

  it('holds all pools back when Azure throttles one, at the cost of a retry on each tick', async () => {
    const { clock, azure, queue, change, writes } = newPeer();
    azure.faults.throttle({ kind: 'backendAddressPools' }, 600_000);
    for (const name of ['a', 'b', 'c']) change(name, [], ['10.0.0.1']);
    await clock.advance(31_000);
    expect(azure.log.calls.filter(({ kind }) => kind === 'backendAddressPools')).toHaveLength(1);
    expect(queue.size).toBe(3);
    await clock.advance(120_000);
    expect(queue.size).toBe(1);
    await clock.advance(600_000);
    expect(writes()).toEqual([expect.stringContaining('one/a')]);
  });
});
