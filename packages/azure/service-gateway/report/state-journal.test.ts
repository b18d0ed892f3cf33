import { Journal, VirtualClock } from '@fairlead/control';
import { type Service, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { newAzure } from '../testing/azure-bench.ts';
import { GatewayCluster } from '../testing/cluster.ts';
import { retriable } from '../testing/engine-bench.ts';
import { inbound, outbound } from '../testing/keys.ts';
import { Replica } from '../testing/replica.ts';
import { inboundSpec } from '../testing/specs.ts';
import { StateJournal } from './state-journal.ts';

const key = { namespace: NAMESPACE, name: 'web' };
const busy = { kind: 'refuse', status: 409, code: 'Busy' } as const;

/** With Azure's answers to long-running operations in between, as they are in life. */
async function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock, { operationTime: { minimum: 300, maximum: 300 } });
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1']);
  const replica = new Replica(cluster, azure);
  await replica.settle();
  const states = () =>
    replica.journal.entries('service shop/web').flatMap((entry) => {
      if (entry.kind !== 'state') return [];
      const because = entry.because === undefined ? '' : `: ${entry.because}`;
      return `${entry.state}${because}${entry.count > 1 ? ` (${entry.count} times)` : ''}`;
    });
  return { clock, azure, cluster, replica, states };
}

describe('StateJournal', () => {
  it('tells of each state, why it came to it, what it waits for and when it tries again', () => {
    const clock = new VirtualClock();
    const journal = new Journal(clock);
    const stateJournal = new StateJournal(journal, clock, new Map([[inbound('web'), 'shop/web']]));
    const wait = { failures: 1, notBefore: clock.monotonic() + 900, failure: 'busy' };
    const after = { kind: 'NotStarted', spec: inboundSpec('web'), wait } as const;
    stateJournal.stateChanged({
      kind: 'state-changed',
      key: inbound('web'),
      before: undefined,
      after,
      outcome: { ok: false, error: retriable },
    });
    expect(journal.entries('service shop/web')).toMatchObject([
      { kind: 'state', state: 'NotStarted', because: 'busy' },
      { kind: 'waiting', for: 'its turn to be worked on', retryAt: clock.now() + 900 },
    ]);
  });

  it('tells of a creation without a hitch in three states, each once', async () => {
    const { cluster, replica, states } = await newWorld();
    await cluster.createService('web');
    await replica.settle();
    expect(states()).toEqual(['NotStarted', 'CreationInProgress', 'Created']);
  });

  it.each([
    { method: 'PUT', kind: 'loadBalancers' },
    { method: 'PUT', kind: 'publicIPAddresses' },
    { method: 'POST', kind: 'updateServices' },
  ] as const)(
    'tells of a loop of attempts in one line, of what they fail with, and of one call for Azure to look up: $kind',
    async (match) => {
      const { clock, cluster, azure, replica, states } = await newWorld();
      azure.faults.next(match, busy, 8);
      await cluster.createService('web');
      await clock.advance(300_000);
      expect(states()).toEqual(['NotStarted', 'CreationInProgress', 'NotStarted: Busy (8 times)', 'Created']);
      const entries = replica.journal.entries('service shop/web');
      expect(entries.filter((entry) => entry.kind === 'error')).toMatchObject([{ code: 'Busy', count: 8 }]);
      const text = expect.stringMatching(/^Azure knows the first call that failed with Busy as [0-9a-f-]{36}$/);
      expect(entries.filter((entry) => entry.kind === 'note')).toMatchObject([{ text, count: 1 }]);
    },
  );

  it('tells of a loop of attempts that fail in two ways in two lines, with one call of each', async () => {
    const { clock, cluster, azure, replica, states } = await newWorld();
    for (let failures = 0; failures < 5; failures += 1) {
      azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, { ...busy, code: 'Updating' });
      azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, busy);
    }
    await cluster.createService('web');
    await clock.advance(300_000);
    const failed = ['NotStarted: Updating (5 times)', 'NotStarted: Busy (5 times)'];
    expect(states()).toEqual(['NotStarted', 'CreationInProgress', ...failed, 'Created']);
    const notes = replica.journal.entries('service shop/web').filter((entry) => entry.kind === 'note');
    expect(notes.map(({ text }) => text.split(' as ')[0])).toEqual([
      'Azure knows the first call that failed with Updating',
      'Azure knows the first call that failed with Busy',
    ]);
  });

  it('tells of updates and deletions that are tried again in one line each, too', async () => {
    const { clock, cluster, azure, replica, states } = await newWorld();
    await cluster.createService('web');
    await replica.settle();
    azure.faults.next({ method: 'PUT' }, busy, 8);
    const ports = [{ port: 81, targetPort: 8081 }];
    await cluster.client.patchMerge<Service>(services, key, { spec: { ports } });
    await clock.advance(300_000);
    azure.faults.next({ method: 'DELETE' }, busy, 8);
    await cluster.client.delete(services, key);
    await clock.advance(300_000);
    expect(states().slice(states().indexOf('Created'))).toEqual([
      'Created',
      'UpdatePending',
      'UpdateInProgress',
      'UpdatePending: Busy (8 times)',
      'Created',
      'DeletionPending',
      'DeletionInProgress',
      'DeletionPending: Busy (8 times)',
      'gone',
    ]);
  });

  it('tells of what Azure refuses at each comparison in one line', async () => {
    const { clock, cluster, azure, replica, states } = await newWorld();
    azure.faults.next({ method: 'PUT' }, { kind: 'refuse', status: 400, code: 'Disallowed' }, 3);
    await cluster.createService('web');
    await clock.advance(1_500_000);
    expect(states()).toEqual(['NotStarted', 'CreationInProgress', 'Parked: Disallowed (3 times)']);
    expect(replica.journal.entries('service shop/web').at(-1)).toMatchObject({
      kind: 'waiting',
      for: 'a change of what it asks for, or the next comparison with Azure: Disallowed',
    });
  });

  it('says when a Service asks for something else meanwhile', async () => {
    const { clock, cluster, azure, states } = await newWorld();
    azure.faults.next({ method: 'PUT' }, { kind: 'refuse', status: 400, code: 'Disallowed' });
    await cluster.createService('web');
    await clock.advance(10_000);
    const ports = [{ port: 81, targetPort: 8081 }];
    await cluster.client.patchMerge<Service>(services, key, { spec: { ports } });
    await clock.advance(10_000);
    const attempt = ['NotStarted', 'CreationInProgress'];
    expect(states()).toEqual([...attempt, 'Parked: Disallowed', ...attempt, 'Created']);
  });

  it('says when a Service is deleted while an attempt is under way that fails', async () => {
    const { clock, cluster, azure, states } = await newWorld();
    azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, busy);
    azure.faults.next({ method: 'PUT', kind: 'loadBalancers' }, { kind: 'fail-operation', code: 'Busy' });
    await cluster.createService('web');
    await clock.runUntil(() => azure.faults.left === 0, 10_000);
    await cluster.client.delete(services, key);
    await clock.advance(10_000);
    expect(states()).toEqual([
      'NotStarted',
      'CreationInProgress',
      'NotStarted: Busy',
      'DeletionPending: Busy',
      'DeletionInProgress',
      'gone',
    ]);
  });

  it('names services as people do', () => {
    const clock = new VirtualClock();
    const stateJournal = new StateJournal(new Journal(clock), clock, new Map());
    expect(stateJournal.keyOf(outbound('blue'))).toBe('egress blue');
    expect(stateJournal.keyOf(inbound('web-uid'))).toBe('service web-uid');
  });
});
