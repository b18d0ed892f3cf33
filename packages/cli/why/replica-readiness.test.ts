import { afterEach, describe, expect, it } from 'vitest';
import { ReadinessBoard } from '../observability/readiness.ts';
import { text } from '../server/router.ts';
import { type StatusServer, startStatusServer } from '../server/status-server.ts';
import type { Leader } from './leader.ts';
import { askLeaderReadiness, type ReplicaReadiness } from './replica-readiness.ts';

const POD = '/api/v1/namespaces/fairlead-system/pods/pod-1:8080/proxy/readyz/gateway';

/** Asks for the readiness of the gateway part; `answer` is what the API server says at a path. */
async function asked(
  leader: Leader,
  answer: (path: string) => Promise<string>,
  { here = 'laptop', listen = ':8080' } = {},
): Promise<ReplicaReadiness> {
  const question = {
    client: { getText: answer },
    configuration: {
      http: { listen },
      leaderElection: { namespace: 'fairlead-system', leaseDurationSeconds: 15 },
    },
    part: 'gateway',
    here,
    signal: new AbortController().signal,
  };
  return askLeaderReadiness(question, leader);
}

const led: Leader = { kind: 'led', replica: 'pod-1' };

describe('whether the leader is ready', () => {
  let server: StatusServer | undefined;
  afterEach(() => server?.close());

  it('is asked of its Pod through the API server', async () => {
    const paths: string[] = [];
    const readiness = await asked(led, async (path) => {
      paths.push(path);
      return 'gateway: ready\n';
    });
    expect(readiness).toEqual({ ready: true });
    expect(paths).toEqual([POD]);
  });

  it('is no when its Pod answers 503, with its own reason', async () => {
    const refusal = new Error(`GET ${POD}: gateway: not ready: cannot list Services (503 ServiceUnavailable)`);
    expect(await asked(led, () => Promise.reject(refusal))).toEqual({
      ready: false,
      reason: 'cannot list Services',
    });
  });

  it('stays open when the API server does not hand the question on', async () => {
    const refusal = new Error('GET pods/proxy: 403 Forbidden');
    expect(await asked(led, () => Promise.reject(refusal))).toEqual({ unasked: 'GET pods/proxy: 403 Forbidden' });
    expect(await asked(led, async () => '<html>')).toHaveProperty('unasked');
    expect(await asked({ kind: 'nobody' }, async () => 'gateway: ready')).toEqual({ unasked: 'nobody leads' });
  });

  it('is asked at its port when it runs on this machine', async () => {
    const board = new ReadinessBoard();
    const report = board.add('gateway');
    const readyz = async () => {
      const state = board.overall;
      return state.ready ? text(200, 'gateway: ready') : text(503, `gateway: not ready: ${state.reason}`);
    };
    server = await startStatusServer('127.0.0.1:0', new Map([['/readyz', readyz]]));
    const listen = server.url.replace('http://', '');
    const askHere = () => asked(led, () => Promise.reject(new Error('not here')), { here: 'pod-1', listen });
    expect(await askHere()).toEqual({ ready: false, reason: 'gateway: starting' });
    report.set({ ready: true });
    expect(await askHere()).toEqual({ ready: true });
  });
});
