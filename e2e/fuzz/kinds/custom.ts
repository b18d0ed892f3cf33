import type { Json } from '@fairlead/sim/kube/contract';
import { BERTHS } from './definition.ts';
import type { FuzzedKind } from './kind.ts';

export const berths = (version: string): FuzzedKind => ({
  apiVersion: `${BERTHS.group}/${version}`,
  kind: BERTHS.kind,
  plural: BERTHS.plural,
  namespaced: true,
  subresources: ['status', 'scale'],
  example: (dice) => ({
    ...dice.fields(0.9, {
      spec: dice.fields(0.4, {
        size: dice.pick<Json>(1, 5, 11, 2.5, 'x'),
        color: dice.pick('red', 'blue', 'green', ''),
        name: dice.pick('abc', 'a', 'ABC'),
        ratio: dice.pick(0.5, 1, 0.3, 0),
        port: dice.pick<Json>(80, 'http', 1.5, true),
        tags: dice.pick(['a'], ['a', 'b'], ['a', 'a'], []),
        rules: dice.pick([{ id: 'a' }], [{ id: 'a', weight: 1 }, { id: 'b' }], [{ id: 'a' }, { id: 'a' }], [{}]),
        labels: dice.pick<Json>({ a: 'b' }, { a: 1 }, { constructor: 'x' }),
        free: dice.pick({}, { any: { thing: [1, null] } }),
        maybe: dice.pick(null, 'x'),
        nested: dice.pick({}, { deep: false }, { deep: null }, null),
        replicas: dice.pick(0, 1, 3, -1),
        old: dice.pick<Json>('gone', 1),
      }),
    }),
    ...dice.fields(0.2, { status: dice.fields(0.6, { state: 'ok', count: dice.pick<Json>(1, 'x'), replicas: 2 }) }),
  }),
});

export const definitions: FuzzedKind = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  subresources: ['status'],
  onlyDryRun: ['create', 'delete'],
  example: (dice) => ({
    spec: {
      group: dice.pick('<ns>.test', 'x', ''),
      scope: dice.pick('Namespaced', 'Cluster', 'x'),
      names: {
        plural: dice.pick('as', 'As'),
        kind: dice.pick('A', 'a', ''),
        ...dice.fields(0.3, { singular: 'a', listKind: dice.pick('AList', 'A'), shortNames: dice.pick(['x'], ['X']) }),
      },
      versions: dice.some(0.7, 'v1', 'v2').map((name) => ({
        name,
        served: true,
        storage: dice.chance(0.6),
        ...dice.fields(0.85, {
          schema: {
            openAPIV3Schema: {
              type: dice.pick('object', 'string'),
              properties: { spec: { type: dice.pick('object', 'integer', 'x') } },
            },
          },
        }),
        ...dice.fields(0.2, {
          subresources: dice.pick(
            { status: {} },
            { scale: { specReplicasPath: '.spec.x', statusReplicasPath: '.status.x' } },
          ),
        }),
      })),
      ...dice.fields(0.2, {
        conversion: dice.pick(
          { strategy: 'None' },
          { strategy: 'Webhook' },
          { strategy: 'x' },
          { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } },
          {
            strategy: 'Webhook',
            webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1/convert' } },
          },
        ),
        preserveUnknownFields: dice.pick(true, false),
      }),
    },
  }),
};
