import type { Json } from '@fairlead/sim/kube/contract';
import type { FuzzedKind } from './kind.ts';

export const pods: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  subresources: ['status'],
  example: (dice) => ({
    spec: {
      containers: dice.some(0.9, 'main', 'side').map((name) => ({
        name,
        image: dice.pick('image', 'image:latest', 'image:1', ''),
        ...dice.fields(0.15, {
          ports: [{ containerPort: dice.pick(80, 0, 70_000), name: 'http' }],
          imagePullPolicy: dice.pick('Always', 'Never', 'x'),
          resources: { requests: { cpu: dice.pick<Json>('100m', 0.1, '0.1', 'x') } },
        }),
      })),
      ...dice.fields(0.15, {
        nodeName: dice.pick('node', 'Node_'),
        hostNetwork: true,
        restartPolicy: dice.pick('Never', 'x'),
        terminationGracePeriodSeconds: dice.pick(0, 5, -1),
        readinessGates: [{ conditionType: dice.pick('a.test/b', 'x y') }],
        hostname: dice.pick('h', 'H_'),
      }),
    },
    ...dice.fields(0.2, {
      status: dice.fields(0.5, {
        phase: dice.pick('Running', 'Failed'),
        podIP: '10.1.0.1',
        podIPs: [{ ip: '10.1.0.1' }],
        hostIP: '10.2.0.1',
        conditions: [{ type: 'Ready', status: dice.pick('True', 'False') }],
      }),
    }),
  }),
};

export const nodes: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  subresources: ['status'],
  example: (dice) => ({
    ...dice.fields(0.7, {
      spec: dice.fields(0.3, {
        podCIDR: dice.pick('10.3.0.0/24', 'x'),
        podCIDRs: dice.pick(['10.3.0.0/24'], ['10.3.0.0/24', '10.4.0.0/24']),
        providerID: dice.pick('a://b', 'c'),
        unschedulable: dice.pick(true, false),
        taints: [{ key: dice.pick('a', 'a b'), effect: dice.pick('NoSchedule', 'x'), value: 'v' }],
      }),
      status: dice.fields(0.3, {
        addresses: [{ type: dice.pick('InternalIP', 'x'), address: '10.2.0.1' }],
        capacity: { cpu: dice.pick<Json>('1', 2, '1500m', 'x'), memory: dice.pick('1Gi', '1024Mi') },
        conditions: [{ type: 'Ready', status: 'True' }],
      }),
    }),
  }),
};

export const namespaces: FuzzedKind = {
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  subresources: ['status', 'finalize'],
  onlyDryRun: ['delete'],
  example: (dice) =>
    dice.fields(0.3, {
      spec: dice.pick({}, { finalizers: ['kubernetes'] }, { finalizers: ['a.test/b', 'kubernetes'] }),
      status: { phase: dice.pick('Active', 'x') },
    }),
};
