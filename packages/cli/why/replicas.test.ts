import { KubeClient, namespaces, type Pod, pods, statusOf } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { seededRandom, VirtualClock } from '@fairlead/control';
import { type AccessQuestion, SimulatedKube } from '@fairlead/sim/kube';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, text } from '../server/router.ts';
import { type StatusServer, startStatusServer } from '../server/status-server.ts';
import { askReplicas, REPLICA_LABEL, replicaLines } from './replicas.ts';

const NAMESPACE = 'fairlead-system';
/** The API server wants an image named. */
const CONTAINER = { name: 'fairlead', image: 'fairlead' };
const READY = 'dns: ready\n';

interface World {
  /** The Pods that are there, and what each says when it is asked through the API server. */
  readonly pods?: Readonly<Record<string, string | Error>>;
  readonly podStatus?: Pod['status'];
  readonly authorize?: (question: AccessQuestion) => boolean;
  /** Pods that are being deleted. */
  readonly leaving?: readonly string[];
  /** What the Fairlead on this machine says. */
  readonly local?: Answer;
  readonly here?: string;
}

describe('the replicas of a part that runs in every one', () => {
  let server: StatusServer | undefined;
  afterEach(() => server?.close());

  async function asked({ pods: answers = {}, podStatus, authorize, leaving = [], local, here = 'laptop' }: World) {
    const clock = new VirtualClock();
    const kube = new SimulatedKube({ clock, random: seededRandom(1), authorize: authorize ?? (() => true) });
    const client = new KubeClient(connectionOver(kube.transport(), clock), clock);
    await client.create(namespaces, { metadata: { name: NAMESPACE } });
    for (const name of [...Object.keys(answers), 'of-another-program']) {
      const labels = name === 'of-another-program' ? { app: name } : { [REPLICA_LABEL]: 'true' };
      const metadata = { namespace: NAMESPACE, name, labels, finalizers: ['example.org/held'] };
      await client.create(pods, { metadata, spec: { containers: [CONTAINER] } });
      if (leaving.includes(name)) await client.delete(pods, { namespace: NAMESPACE, name });
      if (podStatus === undefined) continue;
      await client.patchMerge(statusOf(pods), { namespace: NAMESPACE, name }, { status: podStatus });
    }
    vi.spyOn(client, 'getText').mockImplementation(async (path) => {
      const name = /pods\/([^:]+):\d+\/proxy\/readyz\/dns$/.exec(path)?.[1] ?? '';
      const answer = answers[name] ?? new Error(`nobody is at ${path}`);
      if (answer instanceof Error) throw answer;
      return answer;
    });
    server = await startStatusServer(
      '127.0.0.1:0',
      new Map([['/readyz', async () => local ?? text(404, 'no part named dns runs here; there is gateway')]]),
    );
    const listen = new URL(server.url).host;
    if (local === undefined) await server.close();
    const configuration = { http: { listen }, leaderElection: { namespace: NAMESPACE, leaseDurationSeconds: 15 } };
    const { signal } = new AbortController();
    const found = await askReplicas({ client, configuration, part: 'dns', here, signal });
    return { ...found, isWell: replicaLines(found).wrong.length === 0 };
  }

  it('are the Pods with the label of the chart, each asked through the API server', async () => {
    expect(await asked({ pods: { 'pod-1': READY, 'pod-2': READY } })).toEqual({
      isWell: true,
      asked: [
        { replica: 'pod-1', readiness: { ready: true } },
        { replica: 'pod-2', readiness: { ready: true } },
      ],
    });
  });

  it('are not well when one of them is not ready', async () => {
    const refusal = new Error('GET readyz: dns: not ready: reading the ServiceImports (503 ServiceUnavailable)');
    expect(await asked({ pods: { 'pod-1': READY, 'pod-2': refusal } })).toMatchObject({
      isWell: false,
      asked: [
        { readiness: { ready: true } },
        { replica: 'pod-2', readiness: { ready: false, reason: 'reading the ServiceImports' } },
      ],
    });
  });

  it('leave out Pods that run other parts, that have ended and that are about to', async () => {
    const elsewhere = new Error('GET readyz: no part named dns runs here; there is gateway (404 NotFound)');
    const answers = { 'pod-1': READY, 'pod-2': elsewhere, 'pod-3': READY };
    const { asked: found } = await asked({ pods: answers, leaving: ['pod-3'] });
    expect(found.map(({ replica }) => replica)).toEqual(['pod-1']);
    for (const phase of ['Failed', 'Succeeded'] as const)
      expect(await asked({ pods: { 'pod-1': READY }, podStatus: { phase } })).toMatchObject({ asked: [] });
  });

  it('are believed by their Pods where they do not answer', async () => {
    const refusal = new Error('dial tcp: connection refused (503 ServiceUnavailable)');
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'fairlead waits' },
    ] as const;
    expect(await asked({ pods: { 'pod-1': refusal }, podStatus: { phase: 'Running', conditions } })).toMatchObject({
      isWell: false,
      asked: [{ readiness: { ready: false, reason: expect.stringContaining('fairlead waits') } }],
    });
    expect(await asked({ pods: { 'pod-1': refusal } })).toMatchObject({
      isWell: true,
      asked: [{ readiness: { unasked: expect.stringContaining('connection refused') } }],
    });
  });

  it('are the one on this machine where there is no Pod of them', async () => {
    expect(await asked({ local: text(200, READY) })).toEqual({
      isWell: true,
      asked: [{ replica: 'laptop', readiness: { ready: true } }],
    });
    expect(await asked({ local: text(503, 'dns: not ready: starting') })).toMatchObject({ isWell: false });
  });

  it('are not well when there is none, and say where it was looked', async () => {
    const none = await asked({});
    expect(none).toMatchObject({ isWell: false, asked: [] });
    expect(none.unasked).toContain(`no Pod with the label ${REPLICA_LABEL} in ${NAMESPACE}`);
    expect(none.unasked).toContain('nothing listens there');
    const other = await asked({ local: text(404, 'no part named dns runs here; there is gateway') });
    expect(other).toMatchObject({ isWell: false, asked: [], unasked: expect.stringContaining('runs no dns') });
  });

  it('are asked here and said to be unknown elsewhere by who may not list Pods', async () => {
    const authorize = ({ verb, resource }: AccessQuestion) => !(verb === 'list' && resource === 'pods');
    const one = await asked({ authorize, pods: { 'pod-1': READY }, here: 'pod-1', local: text(200, READY) });
    expect(one).toMatchObject({
      isWell: true,
      asked: [{ replica: 'pod-1', readiness: { ready: true } }],
      unasked: expect.stringContaining('may not list pods'),
    });
    const blind = await asked({ authorize });
    expect(blind).toMatchObject({ isWell: true, asked: [], unasked: expect.stringContaining('may not list pods') });
  });

  it('are asked at their own port by one of them', async () => {
    const found = await asked({ pods: { 'pod-1': new Error('not this way') }, here: 'pod-1', local: text(200, READY) });
    expect(found.asked).toEqual([{ replica: 'pod-1', readiness: { ready: true } }]);
  });
});
