import { VirtualClock } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KubeClient } from '../api/client.ts';
import { jsonEqual } from '../api/json-equal.ts';
import { services } from '../api/resources.ts';
import { FakeApi } from '../testing/fake-api.ts';
import type { Condition } from '../types/meta.ts';
import { findCondition, reasonOf, setCondition, type WantedCondition, withCondition } from './conditions.ts';

const PATH = '/api/v1/namespaces/shop/services/web';
const NOON = Date.parse('2026-11-15T12:00:00.750Z');
const LATER = NOON + 60_000;
const ready: WantedCondition = { type: 'Ready', status: 'True', reason: 'Programmed', message: 'all set' };
const other = { ...ready, type: 'Other', lastTransitionTime: '2020-01-01T00:00:00Z' };

function setUp(status?: object) {
  const api = new FakeApi();
  const client = new KubeClient(api.connect(new VirtualClock()), new VirtualClock());
  const put = (value?: object) =>
    api.put(PATH, { metadata: { namespace: 'shop', name: 'web' }, spec: {}, ...(value && { status: value }) });
  put(status);
  const read = () => client.get(services, { namespace: 'shop', name: 'web' });
  return { api, client, read, put };
}

describe('a condition', () => {
  it.each([
    ['no status', undefined, undefined],
    ['a status without conditions', { loadBalancer: {} }, undefined],
    ['conditions of others', { conditions: [other] }, other],
  ])('is added to %s, by the path of the status', async (_, status, kept) => {
    const { api, client, read } = setUp(status);
    await setCondition(client, services, await read(), ready, NOON);
    const after = await read();
    expect(findCondition(after, 'Ready')).toEqual({ ...ready, lastTransitionTime: '2026-11-15T12:00:00Z' });
    expect(findCondition(after, 'Other')).toEqual(kept);
    expect(after.status?.loadBalancer).toEqual(status !== undefined && 'loadBalancer' in status ? {} : undefined);
    expect(api.writes.map((request) => request.path)).toEqual([`${PATH}/status`]);
  });

  it('costs no write when it says so already', async () => {
    const { api, client, read } = setUp({ conditions: [other] });
    await setCondition(client, services, await read(), ready, NOON);
    await setCondition(client, services, await read(), ready, LATER);
    expect(api.writes).toHaveLength(1);
  });

  it('has a message that the server takes, and gives back as it is', async () => {
    const { client, read } = setUp();
    const ship = '\u{1f6a2}';
    const wanted = { ...ready, message: `${'a'.repeat(7_998)}${ship.repeat(30_000)}` };
    await setCondition(client, services, await read(), wanted, NOON);
    const message = findCondition(await read(), 'Ready')?.message ?? '';
    expect(Buffer.byteLength(message)).toBeLessThan(32_768);
    expect(Buffer.from(message).toString()).toBe(message);
  });

  it('keeps its time when only its words change, and takes a new one when its status does', async () => {
    const { client, read } = setUp();
    await setCondition(client, services, await read(), ready, NOON);
    await setCondition(client, services, await read(), { ...ready, message: 'still' }, LATER);
    expect(findCondition(await read(), 'Ready')).toMatchObject({
      message: 'still',
      lastTransitionTime: '2026-11-15T12:00:00Z',
    });
    await setCondition(client, services, await read(), { ...ready, status: 'False' }, LATER);
    expect(findCondition(await read(), 'Ready')).toMatchObject({
      status: 'False',
      lastTransitionTime: '2026-11-15T12:01:00Z',
    });
  });

  it('does not overwrite conditions that appeared since the object was read', async () => {
    const { client, read, put } = setUp();
    const stale = await read();
    put({ conditions: [other] });
    await setCondition(client, services, stale, ready, NOON);
    expect((await read()).status?.conditions?.map((condition) => condition.type)).toEqual(['Other', 'Ready']);
  });

  it('ends as wanted in one write, with the others untouched, whatever was there', async () => {
    const condition = fc.record({
      type: fc.constantFrom('Ready', 'Other', 'Third'),
      status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
      reason: fc.constantFrom('One', 'Two'),
      message: fc.string(),
    });
    const since = { lastTransitionTime: '2020-01-01T00:00:00Z' };
    const lists = fc.uniqueArray(condition, { selector: ({ type }) => type });
    await fc.assert(
      fc.asyncProperty(fc.option(lists), condition, async (before, wanted) => {
        const conditions = before?.map((item) => ({ ...item, ...since }));
        const { api, client, read } = setUp(conditions === undefined ? undefined : { conditions });
        await setCondition(client, services, await read(), wanted, NOON);
        await setCondition(client, services, await read(), wanted, LATER);
        const old = before?.find(({ type }) => type === wanted.type);
        const after = (await read()).status?.conditions ?? [];
        expect(after.find(({ type }) => type === wanted.type)).toEqual({
          ...wanted,
          lastTransitionTime: old?.status === wanted.status ? since.lastTransitionTime : '2026-11-15T12:00:00Z',
        });
        expect(after.filter(({ type }) => type !== wanted.type)).toEqual(
          (conditions ?? []).filter(({ type }) => type !== wanted.type),
        );
        expect(api.writes).toHaveLength(jsonEqual(old, wanted) ? 0 : 1);
      }),
    );
  });

  it('is of no use to an object that is gone', async () => {
    const { api, client, read } = setUp();
    const gone = await read();
    api.remove(PATH);
    expect(await setCondition(client, services, gone, ready, NOON)).toBeUndefined();
  });
});

describe('a list of conditions with one as wanted', () => {
  const at = (lastTransitionTime: string) => ({ ...ready, lastTransitionTime });
  const having = (...conditions: readonly Condition[]) => ({ metadata: { name: 'web' }, status: { conditions } });

  it('gets the condition where there is none, also without a status', () => {
    expect(withCondition({ metadata: { name: 'web' } }, ready, NOON)).toEqual([at('2026-11-15T12:00:00Z')]);
    expect(withCondition(having(other), ready, NOON)).toEqual([other, at('2026-11-15T12:00:00Z')]);
  });

  it('is the same list when the condition says so already', () => {
    const object = having(at('2020-01-01T00:00:00Z'), other);
    expect(withCondition(object, ready, NOON)).toBe(object.status.conditions);
  });

  it('changes the condition in its place, and its time only with its status', () => {
    const object = having(at('2020-01-01T00:00:00Z'), other);
    const reworded = { ...ready, message: 'still all set' };
    expect(withCondition(object, reworded, NOON)).toEqual([
      { ...reworded, lastTransitionTime: '2020-01-01T00:00:00Z' },
      other,
    ]);
    const broken = { ...ready, status: 'False' as const };
    expect(withCondition(object, broken, NOON)).toEqual([
      { ...broken, lastTransitionTime: '2026-11-15T12:00:00Z' },
      other,
    ]);
  });
});

describe('the reason for a code', () => {
  it('is in camel case', () => {
    expect(['port-taken', 'unexpected', 'NotFound', ''].map(reasonOf)).toEqual([
      'PortTaken',
      'Unexpected',
      'NotFound',
      '',
    ]);
  });
});
