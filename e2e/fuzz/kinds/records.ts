import type { Json } from '@fairlead/sim/kube/contract';
import type { FuzzedKind } from './kind.ts';

export const leases: FuzzedKind = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  subresources: [],
  example: (dice) =>
    dice.fields(0.8, {
      spec: dice.fields(0.4, {
        holderIdentity: dice.pick('me', '', 'you'),
        leaseDurationSeconds: dice.pick(15, 0, -1),
        acquireTime: dice.pick(
          '2026-01-01T00:00:00.000000Z',
          '2026-01-01T00:00:00Z',
          '2026-01-01T01:00:00.5+01:00',
          'x',
        ),
        renewTime: dice.pick('2026-01-01T00:00:00.123456Z', null),
        leaseTransitions: dice.pick(0, 3, -1),
        preferredHolder: dice.pick('x', ''),
        strategy: dice.pick('OldestEmulationVersion', 'x y'),
      }),
    }),
};

export const events: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  subresources: [],
  example: (dice) => ({
    involvedObject: {
      kind: 'Service',
      name: 'a',
      ...dice.fields(0.9, { namespace: dice.pick('<ns>', '<ns>', 'default') }),
    },
    ...dice.fields(0.5, {
      reason: dice.pick('Served', ''),
      message: dice.pick('text', 'x\ny'),
      type: dice.pick('Normal', 'Warning', 'x'),
      count: dice.pick<Json>(1, 0, -1),
      source: { component: 'fuzz' },
      firstTimestamp: dice.pick('2026-01-01T00:00:00Z', null),
      lastTimestamp: '2026-01-01T00:00:01Z',
    }),
    ...dice.fields(0.1, {
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Act',
      reportingComponent: dice.pick('fuzz.test/me', 'x y'),
      reportingInstance: 'me-1',
      series: { count: dice.pick<Json>(1, 2), lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    }),
  }),
};

export const groupEvents: FuzzedKind = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  subresources: [],
  example: (dice) => ({
    ...dice.fields(0.85, {
      eventTime: dice.pick('2026-01-01T00:00:00.000000Z', null),
      action: 'Act',
      reason: 'Served',
      type: dice.pick('Normal', 'Warning', 'x'),
      reportingController: dice.pick('fuzz.test/me', 'x y'),
      reportingInstance: 'me-1',
    }),
    ...dice.fields(0.2, {
      note: 'text',
      regarding: { kind: 'Service', name: 'a', namespace: dice.pick('<ns>', 'default') },
      series: { count: dice.pick<Json>(1, 2), lastObservedTime: '2026-01-01T00:00:00.000000Z' },
      deprecatedCount: 3,
      deprecatedSource: { component: 'x' },
    }),
  }),
};

export const configMaps: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  subresources: [],
  ownFields: ['metadata.name!=kube-root-ca.crt'],
  example: (dice) =>
    dice.fields(0.5, {
      data: dice.fields(0.5, { a: '1', b: '', 'c.d': 'x', constructor: 'y', __proto: 'z', 'a b': 'c' }),
      binaryData: dice.pick({}, { bin: 'AAEC' }, { bin: 'x' }, { a: 'AAEC' }),
      immutable: dice.pick(true, false, null),
    }),
};
