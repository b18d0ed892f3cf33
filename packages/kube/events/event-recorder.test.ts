import {
  type Logger,
  type MetricDefinition,
  type MetricLabels,
  type Metrics,
  noMetrics,
  seededRandom,
  silentLogger,
  VirtualClock,
} from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { KubeClient } from '../api/client.ts';
import { nodes, services } from '../api/resources.ts';
import { FakeApi } from '../testing/fake-api.ts';
import type { Service } from '../types/service.ts';
import type { EventMessage } from './event-content.ts';
import { EventRecorder } from './event-recorder.ts';

const web: Service = { metadata: { namespace: 'shop', name: 'web', uid: 'web-uid', resourceVersion: '7' }, spec: {} };
const failed: EventMessage = { type: 'Warning', reason: 'SyncLoadBalancerFailed', note: 'the cloud said no' };
const named = (name: string): Service => ({ metadata: { namespace: 'shop', name, uid: name }, spec: {} });

function setUp(logger: Logger = silentLogger, given: Metrics = noMetrics) {
  const api = new FakeApi();
  const clock = new VirtualClock({ startsAt: Date.parse('2026-11-15T12:00:00Z') });
  const counts = new Map<string, number>();
  const metrics = {
    ...given,
    increment(_: unknown, labels: MetricLabels = {}) {
      const result = labels['result'] ?? '';
      counts.set(result, (counts.get(result) ?? 0) + 1);
    },
  };
  const recorder = new EventRecorder({
    client: new KubeClient(api.connect(clock), clock),
    clock,
    random: seededRandom(1),
    logger,
    metrics,
    controller: 'fairlead.dev/gateway',
    instance: 'fairlead-0',
  });
  return { api, clock, counts, recorder };
}

