import { silentLogger } from '@fairlead/control';
import { afterEach, describe, expect, it } from 'vitest';
import { clusterSetConfiguration } from '../configuration.ts';
import { takeSnapshot } from '../snapshot.ts';
import { TestClusterSet } from '../testing/test-clusterset.ts';
import { statusLines } from './status.ts';

const set = new TestClusterSet();

afterEach(() => set.stop());

describe('fairlead clusterset status', () => {
  it('shows clusters, exports, conflicts, and what they wait for', async () => {
    const a = await set.add('a');
    const b = await set.add('b');
    await set.export(a, 'web');
    await set.settle();
    await set.export(b, 'web', { clusterIP: 'None' });
    await set.export(b, 'mail');
    await set.settle(60_000);
    const configuration = clusterSetConfiguration.parse({
      clusterset: 'blue',
      cluster: 'b',
      broker: { kubeconfig: 'unused' },
    });
    const environment = {
      client: b.cluster.client,
      clock: set.clock,
      logger: silentLogger,
      signal: new AbortController().signal,
    };
    const snapshot = await takeSnapshot(configuration, set.connect, environment);
    expect(statusLines(snapshot, set.clock)).toEqual([
      'Clusterset blue: in step with the broker',
      '',
      'CLUSTER  MEMBER FOR  STATE',
      expect.stringMatching(/^a {8}0 days {6}last seen \d+ s ago$/),
      expect.stringMatching(/^b {8}0 days {6}last seen \d+ s ago, this cluster$/),
      '',
      'SERVICE    PORTS   EXPORTED BY  STATE',
      'shop/mail  TCP/80  b            here: exported',
      'shop/web   TCP/80  a            here: conflict; conflict: TypeConflict',
    ]);
    expect(await b.part.explain(environment, { kind: 'serviceexport', namespace: 'shop', name: 'web' })).toMatchObject({
      state: 'stuck',
      answer:
        'Service shop/web is exported by a; there is a conflict. Type: ClusterSetIP of a, the oldest, wins over ' +
        'Headless of b; not exported: b.',
      waitsFor: 'the older exports of another type to go, or this one to have their type',
    });
    expect(await b.part.status(environment)).toMatchObject({
      figures: { clusters: 2, 'Services exported': 1, 'Services in conflict': 1, 'Services imported': 2 },
    });
    set.isCut = true;
    const away = statusLines(await takeSnapshot(configuration, set.connect, environment), set.clock);
    expect(away[0]).toMatch(/^Clusterset blue: The broker cannot be read: /);
    expect((await b.part.status(environment)).problems).toEqual([
      expect.stringMatching(/^The broker cannot be read: /),
    ]);
    set.isCut = false;
  });
});
