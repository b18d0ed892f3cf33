import type { EndpointConditions } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { selectByNode, selectEndpoints, type TrafficScope } from './endpoint-selection.ts';
import { gatherHosts } from './endpoints.ts';
import { slice } from '../testing/slices.ts';

const ready = { ready: true, serving: true, terminating: false };
const unready = { ready: false, serving: false, terminating: false };
const draining = { ready: false, serving: true, terminating: true };
const stopped = { ready: false, serving: false, terminating: true };
/** What a Service with publishNotReadyAddresses has: ready to the end. */
const published = { ready: true, serving: false, terminating: true };

function hosts(...entries: readonly (readonly [EndpointConditions, string?])[]) {
  const endpoints = entries.map(([conditions, nodeName], index) => ({
    addresses: [`10.0.0.${index + 1}`],
    conditions,
    ...(nodeName === undefined ? {} : { nodeName }),
  }));
  return gatherHosts([slice({ endpoints })]);
}

function selected(list: ReturnType<typeof hosts>, scope?: TrafficScope) {
  const { from, endpoints } = selectEndpoints(list, scope);
  return [from, ...endpoints.map(({ address }) => address)];
}

describe('selectEndpoints', () => {
  it('takes the ready ones and none that drain', () => {
    expect(selected(hosts([ready], [draining], [unready], [ready]))).toEqual(['ready', '10.0.0.1', '10.0.0.4']);
  });

  it('keeps serving from terminating endpoints when none is ready', () => {
    expect(selected(hosts([stopped], [draining], [unready], [draining]))).toEqual([
      'terminating',
      '10.0.0.2',
      '10.0.0.4',
    ]);
  });

  it('takes none when all have stopped or not begun', () => {
    expect(selected(hosts([stopped], [unready]))).toEqual(['none']);
    expect(selected([])).toEqual(['none']);
  });

  it('takes one that is published as ready although it terminates', () => {
    expect(selected(hosts([published]))).toEqual(['ready', '10.0.0.1']);
  });

  it('does not take one that serves and is neither ready nor terminating', () => {
    expect(selected(hosts([{ ready: false, serving: true, terminating: false }]))).toEqual(['none']);
  });

  it('stays on the node under the policy Local, terminating endpoints included', () => {
    const list = hosts([ready, 'node-a'], [draining, 'node-b'], [ready, 'node-c'], [ready]);
    expect(selected(list, { policy: 'Local', nodeName: 'node-a' })).toEqual(['ready', '10.0.0.1']);
    expect(selected(list, { policy: 'Local', nodeName: 'node-b' })).toEqual(['terminating', '10.0.0.2']);
    expect(selected(list, { policy: 'Local', nodeName: 'node-d' })).toEqual(['none']);
  });
});

describe('selectByNode', () => {
  it('lists the nodes that serve by themselves, and each by its own endpoints alone', () => {
    const list = hosts(
      [ready, 'node-a'],
      [draining, 'node-a'],
      [draining, 'node-b'],
      [unready, 'node-b'],
      [stopped, 'node-c'],
      [ready],
    );
    expect([...selectByNode(list)].map(([node, { from, endpoints }]) => [node, from, endpoints.length])).toEqual([
      ['node-a', 'ready', 1],
      ['node-b', 'terminating', 1],
    ]);
  });

  it('agrees with the selection under the policy Local on every node', () => {
    const list = hosts([ready, 'node-a'], [draining, 'node-b'], [stopped, 'node-c'], [ready, 'node-b'], [ready]);
    for (const [nodeName, selection] of selectByNode(list)) {
      expect(selection).toEqual(selectEndpoints(list, { policy: 'Local', nodeName }));
    }
    expect(selectByNode(list).size).toBe(2);
  });
});