describe('EventRecorder', () => {
  it('writes an Event with all the server asks for', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, web, failed);
    await clock.advance(0);
    expect(api.all()).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: {
          namespace: 'shop',
          name: expect.stringMatching(/^web\.[0-9a-f]{19}$/),
          uid: expect.any(String),
          resourceVersion: expect.any(String),
        },
        eventTime: '2026-11-15T12:00:00.000000Z',
        reportingController: 'fairlead.dev/gateway',
        reportingInstance: 'fairlead-0',
        action: 'SyncLoadBalancerFailed',
        reason: 'SyncLoadBalancerFailed',
        type: 'Warning',
        regarding: {
          apiVersion: 'v1',
          kind: 'Service',
          namespace: 'shop',
          name: 'web',
          uid: 'web-uid',
          resourceVersion: '7',
        },
        note: 'the cloud said no',
      },
    ]);
  });

  it('has its metric listed before there is anything to count', () => {
    const declared: string[] = [];
    const metrics = { ...noMetrics, declare: ({ name }: MetricDefinition) => void declared.push(name) };
    setUp(silentLogger, metrics);
    expect(declared).toEqual(['fairlead_kube_events_total']);
  });

  it('puts Events of cluster-wide objects where kubectl looks for them', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(nodes, { metadata: { name: 'node-1' } }, { ...failed, action: 'Program' });
    await clock.advance(0);
    expect(api.all()).toMatchObject([
      { metadata: { namespace: 'default' }, action: 'Program', regarding: { kind: 'Node', name: 'node-1' } },
    ]);
    expect(api.all()[0]?.['regarding']).not.toHaveProperty('namespace');
  });

  it('counts repeats on the Event that is there, in one write a minute', async () => {
    const { api, clock, counts, recorder } = setUp();
    for (let second = 0; second < 120; second += 1) {
      recorder.record(services, web, failed);
      await clock.advance(1000);
    }
    await clock.advance(60_000);
    expect(api.all()).toMatchObject([{ series: { count: 120, lastObservedTime: '2026-11-15T12:01:59.000000Z' } }]);
    expect(api.writes.map((request) => request.method)).toEqual(['POST', 'PATCH', 'PATCH']);
    expect(Object.fromEntries(counts)).toEqual({ created: 1, repeated: 2 });
  });

  it('writes repeats that came before the Event was written along with it', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, named('first'), failed);
    recorder.record(services, web, failed);
    recorder.record(services, web, failed);
    await clock.advance(120_000);
    expect(api.all()).toMatchObject([{ regarding: { name: 'first' } }, { series: { count: 2 } }]);
    expect(api.writes).toHaveLength(2);
  });

  it('keeps apart what differs in object, type, reason or words', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, web, failed);
    recorder.record(services, named('other'), failed);
    recorder.record(services, { ...web, metadata: { ...web.metadata, uid: 'made-again' } }, failed);
    recorder.record(services, web, { ...failed, type: 'Normal' });
    recorder.record(services, web, { ...failed, reason: 'AddressUnavailable' });
    recorder.record(services, web, { ...failed, note: 'the cloud said maybe' });
    await clock.advance(0);
    expect(api.all()).toHaveLength(6);
    expect(new Set(api.all().map((event) => event.metadata['name'])).size).toBe(6);
  });

  it('tells it anew after a long silence', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, web, failed);
    await clock.advance(29 * 60_000);
    recorder.record(services, web, failed);
    await clock.advance(31 * 60_000);
    recorder.record(services, web, failed);
    await clock.advance(0);
    expect(api.all()).toMatchObject([{ series: { count: 2 } }, { eventTime: '2026-11-15T13:00:00.000000Z' }]);
  });

  it('tells it anew when the server has forgotten it', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, web, failed);
    await clock.advance(0);
    const [event] = api.all();
    api.remove(`/apis/events.k8s.io/v1/namespaces/shop/events/${String(event?.metadata['name'])}`);
    recorder.record(services, web, failed);
    await clock.advance(60_000);
    expect(api.all()).toMatchObject([{ series: { count: 2 } }]);
    expect(api.all()[0]?.metadata['name']).not.toBe(event?.metadata['name']);
  });

  it('limits what is told of one object, and not of the others', async () => {
    const { api, clock, counts, recorder } = setUp();
    for (let index = 0; index < 50; index += 1) recorder.record(services, web, { ...failed, note: `attempt ${index}` });
    recorder.record(services, named('other'), failed);
    await clock.advance(0);
    expect(api.all()).toHaveLength(13);
    expect(counts.get('dropped')).toBe(38);
    await clock.advance(30_000);
    recorder.record(services, web, { ...failed, note: 'later' });
    await clock.advance(0);
    expect(api.all()).toHaveLength(14);
  });

  it('does not grow without bound while the server is silent', async () => {
    const { api, clock, counts, recorder } = setUp();
    api.fault = () => 'hang';
    for (let index = 0; index < 10_000; index += 1) recorder.record(services, named(`web-${index}`), failed);
    await clock.advance(0);
    expect(counts.get('dropped')).toBe(10_000 - 4096 - 1);
  });

  it('recognises repeats of the Events told last, and forgets the others', async () => {
    const { api, clock, recorder } = setUp();
    for (let number = 0; number <= 4096; number += 1) {
      recorder.record(services, named(`web-${number}`), failed);
      if (number % 1024 === 0) await clock.advance(0);
    }
    await clock.advance(0);
    const before = api.writes.length;
    recorder.record(services, named('web-4096'), failed);
    recorder.record(services, named('web-0'), failed);
    await clock.advance(120_000);
    expect(api.writes.slice(before).map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  });

  it('tries again when the answer gets lost, without telling it twice', async () => {
    const { api, clock, counts, recorder } = setUp();
    let lost = 0;
    api.fault = () => ((lost += 1) === 1 ? 'lose-response' : undefined);
    recorder.record(services, web, failed);
    await clock.advance(1000);
    expect(api.all()).toHaveLength(1);
    expect(Object.fromEntries(counts)).toEqual({ created: 1 });
  });

  it('is in the log as well, once, with the object', async () => {
    const lines: unknown[] = [];
    const logger = {
      ...silentLogger,
      info: (...line: unknown[]) => void lines.push(['info', ...line]),
      warn: (...line: unknown[]) => void lines.push(['warn', ...line]),
    };
    const { clock, recorder } = setUp(logger);
    for (let time = 0; time < 3; time += 1) recorder.record(services, web, failed);
    recorder.record(services, web, { type: 'Normal', reason: 'EnsuredLoadBalancer', note: 'Reachable at 192.0.2.1.' });
    await clock.advance(0);
    const object = { kind: 'Service', object: 'shop/web' };
    expect(lines).toEqual([
      ['warn', { ...object, reason: 'SyncLoadBalancerFailed' }, 'the cloud said no'],
      ['info', { ...object, reason: 'EnsuredLoadBalancer' }, 'Reachable at 192.0.2.1.'],
    ]);
  });

  it('comes back only when the server asked it to', async () => {
    const { api, clock, recorder } = setUp();
    const sentAt: number[] = [];
    api.fault = () => {
      sentAt.push(clock.monotonic());
      if (sentAt.length === 1) throw new ApiError('POST events', { kind: 'Status', code: 429 }, 20_000);
      return undefined;
    };
    recorder.record(services, web, failed);
    await clock.advance(60_000);
    expect(sentAt).toEqual([0, 20_000]);
    expect(api.all()).toHaveLength(1);
  });

  it('takes another name when its first is taken', async () => {
    const { api, clock, counts, recorder } = setUp();
    let refusals = 0;
    api.fault = () => ((refusals += 1) === 1 ? { status: 409, reason: 'AlreadyExists' } : undefined);
    recorder.record(services, web, failed);
    await clock.advance(0);
    expect(api.all()).toHaveLength(1);
    expect(Object.fromEntries(counts)).toEqual({ created: 1 });
  });

  it('keeps its count when the name under which it is told anew is taken', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, web, failed);
    await clock.advance(0);
    const [first] = api.all();
    let creations = 0;
    api.fault = ({ method }) => {
      if (method === 'PATCH') return { status: 404, reason: 'NotFound' };
      return (creations += 1) === 1 ? { status: 409, reason: 'AlreadyExists' } : undefined;
    };
    recorder.record(services, web, failed);
    await clock.advance(60_000);
    const anew = api.all().find((event) => event.metadata.name !== first?.metadata.name);
    expect(anew).toMatchObject({ series: { count: 2 } });
  });

  it('gives up after a few attempts, goes on with the others, and tells it when it happens again', async () => {
    const { api, clock, counts, recorder } = setUp();
    api.fault = (request) =>
      JSON.stringify(request.body).includes('"name":"web"') ? { status: 503, reason: 'Unavailable' } : undefined;
    recorder.record(services, web, failed);
    recorder.record(services, named('other'), failed);
    await clock.advance(10_000);
    expect(Object.fromEntries(counts)).toEqual({ dropped: 1, created: 1 });
    expect(api.requests).toHaveLength(4);
    api.fault = () => undefined;
    recorder.record(services, web, failed);
    await clock.advance(0);
    expect(api.all()).toHaveLength(2);
  });

  it('does not repeat what the server refuses, and warns once', async () => {
    const warnings: string[] = [];
    const warn = (fields: object, message: string) => void ('event' in fields && warnings.push(message));
    const logger = { ...silentLogger, warn };
    const { api, clock, recorder } = setUp(logger);
    api.fault = () => ({ status: 403, reason: 'Forbidden' });
    recorder.record(services, web, failed);
    recorder.record(services, named('other'), failed);
    await clock.advance(10_000);
    expect(api.requests).toHaveLength(2);
    expect(warnings).toEqual(['an Event was not recorded; further ones are logged at debug level']);
  });

  it('asks once for each repeat when the server lets it create Events but not count them up', async () => {
    const { api, clock, recorder } = setUp();
    api.fault = (request) => (request.method === 'PATCH' ? { status: 403, reason: 'Forbidden' } : undefined);
    recorder.record(services, web, failed);
    for (const repeats of [1, 2]) {
      await clock.advance(1000);
      recorder.record(services, web, failed);
      await clock.advance(600_000);
      expect(api.writes).toHaveLength(1 + repeats);
    }
  });

  it('does not hurry when the server cannot be reached, and tells of all repeats when it can again', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, web, failed);
    await clock.advance(0);
    let attempts = 0;
    api.fault = () => {
      attempts += 1;
      return 'lose-request';
    };
    for (let second = 0; second < 600; second += 1) {
      recorder.record(services, web, failed);
      await clock.advance(1000);
    }
    expect(attempts).toBeLessThanOrEqual(30);
    api.fault = () => undefined;
    recorder.record(services, web, failed);
    await clock.advance(60_000);
    expect(api.writes).toHaveLength(2);
    expect(api.all()).toMatchObject([{ series: { count: 602 } }]);
  });

  it('waits as long as the server asks before it tries again', async () => {
    const { api, clock, recorder } = setUp();
    api.fault = () => ({ status: 429, reason: 'TooManyRequests', retryAfterSeconds: 20 });
    recorder.record(services, web, failed);
    await clock.advance(19_999);
    expect(api.writes).toHaveLength(1);
    await clock.advance(1);
    expect(api.writes).toHaveLength(2);
  });

  it('leaves no timer behind when it is closed, not for what waits to be repeated either', async () => {
    const { clock, recorder } = setUp();
    recorder.record(services, web, failed);
    await clock.advance(0);
    recorder.record(services, web, failed);
    expect(clock.pendingTimers).toBe(1);
    recorder.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops everything when it is closed', async () => {
    const { api, clock, recorder } = setUp();
    recorder.record(services, web, failed);
    await clock.advance(0);
    recorder.record(services, web, failed);
    api.fault = () => 'hang';
    recorder.record(services, named('other'), failed);
    recorder.close();
    recorder.record(services, named('third'), failed);
    await clock.advance(600_000);
    expect(api.writes).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('cuts what is too long, between characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 200, maxLength: 1500 }), async (note) => {
        const { api, clock, recorder } = setUp();
        const name = 'n'.repeat(240) + '-'.repeat(13);
        recorder.record(services, named(name), { ...failed, note });
        await clock.advance(0);
        const [event] = api.all();
        const written = String(event?.['note']);
        expect(Buffer.byteLength(written)).toBeLessThanOrEqual(1024);
        expect(note.startsWith(written.replace(/…$/, ''))).toBe(true);
        expect(written === note).toBe(Buffer.byteLength(note) <= 1024);
        expect(event?.metadata['name']).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
        expect(String(event?.metadata['name']).length).toBeLessThanOrEqual(253);
      }),
      { numRuns: 50 },
    );
  });
});
