import { silentLogger, VirtualClock } from '@fairlead/control';
import { KubeClient } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { ClusterEvents } from './cluster.ts';

const message = (note: string) => ({ type: 'Warning', reason: 'DeletionHeldBack', note }) as const;

function setUp() {
  const api = new FakeApi();
  const clock = new VirtualClock();
  const stop = new AbortController();
  const told: string[] = [];
  const warnings: string[] = [];
  api.put('/api/v1/namespaces/kube-system', { kind: 'Namespace', metadata: { name: 'kube-system', uid: 'its-uid' } });
  const events = new ClusterEvents({
    client: new KubeClient(api.connect(clock), clock),
    events: {
      record: (_, { metadata: { name, uid = 'without a UID' } }, { note }) => told.push(`${name}, ${uid}: ${note}`),
    },
    logger: { ...silentLogger, warn: (_, text) => warnings.push(text) },
    signal: stop.signal,
  });
  const tell = async (note: string) => {
    events.record(message(note));
    await clock.advance(0);
  };
  return { api, stop, told, warnings, tell };
}

describe('ClusterEvents', () => {
  it('are about the namespace kube-system as it is, which is read once', async () => {
    const { api, told, tell } = setUp();
    await tell('one');
    await tell('two');
    expect(told).toEqual(['kube-system, its-uid: one', 'kube-system, its-uid: two']);
    expect(api.requests).toHaveLength(1);
  });

  it('go by the name alone while the namespace cannot be read, and say so in the log', async () => {
    const { api, told, warnings, tell } = setUp();
    api.fault = () => ({ status: 403, reason: 'Forbidden' });
    await tell('one');
    api.fault = () => undefined;
    await tell('two');
    expect(told).toEqual(['kube-system, without a UID: one', 'kube-system, its-uid: two']);
    expect(warnings).toHaveLength(1);
  });

  it('tell nothing any more when we have stopped meanwhile', async () => {
    const { api, stop, told, warnings, tell } = setUp();
    api.fault = () => 'hang';
    await tell('one');
    stop.abort(new Error('stopped'));
    await tell('two');
    expect(told).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
